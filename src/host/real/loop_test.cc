#include "host/real/loop.h"

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "host/real/work.h"
#include "host/running.h"

namespace sunup::host::real {
namespace {

using namespace std::chrono_literals;

struct RealLoop : testing::Test {
  std::unique_ptr<Loop> owned = std::move(*Loop::open());
  Loop& loop = *owned;
};

Task<Result<int>> never(Loop& loop) {
  co_await loop.after(24h);
  co_return 1;
}
Task<Result<int>> answer_after(Loop& loop, Duration delay, int value) {
  co_await loop.after(delay);
  co_return value;
}

TEST_F(RealLoop, RunsPostedCallbacksInOrderAndIdleOnesLast) {
  std::vector<int> order;
  Slot<bool> idle(loop);
  loop.when_idle([&] {
    order.push_back(9);
    idle.set(true);
  });
  loop.post([&] {
    order.push_back(1);
    loop.post([&] { order.push_back(3); });
  });
  loop.post([&] { order.push_back(2); });
  auto until_idle = [&]() -> Task<void> { co_await idle; };
  loop.run(until_idle());
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3, 9}));
}

TEST_F(RealLoop, TimersFireInOrderOfTime) {
  std::vector<int> order;
  const TimePoint start = loop.now();
  loop.call_at(start + 2ms, [&] { order.push_back(2); });
  loop.call_at(start + 1ms, [&] { order.push_back(1); });
  const auto cancelled = loop.call_at(start + 1ms, [&] { order.push_back(99); });
  loop.cancel(cancelled);
  loop.run(loop.at(start + 3ms));
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
  EXPECT_GE(loop.now(), start + 3ms);
}

TEST_F(RealLoop, WithinGivesTheAnswerOrAnErrorThatNamesTheLimit) {
  Result<int> quick = loop.run(within(loop, 1h, answer_after(loop, 1ms, 5), "quick"));
  EXPECT_EQ(*quick, 5);
  Result<int> late = loop.run(within(loop, 5ms, never(loop), "slow thing"));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().what, "slow thing: no response within 5ms");
  EXPECT_EQ(late.error().os_errno, ETIMEDOUT);
}

TEST_F(RealLoop, FirstOfCancelsTheOther) {
  bool destroyed = false;
  struct Flag {
    bool* flag;
    ~Flag() { *flag = true; }
  };
  auto loser = [&](bool* flag) -> Task<int> {
    const Flag noted{flag};
    co_await loop.after(24h);
    co_return 1;
  };
  auto either = loop.run(first_of(loop, loser(&destroyed), loop.after(1ms)));
  EXPECT_EQ(either.index(), 1U);
  EXPECT_TRUE(destroyed);
}

TEST_F(RealLoop, AllRunsAtOnceAndReportsTheFirstErrorInOrder) {
  auto fails = [](Loop& l, Duration delay, std::string what) -> Task<Result<void>> {
    co_await l.after(delay);
    co_return Error(what);
  };
  auto works = [](Loop& l) -> Task<Result<void>> {
    co_await l.after(1ms);
    co_return Result<void>();
  };
  std::vector<Task<Result<void>>> good;
  for (int i = 0; i < 100; ++i) good.push_back(works(loop));
  EXPECT_TRUE(loop.run(all(loop, std::move(good))));
  std::vector<Task<Result<void>>> bad;
  bad.push_back(works(loop));
  bad.push_back(fails(loop, 2ms, "first"));
  bad.push_back(fails(loop, 1ms, "second"));
  EXPECT_EQ(loop.run(all(loop, std::move(bad))).error().what, "first");
}

TEST_F(RealLoop, CancelledRunningNeverCallsBack) {
  bool called = false;
  auto quick = [](Loop&) -> Task<void> { co_return; };
  {
    const Running running(loop, quick(loop), [&] { called = true; });
  }
  loop.run(loop.after(1ms));
  EXPECT_FALSE(called);
}

TEST_F(RealLoop, RunningMayDestroyItselfFromItsCallback) {
  std::optional<Running> running;
  Slot<bool> called(loop);
  auto quick = [](Loop& l) -> Task<void> { co_await l.after(1ms); };
  auto wait = [](Slot<bool> slot) -> Task<bool> { co_return co_await slot; };
  running.emplace(loop, quick(loop), [&] {
    running.reset();
    called.set(true);
  });
  EXPECT_TRUE(loop.run(wait(called)));
}

TEST_F(RealLoop, WaitsForDescriptors) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  loop.call_at(loop.now() + 2ms, [&] { ASSERT_EQ(::write(ends[1], "x", 1), 1); });
  EXPECT_TRUE(loop.run(fd_ready(loop, ends[0], EPOLLIN)));
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(RealLoop, OffloadRunsElsewhereAndAnswersHere) {
  Work work(loop);
  const auto here = std::this_thread::get_id();
  auto elsewhere = loop.run(offload(work, [] { return std::this_thread::get_id(); }));
  EXPECT_NE(elsewhere, here);
  // Several jobs run one after the other, in order, and each has its own result.
  auto sum = [&]() -> Task<int> {
    int total = 0;
    for (int i = 0; i < 100; ++i) {
      auto same = [i] { return i; };
      total += co_await offload(work, same);
    }
    co_return total;
  };
  EXPECT_EQ(loop.run(sum()), 4950);
}

TEST_F(RealLoop, CancellingOffloadedWorkLeavesItToItsOwn) {
  auto counted = std::make_shared<std::atomic<int>>(0);
  {
    Work work(loop);
    auto slow = [&]() -> Task<Result<int>> {
      auto count = [counted] {
        std::string text(1 << 20, 'x');
        for (int i = 0; i < 100; ++i) *counted += text[static_cast<size_t>(i)] == 'x';
        return 1;
      };
      co_return co_await offload(work, std::move(count));
    };
    (void)loop.run(within(loop, 0ms, slow(), "slow"));
  }
  EXPECT_TRUE(*counted == 100 || *counted == 0);
}

}  // namespace
}  // namespace sunup::host::real
