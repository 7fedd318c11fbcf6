// The steps that are ready, and when each starts: the most urgent first, and never so many at once that the machine is
// not heard. What the milestone waits for starts at the next turn of the loop; the rest when the loop is idle, deferred
// steps last and only after they were let.
//
//   ReadySteps ready(loop, graph, profile, [this](size_t step) { start(step); });
//   ready.add(step);  // it is started from the top of the loop
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
  // Loop and graph must outlive it.
  ReadySteps(host::Loop& loop, const Graph& graph, const Profile& profile, std::function<void(size_t step)> start);
  ReadySteps(const ReadySteps&) = delete;

  void add(size_t step);
  void let_deferred_start();
  void stop() { stopped_ = true; }  // nothing starts any more

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
  std::shared_ptr<ReadySteps*> self_ = std::make_shared<ReadySteps*>(this);  // for callbacks that may come after us
};

}  // namespace sunup::engine
