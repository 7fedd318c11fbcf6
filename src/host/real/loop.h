// The loop of the real machine: epoll, one timerfd, and an inbox for other threads. Nothing polls.
//
//   auto loop = real::Loop::open();
//   Result<Exit> exit = (*loop)->run(provision(host));   // runs the loop until the task has ended
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "host/loop.h"
#include "host/real/fd.h"
#include "host/running.h"

namespace sunup::host::real {

// The queue in which other threads leave callbacks for the loop. Outlives the loop if a thread still holds it;
// callbacks that are left in it are dropped.
class Inbox {
 public:
  explicit Inbox(Fd bell) : bell_(std::move(bell)) {}
  void put(Loop::Callback callback);
  std::vector<std::function<void()>> take();
  int bell() const { return bell_.get(); }

 private:
  std::mutex mutex_;
  std::vector<std::function<void()>> callbacks_;
  Fd bell_;  // eventfd
};

class Loop : public host::Loop {
 public:
  using FdCallback = std::function<void(uint32_t events)>;

  static Result<std::unique_ptr<Loop>> open();
  ~Loop() override;

  TimePoint now() const override;
  WallTime wall() const override;
  void post(Callback callback) override { posted_.push_back(std::move(callback)); }
  void when_idle(Callback callback) override { idle_.push_back(std::move(callback)); }
  TimerId call_at(TimePoint when, Callback callback) override;
  void cancel(TimerId timer) override;

  // Calls back, from the top of the loop, as long as the descriptor has one of these EPOLL* events. See FdWatch.
  Result<uint64_t> add_fd(int fd, uint32_t events, FdCallback callback);
  void set_events(uint64_t id, uint32_t events);
  void remove_fd(uint64_t id);

  std::shared_ptr<Inbox> inbox() const { return inbox_; }

  // Runs until the task has ended.
  template <class T>
  T run(Task<T> task) {
    Slot<bool> done(*this);
    std::optional<running_detail::NotVoid<T>> value;
    const Running running(*this, running_detail::store(std::move(task), &value, done));
    while (!value) turn();
    if constexpr (!std::is_void_v<T>) return std::move(*value);
  }

 private:
  struct Source {
    int fd;
    std::shared_ptr<FdCallback> callback;
  };

  Loop(Fd epoll, Fd timer, std::shared_ptr<Inbox> inbox);
  void turn();
  bool dispatch_events(bool may_block);
  bool run_due_timers();
  bool run_posted();
  void arm_timer();

  Fd epoll_;
  Fd timer_;
  std::shared_ptr<Inbox> inbox_;
  std::unordered_map<uint64_t, Source> sources_;
  std::map<std::pair<TimePoint, TimerId>, Callback> timers_;
  std::unordered_map<TimerId, TimePoint> timer_times_;
  TimePoint armed_for_{};
  std::deque<Callback> posted_;
  std::deque<Callback> idle_;
  uint64_t next_id_ = 1;
};

// Watches a descriptor as long as the object exists. It does not own the descriptor, which must outlive it.
class FdWatch {
 public:
  FdWatch() = default;
  FdWatch(Loop& loop, uint64_t id) : loop_(&loop), id_(id) {}
  static Result<FdWatch> open(Loop& loop, int fd, uint32_t events, Loop::FdCallback callback);
  FdWatch(FdWatch&& other) noexcept : loop_(std::exchange(other.loop_, nullptr)), id_(other.id_) {}
  FdWatch& operator=(FdWatch&& other) noexcept {
    if (this != &other) {
      reset();
      loop_ = std::exchange(other.loop_, nullptr);
      id_ = other.id_;
    }
    return *this;
  }
  ~FdWatch() { reset(); }

  void set_events(uint32_t events) { loop_->set_events(id_, events); }
  void reset() {
    if (auto* loop = std::exchange(loop_, nullptr)) loop->remove_fd(id_);
  }

 private:
  Loop* loop_ = nullptr;
  uint64_t id_ = 0;
};

// Waits until the descriptor has one of the events.
Task<Result<void>> fd_ready(Loop& loop, int fd, uint32_t events);

// A thread with all signals blocked, because the loop handles them (watch.cc).
Result<std::thread> start_thread(std::function<void()> function);

// Runs the function on its own thread and waits for it. For calls that can only block (a lock, a name lookup). If the
// waiting task is cancelled, the thread continues, so the function must own what it uses.
Task<Result<void>> on_own_thread(Loop& loop, std::function<void()> function);

}  // namespace sunup::host::real
