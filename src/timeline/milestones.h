// The named moments of the way from power-on to NodeReady, which moments each of them follows, and what is being
// waited for in between. One table: the builder, the formats, budgets and docs/timeline.md go by it.
#pragma once

#include <span>
#include <string_view>

namespace sunup::timeline {

struct MilestoneRule {
  std::string_view id;     // stable: budgets and JSON use it
  std::string_view label;  // for people, as the tables of timings have it
  std::string_view after;  // ids it follows, separated by blanks: the latest of them is what it waited for
  std::string_view waits;  // for what, after that
  std::string_view from;   // which source knows it
};

// In the order of a normal boot.
std::span<const MilestoneRule> milestones();
const MilestoneRule* find_milestone(std::string_view id);

// "step:NAME:end", "script:NAME:end": the only other moments that have a name people can use.
bool is_step_end(std::string_view id);

// A kubelet log line that is a milestone; empty: it is none.
std::string_view kubelet_milestone(std::string_view message);

}  // namespace sunup::timeline
