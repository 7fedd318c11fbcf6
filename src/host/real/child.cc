#include "host/real/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>
#include <string_view>
#include <utility>

#include "host/real/spawn.h"

namespace sunup::host::real {
namespace {

// How long a process may take to end after SIGKILL.
constexpr Duration kDeath = std::chrono::seconds(5);

// The exit code of a child whose end is unknown. Not 0, because its success is not known.
constexpr int kUnknownEnd = 255;

// The system call, because glibc's wrapper is newer than the glibc of the oldest supported image.
int pidfd_open(pid_t pid) {
  return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
}

struct Pipe {
  Fd read;
  Fd write;
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Error::from_errno(errno, "pipe");
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

}  // namespace

Result<void> Child::start() {
  if (command_.argv.empty()) return Error("no program to start");
  Result<Pipe> out = make_pipe();
  if (!out) return std::move(out).error();
  Result<Pipe> err = make_pipe();
  if (!err) return std::move(err).error();
  Pipe in;
  if (command_.input) {
    Result<Pipe> made = make_pipe();
    if (!made) return std::move(made).error();
    in = std::move(*made);
  }
  Result<pid_t> pid = spawn(command_, in.read.get(), out->write.get(), err->write.get());
  if (!pid) return std::move(pid).error();
  pid_ = *pid;
  pidfd_ = Fd(pidfd_open(pid_));
  if (!pidfd_) {
    Error error = Error::from_errno(errno, "pidfd_open");
    kill_and_reap();
    return error;
  }

  out_.fd = std::move(out->read);
  err_ = Output{Stream::kErr, std::move(err->read), {}};
  for (Output* output : {&out_, &err_}) {
    ::fcntl(output->fd.get(), F_SETFL, O_NONBLOCK);
    auto watch = FdWatch::open(loop_, output->fd.get(), EPOLLIN, [this, output](uint32_t) {
      const auto alive = shared_from_this();
      read_output(*output, false);
    });
    if (!watch) return kill_and_reap(), std::move(watch).error();
    output->watch = std::move(*watch);
  }
  if (command_.input) {
    in_ = std::move(in.write);
    ::fcntl(in_.get(), F_SETFL, O_NONBLOCK);
    auto watch = FdWatch::open(loop_, in_.get(), EPOLLOUT, [this](uint32_t) { write_input(); });
    if (!watch) return kill_and_reap(), std::move(watch).error();
    in_watch_ = std::move(*watch);
  }
  auto watch = FdWatch::open(loop_, pidfd_.get(), EPOLLIN, [this](uint32_t) {
    const auto alive = shared_from_this();
    reap();
  });
  if (!watch) return kill_and_reap(), std::move(watch).error();
  pid_watch_ = std::move(*watch);

  if (command_.limit > Duration::zero())
    timer_ = loop_.call_at(loop_.now() + command_.limit, [this] {
      timer_ = 0;
      exit_.timed_out = true;
      terminate();
    });
  return {};
}

Result<void> Child::signal(int number) {
  if (finished_ || (reaped_ && !command_.own_group)) return {};  // other processes of its group may still exist
  if (::kill(command_.own_group ? -pid_ : pid_, number) != 0 && errno != ESRCH)
    return Error::from_errno(errno, fmt::format("signalling process {}", pid_));
  return {};
}

void Child::terminate() {
  if (finished_) return;
  (void)signal(SIGTERM);
  if (timer_ != 0) loop_.cancel(timer_);
  timer_ = loop_.call_at(loop_.now() + command_.grace, [this] {
    timer_ = 0;
    exit_.killed = true;
    (void)signal(SIGKILL);
    const auto alive = shared_from_this();
    if (reaped_) {
      finish();  // processes that still hold its output have left its group
      return;
    }
    timer_ = loop_.call_at(loop_.now() + kDeath, [this] { give_up(); });
  });
}

// A process that waits for a hanging disk does not end even after SIGKILL. The caller does not wait for it.
void Child::give_up() {
  timer_ = 0;
  given_up_ = true;
  exit_.signal = SIGKILL;
  ended_.set(true);
  gone_(shared_from_this());
}

void Child::read_output(Output& output, bool to_the_end) {
  char buffer[64 * 1024];
  // One buffer per loop iteration, so that a child that writes without end does not block the loop.
  do {
    const ssize_t got = ::read(output.fd.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) {
      output.watch.reset();
      output.fd.reset();
      if (reaped_ && !out_.fd && !err_.fd) finish();
      return;
    }
    const std::string_view piece(buffer, static_cast<size_t>(got));
    std::string& kept = output.stream == Stream::kOut ? exit_.out : exit_.err;
    kept.append(piece);
    // Cut only when the size has doubled: cutting after each read would copy the whole text each time.
    if (kept.size() > 2 * command_.keep) kept.erase(0, kept.size() - command_.keep);
    if (command_.on_output) command_.on_output(output.stream, piece);
  } while (to_the_end && output.fd);
}

void Child::write_input() {
  const std::string& input = *command_.input;
  const ssize_t written = ::write(in_.get(), input.data() + input_written_, input.size() - input_written_);
  if (written > 0) input_written_ += static_cast<size_t>(written);
  const bool broken = written < 0 && errno != EAGAIN && errno != EINTR;  // the child does not read all of its input
  if (broken || input_written_ == input.size()) {
    in_watch_.reset();
    in_.reset();
  }
}

void Child::reap() {
  siginfo_t info{};
  const int failed =
      ::waitid(static_cast<idtype_t>(P_PIDFD), static_cast<id_t>(pidfd_.get()), &info, WEXITED | WNOHANG);
  if (failed != 0 && errno == EINTR) return;
  if (failed == 0 && info.si_pid == 0) return;
  reaped_ = true;
  if (failed != 0)
    exit_.code = kUnknownEnd;  // SIGCHLD is ignored, or other code in this process has reaped it
  else if (info.si_code == CLD_EXITED)
    exit_.code = info.si_status;
  else
    exit_.signal = info.si_status;
  exit_.core_dumped = failed == 0 && info.si_code == CLD_DUMPED;
  pid_watch_.reset();
  if (!command_.until_output_ends || (!out_.fd && !err_.fd)) finish();
}

void Child::finish() {
  if (std::exchange(finished_, true)) return;
  // Its output is in the pipes. A grandchild may keep them open forever; do not wait for it.
  for (Output* output : {&out_, &err_}) {
    if (output->fd) read_output(*output, true);
    output->watch.reset();
    output->fd.reset();
  }
  for (std::string* kept : {&exit_.out, &exit_.err})
    if (kept->size() > command_.keep) kept->erase(0, kept->size() - command_.keep);
  pid_watch_.reset();
  in_watch_.reset();
  in_.reset();
  if (timer_ != 0) loop_.cancel(std::exchange(timer_, 0));
  ended_.set(true);
  gone_(shared_from_this());
}

void Child::kill_and_reap() {
  if (reaped_ || pid_ == 0) return;
  (void)signal(SIGKILL);
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED) != 0 && errno == EINTR) {
  }
  reaped_ = finished_ = true;
}

}  // namespace sunup::host::real
