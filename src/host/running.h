// Concurrent tasks: start one and keep it (Running), the first of two (first_of), a time limit (within), all (all). A
// task that is no longer waited for is cancelled by being destroyed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "host/loop.h"
#include "host/task.h"

namespace sunup::host {

// A running task. Destroying the object cancels the task. `then` is called from the top of the loop when the task has
// ended, and never after the Running has been destroyed.
class Running {
 public:
  Running() = default;
  Running(Loop& loop, Task<void> task, std::function<void()> then = {});
  Running(Running&& other) noexcept : state_(std::move(other.state_)) {}
  Running& operator=(Running&& other) noexcept;
  ~Running() { cancel(); }

  bool under_way() const { return state_ != nullptr && !state_->ended; }
  void cancel();

 private:
  struct State {
    std::function<void()> then;
    std::coroutine_handle<> frame;
    bool ended = false;
  };
  struct Drive;
  static Drive drive(Loop& loop, Task<void> task, std::shared_ptr<State> state);

  std::shared_ptr<State> state_;
};

namespace running_detail {

template <class T>
Task<void> store(Task<T> task, std::optional<T>* into, Slot<bool> done) {
  into->emplace(co_await std::move(task));
  done.set(true);
}
inline Task<void> store(Task<void> task, std::optional<std::monostate>* into, Slot<bool> done) {
  co_await std::move(task);
  into->emplace();
  done.set(true);
}
template <class T>
using NotVoid = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

Error timed_out(const std::string& what, Duration limit);

}  // namespace running_detail

// Waits for the one that ends first and cancels the other. If both have ended, `a` counts. A void result becomes a
// monostate.
template <class A, class B>
Task<std::variant<running_detail::NotVoid<A>, running_detail::NotVoid<B>>> first_of(Loop& loop, Task<A> a, Task<B> b) {
  using Either = std::variant<running_detail::NotVoid<A>, running_detail::NotVoid<B>>;
  std::optional<running_detail::NotVoid<A>> from_a;
  std::optional<running_detail::NotVoid<B>> from_b;
  Slot<bool> done(loop);
  const Running run_a(loop, running_detail::store(std::move(a), &from_a, done));
  Running run_b;
  if (!from_a) run_b = Running(loop, running_detail::store(std::move(b), &from_b, done));
  co_await done;
  if (from_a) co_return Either(std::in_place_index<0>, std::move(*from_a));
  co_return Either(std::in_place_index<1>, std::move(*from_b));
}

// The result of the task, or an error with ETIMEDOUT ("<what>: no answer within 5s") after which the task is cancelled.
template <class T>
Task<Result<T>> within(Loop& loop, Duration limit, Task<Result<T>> task, std::string what) {
  auto either = co_await first_of(loop, std::move(task), loop.after(limit));
  if (either.index() == 0) co_return std::move(std::get<0>(either));
  co_return running_detail::timed_out(what, limit);
}

// Runs all tasks concurrently and waits for all of them. Returns the error of the first one (in the given order) that
// failed.
Task<Result<void>> all(Loop& loop, std::vector<Task<Result<void>>> tasks);

}  // namespace sunup::host
