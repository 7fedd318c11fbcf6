#include "timeline/summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "timeline/build.h"
#include "timeline/formats.h"
#include "timeline/milestones.h"

namespace sunup::timeline {
namespace {

bool is_ours(const Span& span) {
  return (span.kind == SpanKind::kStep || span.kind == SpanKind::kScript) && span.state != SpanState::kSkipped;
}

bool brings(const Span& span, std::string_view milestone) {
  return span.name == milestone || std::ranges::find(span.provides, milestone) != span.provides.end();
}

// The time when the milestone was reached: from systemd or the journal, otherwise from the step that provides it.
std::optional<Nanos> reached(const Timeline& timeline, std::string_view milestone) {
  if (const auto point = timeline.find(milestone)) return timeline.points[*point].at;
  for (const Span& span : timeline.spans)
    if (span.state == SpanState::kDone && !span.left_alone && brings(span, milestone)) return timeline.end_of(span);
  return std::nullopt;
}

// --root: no unit is started.
bool left_alone(const Timeline& timeline) {
  return std::ranges::any_of(timeline.spans, &Span::left_alone);
}

// Only a record with a plan shows that a unit was never started.
bool planned(const Timeline& timeline) {
  return std::ranges::any_of(timeline.spans, [](const Span& span) { return span.kind == SpanKind::kStep; });
}

std::string longest(const Timeline& timeline) {
  constexpr size_t kShown = 2;
  constexpr Nanos kWorthIt = kSecond / 10;
  const auto took = [&timeline](const Span* span) { return timeline.end_of(*span) - timeline.start_of(*span); };
  std::vector<const Span*> spans;
  for (const Span& span : timeline.spans)
    if (is_ours(span) && span.depth == 0 && took(&span) >= kWorthIt) spans.push_back(&span);
  std::ranges::stable_sort(spans, std::ranges::greater(), took);
  if (spans.size() > kShown) spans.resize(kShown);
  std::string text;
  for (const Span* span : spans) {
    text += fmt::format("{}{} {}", text.empty() ? "; longest: " : ", ", span->name,
                        short_duration(static_cast<double>(took(span)) / 1e9));
    if (!span->retries.empty()) text += fmt::format(" ({} attempts)", span->retries.size() + 1);
  }
  return text;
}

std::string line_of(const Timeline& timeline) {
  std::vector<std::string> parts;
  const auto add = [&](std::string_view name, Nanos at) {
    parts.push_back(fmt::format("{} {}", name, signed_seconds(timeline.seconds(at))));
  };
  if (const auto at = reached(timeline, "containerd.ready"))
    add("containerd ready", *at);
  else if (left_alone(timeline))
    parts.emplace_back("containerd left alone");
  else if (planned(timeline))
    parts.emplace_back("containerd never ready");
  if (const auto at = reached(timeline, "kubelet.started"))
    add("kubelet started", *at);
  else if (left_alone(timeline))
    parts.emplace_back("kubelet left alone");
  else if (planned(timeline))
    parts.emplace_back("kubelet never started");
  if (const auto at = reached(timeline, "node.ready")) add("NodeReady", *at);
  std::optional<Nanos> end;
  for (const Span& span : timeline.spans)
    if (is_ours(span)) end = std::max(end.value_or(timeline.end_of(span)), timeline.end_of(span));
  if (const auto complete = timeline.find("provision.complete")) end = timeline.points[*complete].at;
  if (end) add("ended", *end);
  return fmt::format("{}{}", fmt::join(parts, ", "), longest(timeline));
}

std::vector<std::pair<std::string, double>> milestones_of(const Timeline& timeline) {
  std::vector<std::pair<std::string, double>> found;
  for (const MilestoneRule& rule : milestones())
    if (const auto at = reached(timeline, rule.id)) found.emplace_back(rule.id, timeline.seconds(*at));
  std::ranges::stable_sort(found, {}, [](const auto& one) { return one.second; });
  return found;
}

}  // namespace

Summary summary(const Timeline& timeline) {
  return {.line = line_of(timeline), .milestones = milestones_of(timeline)};
}

Summary summary_of(const Sources& sources) {
  const auto timeline = build(sources);
  return timeline ? summary(*timeline) : Summary();
}

}  // namespace sunup::timeline
