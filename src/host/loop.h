// The event loop and its clock. It has one thread, and every coroutine is resumed from it and nowhere else.
//
//   co_await loop.after(std::chrono::seconds(5));
//   Result<Exit> exit = co_await within(loop, std::chrono::seconds(30), processes.run(std::move(command)), "iptables");
#pragma once

#include <cassert>
#include <chrono>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "host/task.h"

namespace sunup::host {

using Duration = std::chrono::nanoseconds;
using TimePoint = std::chrono::time_point<std::chrono::steady_clock, Duration>;
using WallTime = std::chrono::time_point<std::chrono::system_clock, Duration>;

class Loop {
 public:
  using Callback = std::function<void()>;
  using TimerId = uint64_t;

  virtual ~Loop() = default;

  virtual TimePoint now() const = 0;  // monotonic; the same scale as systemd's *Monotonic timestamps
  virtual WallTime wall() const = 0;  // for people and other programs

  // Runs the callback soon, in the order of the calls, from the top of the loop.
  virtual void post(Callback callback) = 0;
  // Runs the callback when nothing else is ready: no posted callback, no due timer, no event of the machine. One
  // callback per turn, so that work without a waiter never delays work that has one.
  virtual void when_idle(Callback callback) = 0;

  virtual TimerId call_at(TimePoint when, Callback callback) = 0;
  virtual void cancel(TimerId timer) = 0;  // no error if it has fired

  Task<void> after(Duration duration);
  Task<void> at(TimePoint when);
};

// A value that a callback delivers to one waiting coroutine. Copies share it; only the first set() has an effect. It
// wakes the waiter through the loop; if the waiter no longer exists, nothing happens.
template <class T>
class Slot {
 public:
  explicit Slot(Loop& loop) : loop_(&loop), state_(std::make_shared<State>()) {}

  void set(T value) const {
    if (state_->value) return;
    state_->value.emplace(std::move(value));
    if (!state_->waiter) return;
    loop_->post([state = state_] {
      if (auto waiter = std::exchange(state->waiter, {})) waiter.resume();
    });
  }
  bool is_set() const { return state_->value.has_value(); }

  auto operator co_await() const { return Awaiter{state_}; }

 private:
  struct State {
    std::optional<T> value;
    std::coroutine_handle<> waiter;
  };
  struct Awaiter {
    std::shared_ptr<State> state;
    explicit Awaiter(std::shared_ptr<State> s) : state(std::move(s)) {}
    Awaiter(Awaiter&&) = default;
    ~Awaiter() {
      if (state) state->waiter = {};
    }
    bool await_ready() const { return state->value.has_value(); }
    void await_suspend(std::coroutine_handle<> waiter) {
      assert(!state->waiter && "a slot has one waiter");
      state->waiter = waiter;
    }
    T await_resume() { return std::move(*state->value); }
  };
  Loop* loop_;
  std::shared_ptr<State> state_;
};

}  // namespace sunup::host
