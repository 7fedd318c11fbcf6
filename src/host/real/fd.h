// A file descriptor that closes itself.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace sunup::host::real {

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~Fd() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void reset() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_ = -1;
};

// Writes all of it; an interrupted write is continued.
inline Result<void> write_all(int fd, std::string_view content, std::string_view doing = "write") {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Error::from_errno(errno, doing);
    content.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

}  // namespace sunup::host::real
