// Task<T>: a coroutine that starts when it is awaited and returns a T.
//
//   Task<Result<void>> start_runtime(Host& host) {
//     Result<void> started = co_await host.units.start("containerd.service");
//     if (!started) co_return std::move(started).error().in("container runtime");
//     co_return co_await host.watch.socket_accepts("/run/containerd/containerd.sock");
//   }
//
// Rules
// - Lazy: nothing runs until the task is awaited (or started with Running, see running.h).
// - Destroying a task cancels it. Everything that it waits for is released by destructors: timers are dropped, watches
//   removed, children killed. A body therefore needs no code for cancellation; clean-up belongs into destructors.
// - A coroutine is resumed only by the loop (loop.h), never from the middle of another one's stack.
// - An exception that escapes a body that returns a Result becomes its Error; from any other body it ends the program.
// - A chain of awaits that never suspend does not grow the stack, at any optimization level.
//
// Pitfalls
// - Parameters of a coroutine are taken by value: a reference or string_view may be invalid when the body runs.
//   References to the host are the exception, because it outlives every task.
// - A lambda that is a coroutine must outlive its task: its captures live in the lambda, not in the task's frame. The
//   graph keeps the bodies of steps. Elsewhere pass what the body needs as parameters.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/result.h"

namespace sunup::host {

template <class T>
class Task;

namespace task_detail {

template <class T>
inline constexpr bool kIsResult = false;
template <class T>
inline constexpr bool kIsResult<Result<T>> = true;

// The Error with which a body ends if an exception escapes it.
Error error_of(std::exception_ptr thrown);

struct PromiseBase {
  std::coroutine_handle<> awaiting;
  bool in_first_run = false;  // the awaiting coroutine is still on the stack, below this one

  struct FinalAwaiter {
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> self) noexcept {
      const PromiseBase& promise = self.promise();
      // The task ended without suspending. The awaiting coroutine detects this and continues. Resuming it from here
      // would nest it on its own stack, and compilers make the tail calls that would avoid this only when optimizing.
      if (promise.in_first_run || !promise.awaiting) return std::noop_coroutine();
      return promise.awaiting;
    }
    void await_resume() const noexcept {}
  };
  std::suspend_always initial_suspend() noexcept { return {}; }
  FinalAwaiter final_suspend() noexcept { return {}; }
};

template <class T>
struct Promise : PromiseBase {
  std::optional<T> value;
  Task<T> get_return_object();
  template <class U>
  void return_value(U&& from) {
    value.emplace(std::forward<U>(from));
  }
  void unhandled_exception() {
    if constexpr (kIsResult<T>)
      value.emplace(error_of(std::current_exception()));
    else
      std::terminate();
  }
};

template <>
struct Promise<void> : PromiseBase {
  Task<void> get_return_object();
  void return_void() {}
  void unhandled_exception() { std::terminate(); }
};

}  // namespace task_detail

template <class T = void>
class [[nodiscard]] Task {
 public:
  using promise_type = task_detail::Promise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  Task() = default;
  explicit Task(Handle handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      if (handle_) handle_.destroy();
      handle_ = std::exchange(other.handle_, {});
    }
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }

  explicit operator bool() const { return static_cast<bool>(handle_); }

  struct Awaiter {
    Handle handle;
    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> awaiting) noexcept {
      promise_type& promise = handle.promise();
      promise.awaiting = awaiting;
      promise.in_first_run = true;
      handle.resume();
      promise.in_first_run = false;
      return !handle.done();
    }
    T await_resume() {
      if constexpr (!std::is_void_v<T>) return std::move(*handle.promise().value);
    }
  };
  // A task can be awaited only once, because its value is moved out.
  Awaiter operator co_await() && noexcept { return Awaiter{handle_}; }

 private:
  Handle handle_;
};

template <class T>
Task<T> task_detail::Promise<T>::get_return_object() {
  return Task<T>(std::coroutine_handle<Promise<T>>::from_promise(*this));
}
inline Task<void> task_detail::Promise<void>::get_return_object() {
  return Task<void>(std::coroutine_handle<Promise<void>>::from_promise(*this));
}

// A task that is already complete, for interfaces whose result needs no waiting.
template <class T>
Task<T> ready(T value) {
  co_return value;
}

}  // namespace sunup::host
