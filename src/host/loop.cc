#include "host/loop.h"

namespace sunup::host {
namespace {

// Removes the timer when the waiting task is destroyed.
struct Timer {
  Loop& loop;
  Loop::TimerId id;
  ~Timer() { loop.cancel(id); }
};

}  // namespace

Task<void> Loop::at(TimePoint when) {
  Slot<bool> due(*this);
  const Timer timer{*this, call_at(when, [due] { due.set(true); })};
  co_await due;
}

Task<void> Loop::after(Duration duration) {
  const TimePoint when = now() + duration;
  co_await at(when);
}

}  // namespace sunup::host
