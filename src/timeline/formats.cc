#include "timeline/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iterator>

namespace sunup::timeline {

std::optional<Format> parse_format(std::string_view name) {
  const auto* found = std::ranges::find(kFormatNames, name);
  if (found == std::end(kFormatNames)) return std::nullopt;
  return static_cast<Format>(found - std::begin(kFormatNames));
}

std::string show(const Timeline& timeline, Format format) {
  switch (format) {
    case Format::kText:
      return as_text(timeline);
    case Format::kJson:
      return as_json(timeline);
    case Format::kSvg:
      return as_svg(timeline);
    case Format::kHtml:
      return as_html(timeline);
    case Format::kPerfetto:
      return as_perfetto(timeline);
    case Format::kOtlp:
      return as_otlp(timeline);
  }
  return "";
}

std::string signed_seconds(double seconds) {
  return fmt::format("{:+.3f}s", std::abs(seconds) < 0.0005 ? 0.0 : seconds);
}

std::string short_duration(double seconds) {
  if (seconds < 0.0009995) return seconds > 0 ? fmt::format("{:.0f}µs", seconds * 1e6) : "0ms";
  if (seconds < 1) return fmt::format("{:.0f}ms", seconds * 1e3);
  return fmt::format("{:.3f}s", seconds);
}

std::string wall_of_zero(const Timeline& timeline) {
  if (!timeline.wall_offset) return "";
  const Nanos wall = timeline.zero + *timeline.wall_offset;
  const std::time_t seconds = wall / kSecond;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  return fmt::format("{}.{:03}Z", text, (wall % kSecond) / 1'000'000);
}

std::vector<Row> rows(const Timeline& timeline) {
  std::vector<Row> all;
  for (const Point& point : timeline.points)
    if (point.milestone) all.push_back({.milestone = &point, .span = nullptr});
  // A target is only a point in the order of units; it is shown if something waited for it.
  for (const Span& span : timeline.spans)
    if (span.critical || !span.name.ends_with(".target")) all.push_back({.milestone = nullptr, .span = &span});
  const auto begin = [&timeline](const Row& row) {
    return row.milestone != nullptr ? row.milestone->at : timeline.start_of(*row.span);
  };
  std::ranges::stable_sort(all, {}, begin);
  return all;
}

}  // namespace sunup::timeline
