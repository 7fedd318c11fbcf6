// Compares several runs of two or more variants, moment by moment: medians, spreads, changes, and whether a change is
// significant.
//
//   std::vector<Group> groups = {{"before", runs_a}, {"after", runs_b}};
//   std::string table = comparison_text(compare(groups));
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "timeline/model.h"

namespace sunup::timeline {

// The moments of a run: milestones, and the ends of completed steps.
struct Moment {
  std::string id;
  std::string label;
  double at = 0;                        // seconds since the zero
  std::vector<std::string> after = {};  // moments it waited for; empty: those in milestones.h
};
struct Run {
  std::string name;
  std::vector<Moment> moments;  // in time
  RunState state = RunState::kUnknown;

  // False for a run that failed or has not ended, because stopping early does not make it faster.
  bool comparable() const { return state == RunState::kSucceeded || state == RunState::kUnknown; }
};
Run run_of(std::string name, const Timeline& timeline);
// Reads the output of `--format json` with any zero; `zero` as for build().
Result<Run> run_of_json(std::string name, std::string_view text, const std::string& zero = "");

struct Group {
  std::string name;
  std::vector<Run> runs;
};

struct Figures {
  size_t runs = 0;  // comparable runs in which it happened
  double median = 0;
  double low = 0;  // the fastest and the slowest run
  double high = 0;
};
std::optional<Figures> figures_of(const Group& group, const std::string& id);

enum class Judgement {
  kFaster,
  kSlower,
  kNoise,    // the difference may be due to chance
  kTooFew,   // there are too few runs for a statement
  kOnlyOne,  // it happened in only one of the groups
};
std::string_view to_string(Judgement judgement);

struct Change {
  size_t group = 1;  // compared with group 0
  std::optional<Figures> figures = {};
  double by = 0;     // of the medians
  double own = 0;    // change of the median time since the moment it waited for (own_time.h)
  double p = 1;      // probability of chance; except for the goal, corrected for the number of moments
  double own_p = 1;  // the same for `own`, without correction
  Judgement judgement = Judgement::kNoise;
};

struct ComparedMoment {
  std::string id;
  std::string label;
  std::optional<Figures> base = {};
  std::vector<Change> changes = {};  // one for each further group
};

struct Comparison {
  std::vector<std::string> groups;
  std::vector<size_t> runs;
  std::vector<size_t> failed;           // of these
  std::vector<size_t> unfinished;       // of these
  std::vector<ComparedMoment> moments;  // in the order of the first group's medians
  std::vector<std::string> goals;     // the goal of each further group: NodeReady, or the last moment that both reached
  std::vector<std::string> verdicts;  // one line for each further group
};
Comparison compare(const std::vector<Group>& groups);

std::string comparison_text(const Comparison& comparison);
std::string comparison_json(const Comparison& comparison);

}  // namespace sunup::timeline
