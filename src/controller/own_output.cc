#include "controller/own_output.h"

#include <limits.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "host/stop_signals.h"

namespace sunup::controller {
namespace {

// Readable once one of the signals that ask us to stop has come, and from then on: nobody takes the signal away
// (host/watch.h). As long as nobody has blocked them (Watch::termination does) they simply end us, here as anywhere.
int stop_requests() {
  static const int kFd = [] {
    const sigset_t stop = host::stop_signals();
    return signalfd(-1, &stop, SFD_CLOEXEC | SFD_NONBLOCK);
  }();
  return kFd;
}

// How much goes out in one call: a pipe that is ready takes PIPE_BUF without blocking; a file takes a record whole, so
// that those of several processes do not mix.
size_t piece_size(int fd) {
  struct stat info = {};
  return fstat(fd, &info) == 0 && S_ISREG(info.st_mode) ? SSIZE_MAX : PIPE_BUF;
}

constexpr int kForever = -1;
constexpr int kPatience = 3000;  // milliseconds

// False: the reader took nothing for so long, or we are asked to stop.
bool write_all(int fd, std::string_view bytes, int patience) {
  const size_t piece = piece_size(fd);
  while (!bytes.empty()) {
    pollfd ready[] = {{.fd = fd, .events = POLLOUT, .revents = 0}, {.fd = -1, .events = POLLIN, .revents = 0}};
    if (poll(ready, 1, 0) == 0) {
      ready[1].fd = stop_requests();
      const int came = poll(ready, 2, patience);
      if (came < 0 && errno != EINTR) return true;
      if (came == 0) return false;
      if (came > 0 && (ready[0].revents & POLLOUT) == 0 && ready[1].revents != 0) return false;
    }
    const ssize_t written = write(fd, bytes.data(), std::min(bytes.size(), piece));
    if (written < 0 && errno != EINTR && errno != EAGAIN) return true;
    if (written > 0) bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

void pass_on(int fd, std::string_view bytes, bool& stalled) {
  stalled = !write_all(fd, bytes, stalled ? 0 : kPatience);
}

}  // namespace

void write_stdout(std::string_view bytes) {
  (void)write_all(STDOUT_FILENO, bytes, kForever);
}

void write_stderr(std::string_view bytes) {
  (void)write_all(STDERR_FILENO, bytes, kForever);
}

void pass_to_stdout(std::string_view bytes) {
  static bool stalled = false;
  pass_on(STDOUT_FILENO, bytes, stalled);
}

void pass_to_stderr(std::string_view bytes) {
  static bool stalled = false;
  pass_on(STDERR_FILENO, bytes, stalled);
}

}  // namespace sunup::controller
