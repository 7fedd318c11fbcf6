#include "host/real/watch.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "host/real/boot.h"
#include "host/real/socket.h"
#include "host/stop_signals.h"

namespace sunup::host::real {

Task<Result<void>> Watch::path_appears(std::string path) {
  PathWatch watch(loop_, idle_inotify_, root_, std::move(path));
  while (!watch.arrives()) {  // before the watches are renewed, which takes longer than a check
    if (auto watched = watch.watch(); !watched) co_return watched;
    if (watch.arrives()) break;
    if (auto changed = co_await watch.changed(); !changed) co_return changed;
  }
  co_return Result<void>();
}

Task<Result<void>> Watch::path_differs(std::string path, std::function<bool()> differs) {
  PathWatch watch(loop_, idle_inotify_, root_, std::move(path));
  while (!differs()) {
    if (auto watched = watch.watch(); !watched) co_return watched;
    if (differs()) break;
    if (auto changed = co_await watch.changed(); !changed) co_return changed;
  }
  co_return Result<void>();
}

Task<Result<void>> Watch::socket_accepts(std::string address) {
  const bool by_path = address.starts_with('/');
  const std::string target = by_path ? root_ + address : address;
  Result<SocketAddress> to = SocketAddress::parse(target);
  if (!to) co_return std::move(to).error();
  std::optional<PathWatch> watch;
  if (by_path) watch.emplace(loop_, idle_inotify_, root_, address);
  // The kernel reports when the file of a socket is created, but not when listen() follows bind() or when a TCP port
  // opens. After a refused connection the next attempt follows soon (the gap is microseconds), then with growing
  // delays.
  Duration pause = std::chrono::milliseconds(1);
  constexpr Duration kLongest = std::chrono::milliseconds(100);
  while (true) {
    if (watch)
      if (auto watched = watch->watch(); !watched) co_return watched;
    Result<Fd> connected = co_await connect(loop_, *to);
    if (connected) co_return Result<void>();
    const int error = connected.error().os_errno;
    if (watch && error == ENOENT) {
      Result<void> changed = co_await watch->changed();
      if (!changed) co_return changed;
      pause = std::chrono::milliseconds(1);
    } else if (error == ECONNREFUSED || error == ETIMEDOUT || error == EHOSTUNREACH || error == ENETUNREACH ||
               error == EAGAIN) {
      if (watch)
        co_await first_of(loop_, watch->changed(), loop_.after(pause));
      else
        co_await loop_.after(pause);
      pause = std::min(2 * pause, kLongest);
    } else {
      co_return std::move(connected).error();
    }
  }
}

Task<Result<void>> Watch::process_ends(pid_t pid, uint64_t start_ticks) {
  const Fd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!process) {
    if (errno == ESRCH) co_return Result<void>();
    co_return Error::from_errno(errno, "pidfd_open");
  }
  // Checked after the descriptor is open: from here on a reuse of the process ID is noticed.
  const auto start = process_start_ticks(pid);
  if (!start) co_return start.error();
  if (!*start || (start_ticks != 0 && *start != start_ticks)) co_return Result<void>();
  co_return co_await fd_ready(loop_, process.get(), EPOLLIN);
}

void Watch::leave_descriptors_to_a_child() {
  int ends[2];
  if (idle_inotify_.empty() || ::pipe2(ends, O_CLOEXEC) != 0) return;
  if (::fork() != 0) return;  // the pipe closes when this process ends; without a child that takes longer
  // Other processes may be waiting for the end of the standard streams, in particular of the output.
  for (int fd = 0; fd < 3; ++fd) ::close(fd);
  ::close(ends[1]);
  char nothing;
  while (::read(ends[0], &nothing, 1) < 0 && errno == EINTR) {
  }
  ::_exit(0);
}

// Not a coroutine, so that the signals are blocked from the call on, whether or not the caller waits yet.
Task<int> Watch::termination() {
  if (!signals_) {
    const sigset_t stop = stop_signals();
    ::pthread_sigmask(SIG_BLOCK, &stop, nullptr);  // other threads have all signals blocked from their start
    signals_ = Fd(::signalfd(-1, &stop, SFD_CLOEXEC | SFD_NONBLOCK));
    auto watch = FdWatch::open(loop_, signals_.get(), EPOLLIN, [this](uint32_t) {
      // The signal stays pending, so that code outside the loop can check for it before it blocks.
      signal_watch_.reset();
      signalled_ = pending_stop_signal();
      for (const Slot<int>& waiter : std::exchange(asked_, {})) waiter.set(signalled_);
    });
    if (watch) signal_watch_ = std::move(*watch);
  }
  return asked_to_stop();
}

Task<int> Watch::asked_to_stop() {
  if (signalled_ != 0) co_return signalled_;
  Slot<int> asked(loop_);
  asked_.push_back(asked);
  co_return co_await asked;
}

}  // namespace sunup::host::real
