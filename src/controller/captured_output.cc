#include "controller/captured_output.h"

#include <algorithm>

namespace sunup::controller {

void CapturedOutput::add(std::string_view bytes) {
  const size_t to_head = std::min(bytes.size(), kHead - head_.size());
  head_ += bytes.substr(0, to_head);
  bytes.remove_prefix(to_head);
  // A piece that is longer than the tail replaces all of it.
  if (bytes.size() > kTail) {
    dropped_ += tail_.size() + bytes.size() - kTail;
    tail_.clear();
    bytes.remove_prefix(bytes.size() - kTail);
  }
  tail_ += bytes;
  if (tail_.size() > 2 * kTail) {
    dropped_ += tail_.size() - kTail;
    tail_.erase(0, tail_.size() - kTail);
  }
}

std::string CapturedOutput::text() const {
  const size_t surplus = tail_.size() > kTail ? tail_.size() - kTail : 0;
  const uint64_t missing = dropped_ + surplus;
  if (missing == 0) return head_ + tail_;
  return head_ + "\n[... " + std::to_string(missing) + " bytes left out ...]\n" + tail_.substr(surplus);
}

}  // namespace sunup::controller
