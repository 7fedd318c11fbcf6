#include "host/running.h"

#include <fmt/format.h>

#include <cerrno>

namespace sunup::host {

struct Running::Drive {
  struct promise_type {  // NOLINT(readability-identifier-naming): the language's name
    Drive get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
};

Running::Drive Running::drive(Loop& loop, Task<void> task, std::shared_ptr<State> state) {
  co_await std::move(task);
  state->ended = true;
  // Posted to the loop, because `then` may destroy the Running and with it this frame.
  if (state->then)
    loop.post([state] {
      if (auto then = std::exchange(state->then, {})) then();
    });
}

Running::Running(Loop& loop, Task<void> task, std::function<void()> then) : state_(std::make_shared<State>()) {
  state_->then = std::move(then);
  auto driven = drive(loop, std::move(task), state_);
  state_->frame = driven.handle;
  driven.handle.resume();
}

Running& Running::operator=(Running&& other) noexcept {
  if (this != &other) {
    cancel();
    state_ = std::move(other.state_);
  }
  return *this;
}

void Running::cancel() {
  // The frame shares ownership of the state: move it out first, so that the state is not destroyed while it is in use.
  if (auto state = std::exchange(state_, nullptr)) {
    state->then = {};
    if (auto frame = std::exchange(state->frame, {})) frame.destroy();
  }
}

namespace {

std::string shown(Duration duration) {
  using namespace std::chrono;
  if (duration % seconds(1) == Duration::zero()) return fmt::format("{}s", duration_cast<seconds>(duration).count());
  if (duration > seconds(1)) return fmt::format("{:.1f}s", std::chrono::duration<double>(duration).count());
  return fmt::format("{:.3g}ms", std::chrono::duration<double, std::milli>(duration).count());
}

struct Joined {
  size_t left;
  Slot<bool> done;
};

Task<void> join(Task<Result<void>> task, std::optional<Error>* error, Joined* joined) {
  Result<void> result = co_await std::move(task);
  if (!result) error->emplace(std::move(result).error());
  if (--joined->left == 0) joined->done.set(true);
}

}  // namespace

Error running_detail::timed_out(const std::string& what, Duration limit) {
  Error late(fmt::format("{}: no response within {}", what, shown(limit)));
  late.os_errno = ETIMEDOUT;
  return late;
}

Task<Result<void>> all(Loop& loop, std::vector<Task<Result<void>>> tasks) {
  if (tasks.empty()) co_return Result<void>();
  Joined joined{tasks.size(), Slot<bool>(loop)};
  std::vector<std::optional<Error>> errors(tasks.size());
  std::vector<Running> running;
  running.reserve(tasks.size());
  for (size_t i = 0; i < tasks.size(); ++i) running.emplace_back(loop, join(std::move(tasks[i]), &errors[i], &joined));
  co_await joined.done;
  for (auto& error : errors)
    if (error) co_return std::move(*error);
  co_return Result<void>();
}

}  // namespace sunup::host
