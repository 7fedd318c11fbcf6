// Before and after: several runs of each of two or more variants, moment by moment. Medians and spreads, what moved,
// and whether that could be chance.
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

// The moments of one run: milestones, and the ends of steps that were done.
struct Moment {
  std::string id;
  std::string label;
  double at = 0;                        // seconds since the zero
  std::vector<std::string> after = {};  // moments it waited for; empty: those that milestones.h names
};
struct Run {
  std::string name;
  std::vector<Moment> moments;  // in time
  RunState state = RunState::kUnknown;

  // A run that failed or has no end yet is not faster for it.
  bool comparable() const { return state == RunState::kSucceeded || state == RunState::kUnknown; }
};
Run run_of(std::string name, const Timeline& timeline);
// What `--format json` printed, whatever its zero was: `zero` as for build().
Result<Run> run_of_json(std::string name, std::string_view text, const std::string& zero = "");

struct Group {
  std::string name;
  std::vector<Run> runs;
};

struct Figures {
  size_t runs = 0;  // in which it happened, of those that can be compared
  double median = 0;
  double low = 0;  // the fastest and the slowest run
  double high = 0;
};
std::optional<Figures> figures_of(const Group& group, const std::string& id);

enum class Judgement {
  kFaster,
  kSlower,
  kNoise,    // such a difference would be seen by chance
  kTooFew,   // with so few runs nothing could be said
  kOnlyOne,  // it happened in one of the groups only
};
std::string_view to_string(Judgement judgement);

struct Change {
  size_t group = 1;  // compared with group 0
  std::optional<Figures> figures = {};
  double by = 0;     // of the medians
  double own = 0;    // of the medians of the time since what it waited for (own_time.h)
  double p = 1;      // how often chance alone would do that; but for the goal's, corrected for the number of moments
  double own_p = 1;  // the same of `own`, by itself
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
  std::vector<std::string> goals;     // of each further group, what it is judged by: NodeReady, or as far as both came
  std::vector<std::string> verdicts;  // one line for each further group
};
Comparison compare(const std::vector<Group>& groups);

std::string comparison_text(const Comparison& comparison);
std::string comparison_json(const Comparison& comparison);

}  // namespace sunup::timeline
