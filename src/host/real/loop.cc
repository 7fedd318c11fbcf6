#include "host/real/loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

namespace sunup::host::real {
namespace {

constexpr uint64_t kTimerId = 0;
constexpr uint64_t kInboxId = UINT64_MAX;

}  // namespace

void Inbox::put(Loop::Callback callback) {
  const std::lock_guard guard(mutex_);
  callbacks_.push_back(std::move(callback));
  const uint64_t one = 1;
  // If the counter of the eventfd is at its maximum, the descriptor is readable anyway.
  while (::write(bell_.get(), &one, sizeof one) < 0 && errno == EINTR) {
  }
}

std::vector<std::function<void()>> Inbox::take() {
  const std::lock_guard guard(mutex_);
  uint64_t count;
  [[maybe_unused]] const ssize_t ignored = ::read(bell_.get(), &count, sizeof count);
  return std::exchange(callbacks_, {});
}

Result<std::unique_ptr<Loop>> Loop::open() {
  Fd epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll) return Error::from_errno(errno, "epoll_create1");
  Fd timer(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!timer) return Error::from_errno(errno, "timerfd_create");
  Fd bell(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!bell) return Error::from_errno(errno, "eventfd");
  for (const auto& [fd, id] : {std::pair{timer.get(), kTimerId}, {bell.get(), kInboxId}}) {
    epoll_event event{.events = EPOLLIN, .data = {.u64 = id}};
    if (::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, fd, &event) != 0) return Error::from_errno(errno, "epoll_ctl");
  }
  return std::unique_ptr<Loop>(new Loop(std::move(epoll), std::move(timer), std::make_shared<Inbox>(std::move(bell))));
}

Loop::Loop(Fd epoll, Fd timer, std::shared_ptr<Inbox> inbox)
    : epoll_(std::move(epoll)), timer_(std::move(timer)), inbox_(std::move(inbox)) {}

Loop::~Loop() {
  // A thread that outlives the loop may still post callbacks; it must not be the thread that frees their captures.
  inbox_->take();
}

TimePoint Loop::now() const {
  return std::chrono::time_point_cast<Duration>(std::chrono::steady_clock::now());
}
WallTime Loop::wall() const {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

Loop::TimerId Loop::call_at(TimePoint when, Callback callback) {
  const TimerId id = next_id_++;
  timers_.emplace(std::pair{when, id}, std::move(callback));
  timer_times_.emplace(id, when);
  return id;
}

void Loop::cancel(TimerId timer) {
  if (const auto found = timer_times_.find(timer); found != timer_times_.end()) {
    timers_.erase({found->second, timer});
    timer_times_.erase(found);
  }
}

Result<uint64_t> Loop::add_fd(int fd, uint32_t events, FdCallback callback) {
  const uint64_t id = next_id_++;
  epoll_event event{.events = events, .data = {.u64 = id}};
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) return Error::from_errno(errno, "epoll_ctl");
  sources_.emplace(id, Source{fd, std::make_shared<FdCallback>(std::move(callback))});
  return id;
}

void Loop::set_events(uint64_t id, uint32_t events) {
  epoll_event event{.events = events, .data = {.u64 = id}};
  if (const auto found = sources_.find(id); found != sources_.end())
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, found->second.fd, &event);
}

void Loop::remove_fd(uint64_t id) {
  if (const auto found = sources_.find(id); found != sources_.end()) {
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, found->second.fd, nullptr);
    sources_.erase(found);
  }
}

void Loop::turn() {
  const bool may_block = posted_.empty() && idle_.empty();
  const bool events = dispatch_events(may_block);
  const bool timers = run_due_timers();
  const bool posted = run_posted();
  if (events || timers || posted || idle_.empty()) return;
  Callback idle = std::move(idle_.front());
  idle_.pop_front();
  idle();
}

bool Loop::dispatch_events(bool may_block) {
  if (may_block) arm_timer();
  std::array<epoll_event, 64> events;
  const int count = ::epoll_wait(epoll_.get(), events.data(), events.size(), may_block ? -1 : 0);
  bool any = false;
  for (int i = 0; i < count; ++i) {
    const uint64_t id = events[static_cast<size_t>(i)].data.u64;
    if (id == kTimerId) {
      uint64_t expirations;
      [[maybe_unused]] const ssize_t ignored = ::read(timer_.get(), &expirations, sizeof expirations);
      armed_for_ = {};
    } else if (id == kInboxId) {
      for (auto& callback : inbox_->take()) posted_.push_back(std::move(callback));
    } else if (const auto found = sources_.find(id); found != sources_.end()) {
      // A callback of this iteration may remove the source of a later one, or its own.
      const std::shared_ptr<FdCallback> callback = found->second.callback;
      (*callback)(events[static_cast<size_t>(i)].events);
      any = true;
    }
  }
  return any;
}

bool Loop::run_due_timers() {
  if (timers_.empty()) return false;
  const TimePoint due = now();
  bool any = false;
  while (!timers_.empty() && timers_.begin()->first.first <= due) {
    auto node = timers_.extract(timers_.begin());
    timer_times_.erase(node.key().second);
    node.mapped()();
    any = true;
  }
  return any;
}

bool Loop::run_posted() {
  std::deque<Callback> batch = std::exchange(posted_, {});
  for (auto& callback : batch) {
    callback();
    callback = nullptr;  // releases its captures now, not after the batch
  }
  return !batch.empty();
}

void Loop::arm_timer() {
  const TimePoint next = timers_.empty() ? TimePoint{} : timers_.begin()->first.first;
  if (next == armed_for_) return;
  armed_for_ = next;
  const auto since_epoch = next.time_since_epoch();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since_epoch);
  itimerspec spec{};  // all zero: off
  spec.it_value.tv_sec = seconds.count();
  spec.it_value.tv_nsec = (since_epoch - seconds).count();
  ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &spec, nullptr);
}

Result<FdWatch> FdWatch::open(Loop& loop, int fd, uint32_t events, Loop::FdCallback callback) {
  Result<uint64_t> id = loop.add_fd(fd, events, std::move(callback));
  if (!id) return std::move(id).error();
  return FdWatch(loop, *id);
}

Task<Result<void>> fd_ready(Loop& loop, int fd, uint32_t events) {
  Slot<bool> ready(loop);
  const Result<FdWatch> watch = FdWatch::open(loop, fd, events, [ready](uint32_t) { ready.set(true); });
  if (!watch) co_return watch.error();
  co_await ready;
  co_return Result<void>();
}

Result<std::thread> start_thread(std::function<void()> function) {
  // A new thread inherits the signal mask: signals are blocked before it is created, so it never receives one.
  sigset_t every;
  sigset_t before;
  ::sigfillset(&every);
  ::pthread_sigmask(SIG_SETMASK, &every, &before);
  std::optional<std::thread> thread;
  int error = 0;
  try {
    thread.emplace(std::move(function));
  } catch (const std::system_error& e) {
    error = e.code().value();
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!thread) return Error::from_errno(error, "starting a thread");
  return std::move(*thread);
}

Task<Result<void>> on_own_thread(Loop& loop, std::function<void()> function) {
  Slot<bool> done(loop);
  // The slot belongs to the loop; the thread only passes it back in a callback. If the loop no longer exists, the inbox
  // keeps the callback, and it never runs.
  Result<std::thread> thread = start_thread([inbox = loop.inbox(), function = std::move(function), done] {
    function();
    inbox->put([done] { done.set(true); });
  });
  if (!thread) co_return std::move(thread).error();
  thread->detach();
  co_await done;
  co_return Result<void>();
}

}  // namespace sunup::host::real
