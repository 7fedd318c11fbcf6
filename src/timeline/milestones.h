// The milestones from power-on to NodeReady, the milestones that each of them follows, and what is waited for in
// between. The builder, the formats, budgets and docs/timeline.md use this table.
#pragma once

#include <span>
#include <string_view>

namespace sunup::timeline {

struct MilestoneRule {
  std::string_view id;     // stable: budgets and JSON use it
  std::string_view label;  // for display
  std::string_view after;  // ids that it follows, separated by blanks; it waited for the latest of them
  std::string_view waits;  // what is waited for after that
  std::string_view from;   // the source that contains it
};

// In the order of a normal boot.
std::span<const MilestoneRule> milestones();
const MilestoneRule* find_milestone(std::string_view id);

// "step:NAME:end", "script:NAME:end": the other moments that users can name.
bool is_step_end(std::string_view id);

// The milestone of a kubelet log line; empty if the line is not a milestone.
std::string_view kubelet_milestone(std::string_view message);

}  // namespace sunup::timeline
