// The loop of the simulated machine: a queue with a virtual clock. Time passes only when nothing can run now.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "host/loop.h"
#include "host/running.h"

namespace sunup::host::sim {

enum class EndOfRun { kDone, kCrashed, kHung };

class Loop : public host::Loop {
 public:
  // A later boot has a later wall clock, so that no two boots give a file the same time of change.
  explicit Loop(Duration already_passed, uint64_t boot = 1)
      : now_(TimePoint(already_passed)),
        booted_(std::chrono::seconds(1'700'000'000) + std::chrono::hours(24) * (boot - 1)) {}

  TimePoint now() const override { return now_; }
  WallTime wall() const override { return WallTime(booted_ + now_.time_since_epoch()); }
  void post(Callback callback) override { posted_.push_back(std::move(callback)); }
  void when_idle(Callback callback) override { idle_.push_back(std::move(callback)); }
  TimerId call_at(TimePoint when, Callback callback) override;
  void cancel(TimerId timer) override;

  // After this call nothing runs: the process is dead. If a callback calls it, it takes effect when the callback
  // returns. The frames of its coroutines are destroyed with the task, on a machine that does nothing (see World).
  void crash() { crashed_ = true; }
  bool crashed() const { return crashed_; }

  // Runs the task until it ends, until a crash, or until nothing can wake it (or only after `patience`).
  template <class T>
  EndOfRun run(Task<T> task, std::optional<T>* result, Duration patience = std::chrono::hours(24)) {
    Slot<bool> done(*this);
    const Running running(*this, running_detail::store(std::move(task), result, done));
    const TimePoint too_late = now_ + patience;
    while (true) {
      if (crashed_) {
        result->reset();  // the result of a process that has crashed does not count
        return EndOfRun::kCrashed;
      }
      if (result->has_value()) return EndOfRun::kDone;
      if (!turn() || now_ > too_late) return EndOfRun::kHung;
    }
  }

 private:
  bool turn();  // false: nothing is left to run

  TimePoint now_;
  std::chrono::seconds booted_;  // wall clock at boot
  bool crashed_ = false;
  std::map<std::pair<TimePoint, TimerId>, Callback> timers_;
  std::unordered_map<TimerId, TimePoint> timer_times_;
  std::deque<Callback> posted_;
  std::deque<Callback> idle_;
  TimerId next_id_ = 1;
};

}  // namespace sunup::host::sim
