#include "host/sim/loop.h"

namespace sunup::host::sim {

Loop::TimerId Loop::call_at(TimePoint when, Callback callback) {
  const TimerId id = next_id_++;
  timers_.emplace(std::pair{when, id}, std::move(callback));
  timer_times_.emplace(id, when);
  return id;
}

void Loop::cancel(TimerId timer) {
  if (const auto found = timer_times_.find(timer); found != timer_times_.end()) {
    timers_.erase({found->second, timer});
    timer_times_.erase(found);
  }
}

bool Loop::turn() {
  if (!posted_.empty()) {
    const Callback next = std::move(posted_.front());
    posted_.pop_front();
    next();
    return true;
  }
  if (!timers_.empty() && timers_.begin()->first.first <= now_) {
    auto due = timers_.extract(timers_.begin());
    timer_times_.erase(due.key().second);
    due.mapped()();
    return true;
  }
  if (!idle_.empty()) {
    const Callback next = std::move(idle_.front());
    idle_.pop_front();
    next();
    return true;
  }
  if (timers_.empty()) return false;
  now_ = timers_.begin()->first.first;
  return true;
}

}  // namespace sunup::host::sim
