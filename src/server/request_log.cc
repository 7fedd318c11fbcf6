#include "server/request_log.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace sunup::server {

RequestLog::RequestLog(int descriptor) : descriptor_(descriptor) {
  writer_ = std::thread([this] { run(); });
}

RequestLog::~RequestLog() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  writer_.join();
}

void RequestLog::write(std::string_view line) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() + line.size() + 1 > kMostBytes) {
      ++dropped_;
      return;
    }
    waiting_.append(line).push_back('\n');
  }
  changed_.notify_one();
}

uint64_t RequestLog::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

void RequestLog::run() {
  std::string lines;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    lines.clear();
    std::swap(lines, waiting_);
    lock.unlock();
    for (size_t at = 0; at < lines.size();) {
      // A write of at most this size to a pipe that is ready does not block.
      constexpr size_t kPipe = 4096;
      pollfd ready{descriptor_, POLLOUT, 0};
      if (poll(&ready, 1, 500) == 0) {
        const std::lock_guard look(mutex_);
        if (ending_) break;
        continue;
      }
      const ssize_t written = ::write(descriptor_, lines.data() + at, std::min(kPipe, lines.size() - at));
      if (written > 0)
        at += static_cast<size_t>(written);
      else if (errno != EINTR && errno != EAGAIN)
        break;
    }
    lock.lock();
  }
}

}  // namespace sunup::server
