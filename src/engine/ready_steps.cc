#include "engine/ready_steps.h"

#include <utility>

namespace sunup::engine {

ReadySteps::ReadySteps(host::Loop& loop, const Graph& graph, const Profile& profile,
                       std::function<void(size_t step)> start)
    : loop_(loop),
      graph_(graph),
      start_(std::move(start)),
      priority_(graph.priorities(profile)),
      critical_(ByUrgency{priority_}),
      patient_(ByUrgency{priority_}),
      deferred_(ByUrgency{priority_}) {}

void ReadySteps::add(size_t step) {
  switch (graph_.rank(step)) {
    case Rank::kCritical:
      critical_.insert(step);
      start_critical_soon();
      break;
    case Rank::kCompletion:
      patient_.insert(step);
      start_others_when_idle();
      break;
    case Rank::kDeferred:
      deferred_.insert(step);
      if (deferred_may_start_) start_others_when_idle();
      break;
  }
}

void ReadySteps::let_deferred_start() {
  if (std::exchange(deferred_may_start_, true)) return;
  if (!deferred_.empty()) start_others_when_idle();
}

void ReadySteps::start_first_of(Queue& queue) {
  const size_t next = *queue.begin();
  queue.erase(queue.begin());
  start_(next);
}

// Starts one step per turn of the loop, so that events of the machine are handled between two starts. Otherwise an
// event for a more urgent step would wait for the first file writes of all other steps.
void ReadySteps::start_critical_soon() {
  if (std::exchange(critical_posted_, true)) return;
  loop_.post([self = std::weak_ptr<ReadySteps*>(self_)] {
    if (const auto ready = self.lock()) (*ready)->start_critical();
  });
}

void ReadySteps::start_critical() {
  critical_posted_ = false;
  if (critical_.empty() || stopped_) return;
  start_first_of(critical_);
  if (!critical_.empty()) start_critical_soon();
}

void ReadySteps::start_others_when_idle() {
  if (std::exchange(others_posted_, true)) return;
  loop_.when_idle([self = std::weak_ptr<ReadySteps*>(self_)] {
    if (const auto ready = self.lock()) (*ready)->start_others();
  });
}

void ReadySteps::start_others() {
  others_posted_ = false;
  Queue& queue = !patient_.empty() ? patient_ : deferred_;
  if (stopped_ || queue.empty() || (&queue == &deferred_ && !deferred_may_start_)) return;
  start_first_of(queue);
  if (!patient_.empty() || (deferred_may_start_ && !deferred_.empty())) start_others_when_idle();
}

}  // namespace sunup::engine
