#include "base/secret.h"

namespace sunup {

Secret& Secret::operator=(const Secret& other) {
  if (this != &other) {
    wipe();
    value_ = other.value_;
  }
  return *this;
}

Secret& Secret::operator=(Secret&& other) noexcept {
  if (this != &other) {
    wipe();
    value_ = std::move(other.value_);
    other.wipe();
  }
  return *this;
}

bool Secret::operator==(const Secret& other) const {
  if (value_.size() != other.value_.size()) return false;
  unsigned char difference = 0;
  for (size_t i = 0; i < value_.size(); ++i) difference |= static_cast<unsigned char>(value_[i] ^ other.value_[i]);
  return difference == 0;
}

void Secret::wipe() {
  // Wipes the whole capacity: a shorter value may have been assigned over a longer one, and the small-string buffer
  // keeps its bytes after a move.
  value_.resize(value_.capacity());
  explicit_bzero(value_.data(), value_.size());
  value_.clear();
}

}  // namespace sunup
