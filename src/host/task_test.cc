#include "host/task.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace sunup::host {
namespace {

// Starts a task that does not need a loop.
struct Runner {
  struct promise_type {
    Runner get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
};
template <class T>
Runner drive(Task<T> task, std::optional<T>* into) {
  into->emplace(co_await std::move(task));
}
template <class T>
std::optional<T> run(Task<T> task) {
  std::optional<T> value;
  Runner runner = drive(std::move(task), &value);
  runner.handle.destroy();
  return value;
}

// Suspends until resume() is called. Records its destruction.
struct Pause {
  std::coroutine_handle<>* waiter;
  explicit Pause(std::coroutine_handle<>* w) : waiter(w) {}
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> handle) { *waiter = handle; }
  void await_resume() const {}
};
struct Noted {
  std::vector<std::string>* log;
  std::string name;
  ~Noted() { log->push_back(name); }
};

Task<int> number(int value) {
  co_return value;
}
Task<std::string> echo(std::string text) {
  co_return text;
}
Task<Result<std::string>> checked(std::string text) {
  if (text.empty()) co_return Error("empty");
  co_return text;
}
Task<Result<int>> length_of(std::string text) {
  Result<std::string> result = co_await checked(text);
  if (!result) co_return std::move(result).error().in("length");
  co_return static_cast<int>(result->size());
}

TEST(Task, DoesNothingUntilItIsAwaited) {
  bool ran = false;
  auto body = [&]() -> Task<int> {
    ran = true;
    co_return 1;
  };
  {
    Task<int> never = body();
  }
  EXPECT_FALSE(ran);
  EXPECT_EQ(run(body()), 1);
  EXPECT_TRUE(ran);
}

TEST(Task, GivesBackValuesAndErrors) {
  EXPECT_EQ(run(echo("a string that is too long for the small buffer")),
            "a string that is too long for the small buffer");
  EXPECT_EQ(**run(length_of("four")), 4);
  EXPECT_EQ((*run(length_of(""))).error().what, "length: empty");
}

TEST(Task, CarriesMoveOnlyValues) {
  auto body = []() -> Task<std::unique_ptr<int>> { co_return std::make_unique<int>(7); };
  EXPECT_EQ(**run(body()), 7);
}

TEST(Task, TurnsAnEscapingExceptionIntoAnError) {
  auto body = []() -> Task<Result<int>> {
    throw std::runtime_error("boom");
    co_return 1;
  };
  EXPECT_EQ((*run(body())).error().what, "unexpected: boom");
}

TEST(Task, MillionAwaitsThatNeverSuspendDoNotGrowTheStack) {
  auto body = []() -> Task<int> {
    int sum = 0;
    for (int i = 0; i < 1'000'000; ++i) sum += co_await number(1);
    co_return sum;
  };
  EXPECT_EQ(run(body()), 1'000'000);
}

TEST(Task, ResumesItsAwaiterAfterSuspending) {
  std::coroutine_handle<> waiter;
  auto inner = [&]() -> Task<int> {
    co_await Pause(&waiter);
    co_return 3;
  };
  auto outer = [&]() -> Task<int> {
    int sum = 0;
    for (int i = 0; i < 3; ++i) sum += co_await inner();
    co_return sum;
  };
  std::optional<int> value;
  Runner runner = drive(outer(), &value);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(value);
    waiter.resume();
  }
  EXPECT_EQ(value, 9);
  runner.handle.destroy();
}

TEST(Task, DestroyingItUnwindsEverythingItWaitsFor) {
  std::coroutine_handle<> waiter;
  std::vector<std::string> log;
  auto inner = [&]() -> Task<int> {
    const Noted noted{&log, "inner"};
    co_await Pause(&waiter);
    co_return 3;
  };
  auto outer = [&]() -> Task<int> {
    const Noted noted{&log, "outer"};
    co_return co_await inner();
  };
  std::optional<int> value;
  Runner runner = drive(outer(), &value);
  EXPECT_TRUE(log.empty());
  runner.handle.destroy();
  EXPECT_EQ(log, (std::vector<std::string>{"inner", "outer"}));
  EXPECT_FALSE(value);
}

}  // namespace
}  // namespace sunup::host
