#include "input_lines.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/input.h"

namespace sunup {

Result<InputLines> InputLines::open(const std::string& path) {
  const std::string name = input_name(path);
  if (path == "-") return InputLines(STDIN_FILENO, name);
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Error::from_errno(errno, name);
  return InputLines(fd, name);
}

InputLines::InputLines(InputLines&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      name_(std::move(other.name_)),
      buffer_(std::move(other.buffer_)),
      begin_(other.begin_),
      ended_(other.ended_),
      number_(other.number_) {}

InputLines::~InputLines() {
  if (fd_ > STDIN_FILENO) ::close(fd_);
}

Result<std::optional<std::string_view>> InputLines::next() {
  constexpr size_t kPiece = 64 << 10;
  size_t searched = begin_;
  while (true) {
    const size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos && end - begin_ <= kLongest) {
      const std::string_view line = std::string_view(buffer_).substr(begin_, end - begin_);
      begin_ = end + 1;
      ++number_;
      return std::optional(line);
    }
    if (buffer_.size() - begin_ > kLongest)
      return Error(fmt::format("{}: line {} is longer than {} MiB", name_, number_ + 1, kLongest >> 20));
    if (ended_ && begin_ == buffer_.size()) return std::optional<std::string_view>();
    if (ended_) {
      buffer_ += '\n';
      continue;
    }
    buffer_.erase(0, std::exchange(begin_, 0));
    searched = buffer_.size();
    buffer_.resize(searched + kPiece);
    ssize_t got;
    do {
      got = ::read(fd_, buffer_.data() + searched, kPiece);
    } while (got < 0 && errno == EINTR);
    const int error = errno;
    buffer_.resize(searched + (got > 0 ? static_cast<size_t>(got) : 0));
    if (got < 0)
      return Error::from_errno(error, number_ == 0 ? name_ : fmt::format("{}: after line {}", name_, number_));
    ended_ = got == 0;
  }
}

}  // namespace sunup
