#include "server/asking.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <future>
#include <stdexcept>
#include <vector>

namespace sunup::server {
namespace {

using Clock = WorkPool::Clock;
using Cache = AnswerCache<int>;
using std::chrono::seconds;

constexpr Clock::time_point kNever = Clock::time_point::max();
constexpr int kFailed = -1;

class Asking : public ::testing::Test {
 protected:
  // Runs coroutines until all of them have ended.
  template <class... Coroutine>
  void run(Coroutine... coroutines) {
    (asio::co_spawn(io_, std::move(coroutines), asio::detached), ...);
    io_.restart();
    io_.run();
  }

  asio::awaitable<int> ask(std::string key, std::function<Cache::Kept()> question,
                           Clock::time_point deadline = kNever) {
    co_return co_await cache_.ask(pool_, key, std::move(question), kFailed, deadline);
  }

  asio::io_context io_{1};
  WorkPool pool_{1, 2};
  Cache cache_;
};

TEST_F(Asking, AnExceptionOfTheWorkReachesTheCallerAndFreesItsPlace) {
  int caught = 0;
  run([&]() -> asio::awaitable<void> {
    for (int i = 0; i < 5; ++i) {
      EXPECT_FALSE(pool_.full());
      try {
        co_await pool_.run([]() -> int { throw std::bad_alloc(); }, kNever);
      } catch (const std::bad_alloc&) {
        ++caught;
      }
    }
  });
  EXPECT_EQ(caught, 5);
}

TEST_F(Asking, WorkThatNoThreadHasBegunAtTheDeadlineIsDropped) {
  std::promise<void> begun, release;
  bool dropped = false, ran = false, full = false;
  run(
      [&]() -> asio::awaitable<void> {
        co_await pool_.run(
            [&] {
              begun.set_value(), release.get_future().wait();
              return 1;
            },
            kNever);
      },
      [&]() -> asio::awaitable<void> {
        begun.get_future().wait();
        const auto value = co_await pool_.run([&] { return ran = true; }, Clock::now());
        dropped = !value.has_value();
        full = pool_.full();  // its place is taken until a thread has seen that it is dropped
        release.set_value();
      });
  EXPECT_TRUE(dropped);
  EXPECT_TRUE(full);
  EXPECT_FALSE(ran);
  pool_.end();
  EXPECT_FALSE(ran);
}

TEST_F(Asking, WorkThatHasBegunIsWaitedFor) {
  std::promise<void> begun, release;
  std::optional<int> value;
  run(
      [&]() -> asio::awaitable<void> {
        value = co_await pool_.run(
            [&] {
              begun.set_value(), release.get_future().wait();
              return 7;
            },
            Clock::now() + std::chrono::milliseconds(1));
      },
      [&]() -> asio::awaitable<void> {
        begun.get_future().wait();
        asio::steady_timer later(io_, Clock::now() + std::chrono::milliseconds(20));
        co_await later.async_wait(asio::use_awaitable);
        EXPECT_FALSE(value);
        release.set_value();
      });
  EXPECT_EQ(value, 7);
}

TEST_F(Asking, AQuestionThatThrowsIsAskedAgain) {
  std::vector<int> answers;
  for (int i = 0; i < 2; ++i) {
    const auto caller = [&]() -> asio::awaitable<void> {
      answers.push_back(co_await ask("k", []() -> Cache::Kept { throw std::bad_alloc(); }));
    };
    run(caller, caller);
  }
  run([&]() -> asio::awaitable<void> {
    answers.push_back(co_await ask("k", [] { return Cache::Kept{5, seconds(60)}; }));
  });
  EXPECT_EQ(answers, (std::vector<int>{kFailed, kFailed, kFailed, kFailed, 5}));
}

TEST_F(Asking, ACallerLeavesAtItsDeadlineAndTheAnswerIsForTheOthers) {
  std::promise<void> release;
  std::vector<int> answers;
  const auto question = [&] {
    release.get_future().wait();
    return Cache::Kept{5, seconds(60)};
  };
  run([&]() -> asio::awaitable<void> { answers.push_back(co_await ask("k", question)); },
      [&]() -> asio::awaitable<void> {
        answers.push_back(co_await ask("k", question, Clock::now()));
        release.set_value();
      });
  EXPECT_EQ(answers, (std::vector<int>{kFailed, 5}));
}

TEST_F(Asking, AnswersThatAnyoneCanCauseDisplaceNoOthers) {
  int asked = 0, answer = 0;
  const auto good = [&] { return ++asked, Cache::Kept{5, seconds(3600), true}; };
  run([&]() -> asio::awaitable<void> {
    co_await ask("good", good);
    for (size_t i = 0; i < 2 * Cache::kMostEntries; ++i)
      co_await ask("junk" + std::to_string(i), [] { return Cache::Kept{0, seconds(3600)}; });
    answer = co_await ask("good", good);
  });
  EXPECT_EQ(answer, 5);
  EXPECT_EQ(asked, 1);
}

TEST_F(Asking, APositiveAnswerIsRememberedUntilTheNextOne) {
  std::vector<bool> known;
  const auto note = [&] { known.push_back(cache_.was_positive("k")); };
  run([&]() -> asio::awaitable<void> {
    note();
    co_await ask("k", [&] { return Cache::Kept{5, seconds(0), true}; });
    note();
    // It is no longer valid, but others do not displace it, and a question that fails does not change it.
    for (size_t i = 0; i < 2 * Cache::kMostEntries; ++i)
      co_await ask("junk" + std::to_string(i), [] { return Cache::Kept{0, seconds(3600)}; });
    note();
    co_await ask("k", [&] {
      note();
      return Cache::Kept{kFailed, seconds(0), std::nullopt};
    });
    co_await ask("k", []() -> Cache::Kept { throw std::bad_alloc(); });
    note();
    co_await ask("k", [&] { return Cache::Kept{0, seconds(3600)}; });
    note();
  });
  EXPECT_EQ(known, (std::vector<bool>{false, true, true, true, true, false}));
}

}  // namespace
}  // namespace sunup::server
