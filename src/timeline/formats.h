// Output formats of a timeline: for a terminal, a program, a browser, a trace viewer and a collector. docs/timeline.md
// describes them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "timeline/model.h"

namespace sunup::timeline {

enum class Format { kText, kJson, kSvg, kHtml, kPerfetto, kOtlp };

inline constexpr std::string_view kFormatNames[] = {"text", "json", "svg", "html", "perfetto", "otlp"};
std::optional<Format> parse_format(std::string_view name);

std::string show(const Timeline& timeline, Format format);

std::string as_text(const Timeline& timeline);
std::string as_json(const Timeline& timeline);
std::string as_svg(const Timeline& timeline);
std::string as_html(const Timeline& timeline);
std::string as_perfetto(const Timeline& timeline);  // Chrome's trace event format, which Perfetto reads
std::string as_otlp(const Timeline& timeline);      // OTLP/JSON: an ExportTraceServiceRequest

// "+1.627s", as in tables.
std::string signed_seconds(double seconds);
// "5ms", "1.984s".
std::string short_duration(double seconds);
// "2026-11-15T23:50:26.377Z" of the zero; empty if no source contains the wall clock.
std::string wall_of_zero(const Timeline& timeline);

// The rows of text and pictures: milestones and spans, in order of start.
struct Row {
  const Point* milestone = nullptr;
  const Span* span = nullptr;
};
std::vector<Row> rows(const Timeline& timeline);

// The response of a collector, which may have status 200 although spans were rejected.
struct Refusal {
  int64_t spans = 0;  // 0: only a message
  std::string message = {};
};
// Parses an ExportTraceServiceResponse in JSON. Empty if all spans were accepted, or if the body has another format.
std::optional<Refusal> refusal_of(std::string_view body);

}  // namespace sunup::timeline
