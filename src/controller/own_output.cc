#include "controller/own_output.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>
#include <vector>

namespace sunup::controller {
namespace {

using namespace std::chrono_literals;

constexpr int kForever = -1;
constexpr auto kLastPatience = 10s;

void write_all(int fd, std::string_view bytes) {
  const size_t piece = piece_size(fd);
  while (!bytes.empty() && takes_more(fd, kForever)) {
    const ssize_t written = write(fd, bytes.data(), std::min(bytes.size(), piece));
    if (written < 0 && errno != EINTR && errno != EAGAIN) return;
    if (written > 0) bytes.remove_prefix(static_cast<size_t>(written));
  }
}

bool same_reader(int a, int b) {
  struct stat one = {};
  struct stat other = {};
  return fstat(a, &one) == 0 && fstat(b, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino &&
         !S_ISREG(one.st_mode);
}

struct Streams {
  UnreadOutput out{STDOUT_FILENO};
  UnreadOutput own_err{STDERR_FILENO};
  // If both are the same pipe, one buffer for both keeps the order of the messages.
  UnreadOutput& err = same_reader(STDOUT_FILENO, STDERR_FILENO) ? out : own_err;
  std::function<void(UnreadOutput&)> watch;
};

Streams& streams() {
  static Streams both;
  return both;
}

void pass_on(UnreadOutput& to, std::string_view bytes) {
  const bool waited = to.waiting();
  to.add(bytes);
  if (!waited && to.waiting() && streams().watch) streams().watch(to);
}

}  // namespace

void write_stdout(std::string_view bytes) {
  write_all(STDOUT_FILENO, bytes);
}

void write_stderr(std::string_view bytes) {
  write_all(STDERR_FILENO, bytes);
}

void pass_to_stdout(std::string_view bytes) {
  pass_on(streams().out, bytes);
}

void pass_to_stderr(std::string_view bytes) {
  pass_on(streams().err, bytes);
}

void watch_unread_with(std::function<void(UnreadOutput&)> watch) {
  streams().watch = std::move(watch);
}

uint64_t finish_output() {
  const auto end = std::chrono::steady_clock::now() + kLastPatience;
  while (true) {
    std::vector<pollfd> ready;
    uint64_t unread = 0;
    for (UnreadOutput* output : {&streams().out, &streams().own_err}) {
      output->write_some();
      unread += output->unread();
      if (output->waiting()) ready.push_back({.fd = output->fd(), .events = POLLOUT, .revents = 0});
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
    if (unread == 0 || left <= 0) return unread;
    ready.push_back({.fd = stop_requests(), .events = POLLIN, .revents = 0});
    const int came = poll(ready.data(), ready.size(), static_cast<int>(left));
    if (came == 1 && ready.back().revents != 0) return unread;
  }
}

}  // namespace sunup::controller
