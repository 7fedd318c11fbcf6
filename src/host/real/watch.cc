#include "host/real/watch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <map>

#include "host/real/boot.h"
#include "host/real/socket.h"
#include "host/stop_signals.h"

namespace sunup::host::real {
namespace {

// A symlink exists, wherever it points: its target may be made where nobody watches.
bool exists(const std::string& path) {
  struct stat st;
  return ::lstat(path.c_str(), &st) == 0;
}

// Watches the way to a path: every directory of it that exists, each for the next name on the way. So nothing is
// missed when directories come late, or are moved away and made again.
class Way {
 public:
  // Takes an idle descriptor if there is one, and leaves its own there when it goes, with its watches: taking one back
  // can take the kernel milliseconds, and somebody is waiting for what we saw.
  static Result<Way> open(std::vector<IdleInotify>& idle, std::string path) {
    IdleInotify taken;
    if (idle.empty()) {
      taken.fd = Fd(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    } else {
      taken = std::move(idle.back());
      idle.pop_back();
    }
    if (!taken.fd) return Error::from_errno(errno, "inotify_init1");
    for (const int descriptor : taken.watches) ::inotify_rm_watch(taken.fd.get(), descriptor);
    Way way(idle, std::move(taken.fd), std::move(path));
    way.drain();
    return way;
  }
  Way(Way&&) = default;
  ~Way() {
    if (!fd_) return;
    IdleInotify left{std::move(fd_), {}};
    for (const auto& [descriptor, name] : next_) left.watches.push_back(descriptor);
    idle_->push_back(std::move(left));
  }

  int fd() const { return fd_.get(); }

  Result<void> watch() {
    forget();
    size_t slash = 0;
    while (slash != std::string::npos) {
      const std::string directory = slash == 0 ? "/" : path_.substr(0, slash);
      const int descriptor =
          ::inotify_add_watch(fd_.get(), directory.c_str(),
                              IN_CREATE | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR);
      if (descriptor < 0) {
        if (errno == ENOENT || errno == ENOTDIR) return {};
        return Error::from_errno(errno, "watching " + directory);
      }
      const size_t next = path_.find('/', slash + 1);
      next_[descriptor] = path_.substr(slash + 1, next == std::string::npos ? next : next - slash - 1);
      slash = next;
    }
    return {};
  }

  // Has anything happened that concerns the way?
  bool drain() {
    alignas(inotify_event) std::array<char, 16u << 10> buffer;
    bool concerns = false;
    while (true) {
      const ssize_t got = ::read(fd_.get(), buffer.data(), buffer.size());
      if (got <= 0) return concerns;
      for (ssize_t at = 0; at < got;) {
        const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
        at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
        // The kernel also says goodbye to every watch that was taken back: that is not news, and taking it for some
        // would have us watch anew, and hear it again, for ever.
        const auto watched = next_.find(event->wd);
        const bool ours = watched != next_.end() && (event->mask & IN_IGNORED) == 0;
        const bool lost = (event->mask & IN_Q_OVERFLOW) != 0;
        if (lost || (ours && (event->len == 0 || watched->second == event->name))) concerns = true;
      }
    }
  }

 private:
  Way(std::vector<IdleInotify>& idle, Fd fd, std::string path)
      : idle_(&idle), fd_(std::move(fd)), path_(std::move(path)) {}

  void forget() {
    for (const auto& [descriptor, name] : next_) ::inotify_rm_watch(fd_.get(), descriptor);
    next_.clear();
  }

  std::vector<IdleInotify>* idle_;
  Fd fd_;
  std::string path_;
  std::map<int, std::string> next_;  // watch descriptor -> the name that matters in that directory
};

}  // namespace

Task<Result<void>> Watch::path_appears(std::string path) {
  const std::string whole = root_ + path;
  if (exists(whole)) co_return Result<void>();
  Result<Way> way = Way::open(idle_inotify_, whole);
  if (!way) co_return std::move(way).error();
  while (true) {
    if (auto watched = way->watch(); !watched) co_return watched;
    if (exists(whole)) co_return Result<void>();
    do {
      Result<void> ready = co_await fd_ready(loop_, way->fd(), EPOLLIN);
      if (!ready) co_return ready;
    } while (!way->drain());
    if (exists(whole)) co_return Result<void>();  // before the watches are made anew, which takes longer than a look
  }
}

Task<Result<void>> Watch::socket_accepts(std::string address) {
  const bool by_path = address.starts_with('/');
  const std::string target = by_path ? root_ + address : address;
  Result<SocketAddress> to = SocketAddress::parse(target);
  if (!to) co_return std::move(to).error();
  std::optional<Way> way;
  if (by_path) {
    Result<Way> opened = Way::open(idle_inotify_, target);
    if (!opened) co_return std::move(opened).error();
    way.emplace(std::move(*opened));
  }
  // The kernel tells when a socket's file is made, but nobody tells when listen() follows bind(), or when a TCP port
  // opens. So after a refusal there is one more look, soon at first (the gap is microseconds), then ever later.
  Duration pause = std::chrono::milliseconds(1);
  constexpr Duration kLongest = std::chrono::milliseconds(100);
  while (true) {
    if (way)
      if (auto watched = way->watch(); !watched) co_return watched;
    Result<Fd> connected = co_await connect(loop_, *to);
    if (connected) co_return Result<void>();
    const int error = connected.error().os_errno;
    if (way && error == ENOENT) {
      do {
        Result<void> ready = co_await fd_ready(loop_, way->fd(), EPOLLIN);
        if (!ready) co_return ready;
      } while (!way->drain());
      pause = std::chrono::milliseconds(1);
    } else if (error == ECONNREFUSED || error == ETIMEDOUT || error == EHOSTUNREACH || error == ENETUNREACH ||
               error == EAGAIN) {
      if (way) {
        co_await first_of(loop_, fd_ready(loop_, way->fd(), EPOLLIN), loop_.after(pause));
        way->drain();
      } else {
        co_await loop_.after(pause);
      }
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
  // Looked at after the descriptor is ours: from here on the number cannot change hands unnoticed.
  if (process_start_ticks(pid) != start_ticks) co_return Result<void>();
  co_return co_await fd_ready(loop_, process.get(), EPOLLIN);
}

void Watch::leave_descriptors_to_a_child() {
  int ends[2];
  if (idle_inotify_.empty() || ::pipe2(ends, O_CLOEXEC) != 0) return;
  if (::fork() != 0)
    return;  // our end of the pipe closes when we are gone; no child: then it takes as long as it takes
  // Nothing that anybody may be waiting to see closed, least of all the output.
  for (int fd = 0; fd < 3; ++fd) ::close(fd);
  ::close(ends[1]);
  char nothing;
  while (::read(ends[0], &nothing, 1) < 0 && errno == EINTR) {
  }
  ::_exit(0);
}

// Not a coroutine: who has asked is safe from the signals, whether or not they have begun to wait.
Task<int> Watch::termination() {
  if (!signals_) {
    const sigset_t stop = stop_signals();
    ::pthread_sigmask(SIG_BLOCK, &stop, nullptr);  // other threads have everything blocked from birth
    signals_ = Fd(::signalfd(-1, &stop, SFD_CLOEXEC | SFD_NONBLOCK));
    auto watch = FdWatch::open(loop_, signals_.get(), EPOLLIN, [this](uint32_t) {
      // The signal stays pending: that is how code outside the loop, about to block, sees that it must not any more.
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
