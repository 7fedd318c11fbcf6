#include "base/input.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>

#include "base/quoted.h"

namespace sunup {
namespace {

struct Closer {
  int fd;
  ~Closer() { close(fd); }
};

using Clock = std::chrono::steady_clock;
using Deadline = std::optional<Clock::time_point>;  // empty: none

// Waits until the pipe has data or its last writer has closed it. A blocked signal (host/stop_signals.h) ends the wait
// and stays pending; the code that blocks it would otherwise not notice it.
int wait_for_writer(int fd, const Deadline& deadline) {
  sigset_t held;
  pthread_sigmask(SIG_BLOCK, nullptr, &held);
  const Closer signals{signalfd(-1, &held, SFD_CLOEXEC | SFD_NONBLOCK)};
  if (signals.fd < 0) return errno;
  pollfd ready[] = {{fd, POLLIN, 0}, {signals.fd, POLLIN, 0}};
  while (true) {
    int left = -1;
    if (deadline)
      left =
          std::max(0, static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now()).count()));
    const int count = poll(ready, 2, left);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    if (count == 0) return ETIMEDOUT;
    return ready[1].revents != 0 ? EINTR : 0;
  }
}

Result<std::string> read_all(int fd, const std::string& shown, size_t limit, const Deadline& deadline) {
  const auto trouble = [&](int error) { return Error::from_errno(error, shown); };
  struct stat info = {};
  if (fstat(fd, &info) != 0) return trouble(errno);
  if (S_ISDIR(info.st_mode)) return trouble(EISDIR);
  if (S_ISFIFO(info.st_mode))  // a pipe without a writer yet looks as if it had ended
    if (const int error = wait_for_writer(fd, deadline)) return trouble(error);
  // A pipe has no size, and a file may grow while it is read. The limit is enforced by reading one byte beyond it.
  std::string text;
  text.resize(std::min(static_cast<size_t>(info.st_size), limit) + 1);
  size_t have = 0;
  while (true) {
    if (have == text.size()) {
      if (have > limit) break;
      text.resize(std::min(have * 2 + 4096, limit + 1));
    }
    const ssize_t n = read(fd, text.data() + have, text.size() - have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) {
      if (const int error = wait_for_writer(fd, deadline)) return trouble(error);
      continue;
    }
    if (n < 0) return trouble(errno);
    if (n == 0) break;
    have += static_cast<size_t>(n);
  }
  text.resize(have);
  if (have > limit) return Error(shown + ": larger than " + std::to_string(limit >> 20) + " MiB");
  return text;
}

Result<std::string> read_file(const std::string& path, size_t limit, const Deadline& deadline) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // see wait_for_writer()
  if (fd < 0) return Error::from_errno(errno, one_line(path));
  const Closer closer{fd};
  return read_all(fd, one_line(path), limit, deadline);
}

}  // namespace

std::string input_name(const std::string& path) {
  return path == "-" ? "standard input" : one_line(path);
}

Result<std::string> read_input(const std::string& path, size_t limit) {
  if (path != "-") return read_file(path, limit, {});
  static bool taken = false;
  if (taken) {
    Error twice("standard input (-) is given twice");
    twice.os_errno = EINVAL;
    return twice;
  }
  taken = true;
  return read_all(STDIN_FILENO, input_name(path), limit, {});
}

Result<std::string> read_input_within(std::chrono::seconds patience, const std::string& path, size_t limit) {
  return read_file(path, limit, Clock::now() + patience);
}

}  // namespace sunup
