#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/quoted.h"
#include "timeline/formats.h"

namespace sunup::timeline {
namespace {

// Names and messages come from the node: one_line() keeps them from controlling the terminal or imitating a line of
// this output.
std::string headline(const Timeline& timeline) {
  std::string line = "provision";
  if (!timeline.node.empty()) line += " of " + one_line(timeline.node);
  line += fmt::format(": {}", to_string(timeline.state));
  if (timeline.state == RunState::kDryRun) line += " only, nothing was provisioned";
  if (!timeline.exit_code.empty()) line += ", exit code " + one_line(timeline.exit_code);
  if (!timeline.mode.empty()) line += fmt::format(" ({} mode)", one_line(timeline.mode));
  if (timeline.points.empty()) {
    line += "\nno source says when\n";
  } else {
    line += fmt::format("\nzero: {}", one_line(timeline.zero_label));
    if (const std::string wall = wall_of_zero(timeline); !wall.empty()) line += " at " + wall;
    if (!timeline.boot.empty()) line += ", boot " + one_line(timeline.boot);
    line += "\n";
  }
  if (!timeline.failed_step.empty()) line += "failed step: " + one_line(timeline.failed_step) + "\n";
  if (timeline.waiting_for) {
    const Span& span = timeline.spans[*timeline.waiting_for];
    line += fmt::format("{}waiting for {} since {}\n", timeline.state == RunState::kRunning ? "" : "was ",
                        one_line(span.name), signed_seconds(timeline.seconds(timeline.start_of(span))));
  }
  if (!timeline.error.empty()) line += "error: " + one_line(timeline.error) + "\n";
  return line;
}

std::string span_line(const Timeline& timeline, const Span& span) {
  const double took = static_cast<double>(timeline.end_of(span) - timeline.start_of(span)) / 1e9;
  const std::string indent(static_cast<size_t>(2 + 2 * span.depth), ' ');
  // An active unit is running; any other span without a failure is done.
  const bool up = span.kind == SpanKind::kUnit && span.state == SpanState::kDone;
  const bool in_part = span.left_alone && span.state == SpanState::kDone;
  std::string line = fmt::format("{}- {} {}{}: {} ({})", indent, one_line(span.name),
                                 up ? "active" : to_string(span.state), in_part ? " in part" : "",
                                 signed_seconds(timeline.seconds(timeline.end_of(span))), short_duration(took));
  if (!span.retries.empty()) line += fmt::format(", {} retries", span.retries.size());
  if (span.deferred) line += ", deferred";
  if (span.left_alone && span.state == SpanState::kSkipped) line += ", the machine is left alone";
  if (!span.error.empty()) line += ": " + one_line(span.error);
  return line;
}

std::string chain(const Timeline& timeline) {
  std::string text;
  const auto out = std::back_inserter(text);
  const Point& first = timeline.points[timeline.chain.front().from];
  const Point& last = timeline.points[timeline.chain.back().to];
  fmt::format_to(out, "\ncritical chain: {} to {}, {}\n", one_line(first.label), one_line(last.label),
                 short_duration(static_cast<double>(last.at - first.at) / 1e9));
  fmt::format_to(out, "  {:>10}  {}\n", signed_seconds(timeline.seconds(first.at)), one_line(first.label));
  size_t width = 0;
  for (const Link& link : timeline.chain) width = std::max(width, one_line(timeline.points[link.to].label).size());
  for (const Link& link : timeline.chain) {
    const Point& to = timeline.points[link.to];
    const double took = static_cast<double>(to.at - timeline.points[link.from].at) / 1e9;
    fmt::format_to(out, "  {:>10}  {:<{}} {:>8}  {}\n", signed_seconds(timeline.seconds(to.at)), one_line(to.label),
                   width, short_duration(took), one_line(link.waited_for));
  }
  return text;
}

}  // namespace

std::string as_text(const Timeline& timeline) {
  std::string text = headline(timeline) + "\n";
  for (const Row& row : rows(timeline)) {
    const bool critical = row.span != nullptr ? row.span->critical : row.milestone->critical;
    text += critical ? "* " : "  ";
    if (row.span != nullptr) {
      text += span_line(timeline, *row.span);
    } else {
      text +=
          fmt::format("{}: {}{}", one_line(row.milestone->label), signed_seconds(timeline.seconds(row.milestone->at)),
                      row.milestone->approximate ? " (approximate)" : "");
    }
    text += "\n";
  }
  if (!timeline.chain.empty()) text += chain(timeline);
  const auto out = std::back_inserter(text);
  if (!timeline.missing.empty()) text += "\nnot known\n";
  for (const Missing& missing : timeline.missing)
    fmt::format_to(out, "  {}: {}\n", one_line(missing.label), one_line(missing.why));
  text += "\nsources\n";
  for (const SourceNote& source : timeline.sources)
    fmt::format_to(out, "  {} {}: {}\n", source.found ? "+" : "-", one_line(source.name), one_line(source.detail));
  for (const std::string& warning : timeline.warnings) fmt::format_to(out, "  ! {}\n", one_line(warning));
  return text;
}

}  // namespace sunup::timeline
