#include "archive/cpio.h"

#include <algorithm>

#include "base/text.h"

namespace sunup::archive {
namespace {

constexpr size_t kHeader = 110;
constexpr uint64_t kLongestPath = 64u << 10;
constexpr uint64_t kTypeMask = 0170000;
constexpr uint64_t kRegular = 0100000;

uint64_t padded(uint64_t size) {
  return (size + 3) / 4 * 4;
}

Error damaged() {
  return Error("the package's archive is damaged");
}

}  // namespace

Result<void> CpioReader::feed(std::string_view bytes) {
  while (!bytes.empty() && part_ != Part::kEnd) {
    if (part_ == Part::kContent) {
      const size_t take = std::min<uint64_t>(left_, bytes.size());
      const size_t content = std::min<uint64_t>(take, content_left_);
      if (keep_ != nullptr) keep_->append(bytes.substr(0, content));
      content_left_ -= content;
      left_ -= take;
      bytes.remove_prefix(take);
      if (left_ == 0) part_ = Part::kHeader;
      continue;
    }
    const size_t take = std::min(wanted_text_ - text_.size(), bytes.size());
    text_.append(bytes.substr(0, take));
    bytes.remove_prefix(take);
    if (text_.size() < wanted_text_) continue;
    if (auto read = part_ == Part::kHeader ? read_header() : read_name(); !read) return read;
    text_.clear();
  }
  return {};
}

Result<Members> CpioReader::finish() && {
  if (part_ != Part::kEnd) return Error("the package's archive is truncated");
  return std::move(members_);
}

// The header is a magic number of six characters, followed by numbers of eight hexadecimal digits.
Result<uint64_t> CpioReader::number(size_t index) const {
  const auto value = as_number<uint64_t>(std::string_view(text_).substr(6 + 8 * index, 8), 16);
  return value ? Result<uint64_t>(*value) : damaged();
}

Result<void> CpioReader::read_header() {
  if (!text_.starts_with("070701") && !text_.starts_with("070702")) return damaged();
  const auto mode = number(1);
  const auto size = number(6);
  const auto name = number(11);
  if (!mode || !size || !name || *name == 0 || *name > kLongestPath) return damaged();
  mode_ = *mode;
  size_ = *size;
  name_size_ = *name;
  part_ = Part::kName;
  wanted_text_ = padded(kHeader + name_size_) - kHeader;
  return {};
}

Result<void> CpioReader::read_name() {
  std::string path = text_.substr(0, name_size_ - 1);
  wanted_text_ = kHeader;
  if (path == "TRAILER!!!") {
    part_ = Part::kEnd;
    return {};
  }
  if (path.starts_with("./")) path.erase(0, 2);
  if (path.starts_with('/')) path.erase(0, 1);
  left_ = padded(size_);
  content_left_ = size_;
  keep_ = nullptr;
  part_ = left_ == 0 ? Part::kHeader : Part::kContent;
  if ((mode_ & kTypeMask) == kRegular && wanted_(path)) {
    if (size_ > kLargestMember) return Error(path + " in the package is too large");
    keep_ = &members_[path];
    keep_->clear();
    keep_->reserve(size_);
  }
  return {};
}

}  // namespace sunup::archive
