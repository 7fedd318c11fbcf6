// Runs blocking work from a coroutine: the work runs on a thread pool, and the coroutine continues on its own thread.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace sunup::server {

namespace asio = boost::asio;

// Threads, and a limit on the work that is queued or running. Except for the work itself, it is used by one thread.
class WorkPool {
 public:
  WorkPool(size_t threads, size_t most) : threads_(threads), most_(most) {}

  // If true, no more work may be submitted.
  bool full() const { return working_ >= most_; }

  template <class Work>
  asio::awaitable<std::invoke_result_t<Work>> run(Work work) {
    using Value = std::invoke_result_t<Work>;
    ++working_;
    Value value = co_await asio::co_spawn(
        threads_, [work = std::move(work)]() mutable -> asio::awaitable<Value> { co_return work(); },
        asio::use_awaitable);
    --working_;
    co_return value;
  }

  // Queued work is dropped; running work is completed.
  void end() {
    threads_.stop();
    threads_.join();
  }

 private:
  asio::thread_pool threads_;
  const size_t most_;
  size_t working_ = 0;
};

// A cache of answers that are valid for some seconds. Concurrent requests for the same key share one question. Used by
// one thread.
template <class Answer>
class AnswerCache {
 public:
  using Clock = std::chrono::steady_clock;
  struct Kept {
    Answer answer;
    std::chrono::seconds valid;
  };

  // Returns `when_full` if the pool has no room for the question.
  asio::awaitable<Answer> ask(WorkPool& pool, const std::string& key, std::function<Kept()> question,
                              Answer when_full) {
    const auto found = entries_.find(key);
    if (found != entries_.end()) {
      const std::shared_ptr<Entry> entry = found->second;
      if (!entry->answer) {
        co_await entry->answered.async_wait(asio::as_tuple(asio::use_awaitable));
        co_return *entry->answer;
      }
      if (Clock::now() < entry->until) co_return *entry->answer;
    }
    if (pool.full()) co_return when_full;
    make_room();
    const auto entry = std::make_shared<Entry>(co_await asio::this_coro::executor);
    entries_[key] = entry;
    Kept kept = co_await pool.run(std::move(question));
    entry->answer = kept.answer;
    entry->until = Clock::now() + kept.valid;
    entry->answered.cancel();
    co_return kept.answer;
  }

 private:
  struct Entry {
    explicit Entry(const asio::any_io_executor& executor) : answered(executor, Clock::time_point::max()) {}
    std::optional<Answer> answer;
    Clock::time_point until{};
    asio::steady_timer answered;
  };

  void make_room() {
    constexpr size_t kMostEntries = 4096;
    if (entries_.size() < kMostEntries) return;
    std::erase_if(entries_, [now = Clock::now()](const auto& entry) {
      return entry.second->answer && entry.second->until <= now;
    });
    // If no entry has expired, all answers are dropped and must be requested again.
    if (entries_.size() >= kMostEntries)
      std::erase_if(entries_, [](const auto& e) { return e.second->answer.has_value(); });
  }

  std::unordered_map<std::string, std::shared_ptr<Entry>> entries_;
};

}  // namespace sunup::server
