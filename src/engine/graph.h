// The graph of steps: which step comes before which, checked before anything runs.
//
//   Result<Graph> graph = Graph::make(std::move(steps), "kubelet.started");
//   if (!graph) return graph.error();      // all problems, one per line
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/profile.h"
#include "engine/step.h"

namespace sunup::engine {

// What waits for a step. kCritical: the milestone. kCompletion: the end of the run. kDeferred: nothing.
enum class Rank { kCritical, kCompletion, kDeferred };
std::string_view to_string(Rank rank);

class Graph {
 public:
  // `milestone` is provided by one of the steps. If it is empty, there is no milestone and all steps are equally
  // urgent. `involved` gets the names of the steps that an error is about.
  static Result<Graph> make(std::vector<Step> steps, std::string milestone, std::set<std::string>* involved = nullptr);

  const std::vector<Step>& steps() const { return steps_; }
  const std::string& milestone() const { return milestone_; }
  size_t size() const { return steps_.size(); }

  struct Edge {
    size_t step;
    bool needed;  // false: only ordered before, its failure does not matter
  };
  const std::vector<Edge>& before(size_t step) const { return before_[step]; }
  const std::vector<size_t>& followers(size_t step) const { return followers_[step]; }
  Rank rank(size_t step) const { return ranks_[step]; }
  bool deferred(size_t step) const { return rank(step) == Rank::kDeferred; }
  // Each step after its predecessors; ties in the order of declaration.
  const std::vector<size_t>& order() const { return order_; }
  size_t milestone_step() const { return milestone_step_; }  // size() if there is none

  // The position of each step in the order of urgency: the longest remaining path to the milestone first, then to the
  // end, then in the order of declaration.
  std::vector<size_t> priorities(const Profile& profile) const;
  // The chain of steps that determines when the milestone (or, without one, the end) is reached.
  std::vector<size_t> critical_path(const Profile& profile) const;

 private:
  struct Remaining {
    Duration to_milestone = Duration(-1);  // -1: no path leads there
    Duration to_end = Duration::zero();
  };
  struct Problems;
  std::vector<Remaining> remaining(const Profile& profile) const;
  void link(Problems* problems);
  void sort(Problems* problems);
  void rank_steps();
  void check_ranks(Problems* problems) const;
  void order_resources(Problems* problems);
  void add_order(size_t first, size_t second);

  std::vector<Step> steps_;
  std::string milestone_;
  size_t milestone_step_ = 0;
  std::vector<std::vector<Edge>> before_;
  std::vector<std::vector<size_t>> followers_;
  std::vector<size_t> order_;
  std::vector<Rank> ranks_;
};

}  // namespace sunup::engine
