#include "timeline/model.h"

namespace sunup::timeline {

std::string_view to_string(SpanKind kind) {
  switch (kind) {
    case SpanKind::kStage:
      return "stage";
    case SpanKind::kUnit:
      return "unit";
    case SpanKind::kStep:
      return "step";
    case SpanKind::kScript:
      return "script";
  }
  return "";
}

std::string_view to_string(SpanState state) {
  switch (state) {
    case SpanState::kDone:
      return "done";
    case SpanState::kFailed:
      return "failed";
    case SpanState::kRunning:
      return "running";
    case SpanState::kSkipped:
      return "skipped";
    case SpanState::kCancelled:
      return "cancelled";
  }
  return "";
}

std::string_view to_string(RunState state) {
  switch (state) {
    case RunState::kUnknown:
      return "unknown";
    case RunState::kRunning:
      return "running";
    case RunState::kSucceeded:
      return "succeeded";
    case RunState::kFailed:
      return "failed";
    case RunState::kCutOff:
      return "cut off";
    case RunState::kDryRun:
      return "dry run";
  }
  return "";
}

size_t Timeline::add_point(Point point) {
  const auto [known, is_new] = by_id_.try_emplace(point.id, points.size());
  if (is_new) points.push_back(std::move(point));
  return known->second;
}

std::optional<size_t> Timeline::find(std::string_view id) const {
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return std::nullopt;
  return found->second;
}

size_t Timeline::add_span(Span span, Point start, Point end) {
  span.start = add_point(std::move(start));
  span.end = add_point(std::move(end));
  if (!points[span.start].span) points[span.start].span = spans.size();
  if (!points[span.end].span) points[span.end].span = spans.size();
  spans.push_back(std::move(span));
  return spans.size() - 1;
}

void Timeline::add_wait(std::string_view from, std::string_view to, std::string what) {
  const auto first = find(from);
  const auto second = find(to);
  if (first && second && *first != *second) waits.push_back({*first, *second, std::move(what)});
}

}  // namespace sunup::timeline
