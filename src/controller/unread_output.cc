#include "controller/unread_output.h"

#include <limits.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "host/stop_signals.h"

namespace sunup::controller {

int stop_requests() {
  static const int kFd = [] {
    const sigset_t stop = host::stop_signals();
    return signalfd(-1, &stop, SFD_CLOEXEC | SFD_NONBLOCK);
  }();
  return kFd;
}

bool takes_more(int fd, int milliseconds) {
  pollfd ready[] = {{.fd = fd, .events = POLLOUT, .revents = 0}, {.fd = -1, .events = POLLIN, .revents = 0}};
  int came = poll(ready, 1, 0);
  if (came == 0 && milliseconds != 0) {
    ready[1].fd = stop_requests();
    came = poll(ready, 2, milliseconds);
  }
  if (came < 0) return true;  // the write reports the error
  return ready[0].revents != 0;
}

size_t piece_size(int fd) {
  struct stat info = {};
  return fstat(fd, &info) == 0 && S_ISREG(info.st_mode) ? SSIZE_MAX : PIPE_BUF;
}

UnreadOutput::UnreadOutput(int fd, int patience) : fd_(fd), piece_(piece_size(fd)), patience_(patience) {}

// The number of bytes that the reader accepts without blocking; all of them if it no longer exists.
size_t UnreadOutput::write_now(std::string_view bytes) const {
  size_t done = 0;
  while (done < bytes.size() && takes_more(fd_, 0)) {
    const ssize_t written = write(fd_, bytes.data() + done, std::min(bytes.size() - done, piece_));
    if (written < 0 && errno == EAGAIN) break;
    if (written < 0 && errno != EINTR) return bytes.size();
    if (written > 0) done += static_cast<size_t>(written);
  }
  return done;
}

void UnreadOutput::write_some() {
  while (waiting()) {
    written_ += write_now(std::string_view(kept_).substr(written_));
    if (written_ < kept_.size()) {
      if (written_ > kept_.size() / 2) kept_.erase(0, std::exchange(written_, 0));
      return;
    }
    const bool in_a_line = !kept_.ends_with('\n');
    kept_.clear();
    written_ = 0;
    if (const uint64_t missing = std::exchange(left_out_, 0); missing > 0)
      kept_ = (in_a_line ? "\n[" : "[") + std::to_string(missing) + " bytes left out]\n";
  }
}

void UnreadOutput::add(std::string_view bytes) {
  write_some();
  const auto full = [this] { return kept_.size() - written_ >= kMost; };
  while (left_out_ == 0 && full() && takes_more(fd_, patience_)) write_some();
  // Whole pieces are kept or dropped, so that no record of a log is truncated.
  if (left_out_ > 0 || full()) {
    left_out_ += bytes.size();
    return;
  }
  if (!waiting()) bytes.remove_prefix(write_now(bytes));
  kept_ += bytes;
}

}  // namespace sunup::controller
