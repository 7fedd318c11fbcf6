#include <algorithm>

#include "base/text.h"
#include "timeline/draft.h"
#include "timeline/milestones.h"

namespace sunup::timeline {
namespace {

bool found(const Draft& draft, std::string_view source) {
  return std::ranges::any_of(draft.timeline.sources,
                             [source](const SourceNote& note) { return note.name == source && note.found; });
}

std::string why_missing(const Draft& draft, const MilestoneRule& rule) {
  std::string absent;
  bool any = false;
  std::string_view rest = rule.from;
  while (!rest.empty()) {
    const size_t comma = rest.find(", ");
    const std::string_view source = rest.substr(0, comma);
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 2);
    any |= found(draft, source);
    if (!found(draft, source)) absent += (absent.empty() ? "" : " and ") + std::string(source);
  }
  if (any && draft.timeline.state == RunState::kDryRun) return "there was only a dry run";
  if (any && draft.timeline.state == RunState::kRunning) return "has not happened yet";
  if (any) return "no source mentions it" + (absent.empty() ? std::string() : " (" + absent + " not available)");
  return absent + " not available";
}

}  // namespace

void add_waits(Draft& draft) {
  for (const MilestoneRule& rule : milestones()) {
    std::string_view rest = rule.after;
    while (!rest.empty()) {
      draft.timeline.add_wait(take_until(rest, ' '), rule.id, std::string(rule.waits));
    }
  }
}

void name_missing(Draft& draft) {
  Timeline& timeline = draft.timeline;
  for (const MilestoneRule& rule : milestones()) {
    if (timeline.find(rule.id)) continue;
    if (rule.id.starts_with("cse.") && timeline.mode == "native") continue;  // no script is started
    if (rule.id == "pod.running") continue;                                  // a node without pods is complete
    timeline.missing.push_back({std::string(rule.label), why_missing(draft, rule)});
  }
}

}  // namespace sunup::timeline
