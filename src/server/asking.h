// Runs blocking work from a coroutine: the work runs on a thread pool, and the coroutine continues on its own thread,
// at the latest when its deadline has passed and the work has not begun.
#pragma once

#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <exception>
#include <functional>
#include <list>
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
  using Clock = std::chrono::steady_clock;

  WorkPool(size_t threads, size_t most) : threads_(threads), most_(most) {}

  // If true, no more work may be submitted.
  bool full() const { return working_->load() >= most_; }

  // Work that no thread has begun at the deadline is dropped, and there is no result. Work that has begun is waited
  // for, so it may refer to variables of the caller. An exception of the work is thrown here.
  template <class Work>
  asio::awaitable<std::optional<std::invoke_result_t<Work&>>> run(Work work, Clock::time_point deadline) {
    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    const auto job = std::make_shared<Job<Work>>(executor, std::move(work), deadline, working_);
    asio::post(threads_, [job, executor] {
      if (job->taken.exchange(true)) return;
      try {
        job->value = (*job->work)();
      } catch (...) {
        job->failure = std::current_exception();
      }
      asio::post(executor, [job] {
        job->over = true;
        job->changed.cancel();
      });
    });
    co_await job->changed.async_wait(asio::as_tuple(asio::use_awaitable));
    if (!job->over && !job->taken.exchange(true)) {
      job->work.reset();
      co_return std::nullopt;
    }
    while (!job->over) {
      job->changed.expires_at(Clock::time_point::max());
      co_await job->changed.async_wait(asio::as_tuple(asio::use_awaitable));
    }
    if (job->failure) std::rethrow_exception(job->failure);
    co_return std::move(job->value);
  }

  // Queued work is dropped; running work is completed.
  void end() {
    threads_.stop();
    threads_.join();
  }

 private:
  using Count = std::shared_ptr<std::atomic<size_t>>;

  template <class Work>
  struct Job {
    Job(const asio::any_io_executor& executor, Work given, Clock::time_point deadline, Count count)
        : work(std::move(given)), changed(executor, deadline), working(std::move(count)) {
      ++*working;
    }
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;
    ~Job() { --*working; }

    std::optional<Work> work;
    std::atomic<bool> taken = false;  // by the thread that runs it, or by the caller, who drops it
    std::optional<std::invoke_result_t<Work&>> value;
    std::exception_ptr failure;
    bool over = false;  // the caller's thread knows that it has run
    asio::steady_timer changed;
    const Count working;
  };

  asio::thread_pool threads_;
  const size_t most_;
  const Count working_ = std::make_shared<std::atomic<size_t>>(0);
};

// A cache of answers that are valid for some seconds. Concurrent requests for the same key share one question. Used by
// one thread.
template <class Answer>
class AnswerCache {
 public:
  using Clock = WorkPool::Clock;
  struct Kept {
    Answer answer;
    std::chrono::seconds valid;
    // Anyone can cause other answers, so they do not displace positive ones. Empty: the question has failed, which says
    // nothing.
    std::optional<bool> positive = false;
  };

  static constexpr size_t kMostEntries = 4096;

  // Whether the last answer was a positive one, also if it is no longer valid.
  bool was_positive(const std::string& key) const {
    const auto found = entries_.find(key);
    return found != entries_.end() && found->second->positive;
  }

  // Returns `when_failed` if the pool has no room for the question, if there is no answer at the deadline, and if the
  // question throws.
  asio::awaitable<Answer> ask(WorkPool& pool, const std::string& key, std::function<Kept()> question,
                              Answer when_failed, Clock::time_point deadline) {
    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    std::shared_ptr<Entry> entry;
    if (const auto found = entries_.find(key); found != entries_.end()) entry = found->second;
    if (entry == nullptr || (entry->answer && entry->until <= Clock::now())) {
      if (pool.full()) co_return when_failed;
      make_room();
      const bool was_positive = entry != nullptr && entry->positive;
      entry = std::make_shared<Entry>();
      entry->positive = was_positive;
      entries_[key] = entry;
      try {
        asio::co_spawn(executor, find_out(pool, entry, std::move(question), when_failed, deadline), asio::detached);
      } catch (...) {
        entries_.erase(key);
        throw;
      }
    }
    if (!entry->answer) {
      asio::steady_timer timer(executor, deadline);
      const Waiting waiting(*entry, timer);
      co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
    }
    co_return entry->answer ? *entry->answer : when_failed;
  }

 private:
  struct Entry {
    std::optional<Answer> answer;
    Clock::time_point until{};
    bool positive = false;
    std::list<asio::steady_timer*> callers;  // wait for the answer or for their deadlines
  };

  // The place of a caller among those who wait.
  class Waiting {
   public:
    Waiting(Entry& entry, asio::steady_timer& timer)
        : entry_(entry), place_(entry.callers.insert(entry.callers.end(), &timer)) {}
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    ~Waiting() { entry_.callers.erase(place_); }

   private:
    Entry& entry_;
    const std::list<asio::steady_timer*>::iterator place_;
  };

  static asio::awaitable<void> find_out(WorkPool& pool, std::shared_ptr<Entry> entry, std::function<Kept()> question,
                                        Answer when_failed, Clock::time_point deadline) {
    Kept kept{std::move(when_failed), std::chrono::seconds(0), std::nullopt};
    try {
      if (auto told = co_await pool.run(std::move(question), deadline)) kept = *std::move(told);
    } catch (const std::exception&) {
      // The callers get `when_failed`, and the next one asks again.
    }
    entry->answer = std::move(kept.answer);
    entry->until = Clock::now() + kept.valid;
    entry->positive = kept.positive.value_or(entry->positive);
    for (asio::steady_timer* const caller : entry->callers) caller->cancel();
  }

  void make_room() {
    const auto drop = [&](auto which) {
      if (entries_.size() < kMostEntries) return;
      std::erase_if(entries_, [&](const auto& entry) { return entry.second->answer && which(*entry.second); });
    };
    drop([](const Entry& entry) { return !entry.positive; });
    drop([now = Clock::now()](const Entry& entry) { return entry.until <= now; });
    drop([](const Entry&) { return true; });
  }

  std::unordered_map<std::string, std::shared_ptr<Entry>> entries_;
};

}  // namespace sunup::server
