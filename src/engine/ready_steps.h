// The steps that are ready, and when each of them starts. The most urgent step starts first, and only one step starts
// per turn of the loop, so that events are still handled. Steps that the milestone waits for start at the next turn of
// the loop; the others start when the loop is idle, deferred steps last and only after let_deferred_start().
//
//   ReadySteps ready(loop, graph, profile, [this](size_t step) { start(step); });
//   ready.add(step);  // it starts from the top of the loop
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "engine/graph.h"
#include "engine/profile.h"
#include "host/loop.h"

namespace sunup::engine {

class ReadySteps {
 public:
  // The loop and the graph must outlive this object.
  ReadySteps(host::Loop& loop, const Graph& graph, const Profile& profile, std::function<void(size_t step)> start);
  ReadySteps(const ReadySteps&) = delete;

  void add(size_t step);
  void let_deferred_start();
  void stop() { stopped_ = true; }  // no further step starts

 private:
  struct ByUrgency {
    const std::vector<size_t>& priority;
    bool operator()(size_t a, size_t b) const { return priority[a] < priority[b]; }
  };
  using Queue = std::set<size_t, ByUrgency>;

  void start_first_of(Queue& queue);
  void start_critical();
  void start_critical_soon();
  void start_others();
  void start_others_when_idle();

  host::Loop& loop_;
  const Graph& graph_;
  const std::function<void(size_t step)> start_;
  const std::vector<size_t> priority_;
  Queue critical_;  // the milestone waits for it
  Queue patient_;   // only the end of the run waits for it
  Queue deferred_;  // once the milestone is reached
  bool critical_posted_ = false;
  bool others_posted_ = false;
  bool deferred_may_start_ = false;
  bool stopped_ = false;
  // For callbacks that may run after the destructor.
  std::shared_ptr<ReadySteps*> self_ = std::make_shared<ReadySteps*>(this);
};

}  // namespace sunup::engine
