#include "archive/tar.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "archive/decompress.h"

namespace sunup::archive {
namespace {

constexpr size_t kBlock = 512;
constexpr uint64_t kLongestPath = 64u << 10;

constexpr char kGnuLongName = 'L';
constexpr char kPax = 'x';

// The path in a pax header, whose lines are "<length of the line> <key>=<value>\n".
std::string pax_path(std::string_view text) {
  std::string path;
  while (!text.empty()) {
    size_t length = 0;
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), length);
    const auto digits = static_cast<size_t>(end - text.data());
    if (wrong != std::errc() || length <= digits + 1 || length > text.size()) break;
    const std::string_view line = text.substr(digits + 1, length - digits - 2);
    if (line.starts_with("path=")) path = line.substr(5);
    text.remove_prefix(length);
  }
  return path;
}

}  // namespace

bool is_tar(std::string_view bytes) {
  return bytes.size() >= kBlock && bytes.substr(257, 5) == "ustar";
}

Result<void> TarReader::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    if (left_ > 0) {
      const size_t take = std::min<uint64_t>(left_, bytes.size());
      const size_t content = std::min<uint64_t>(take, content_left_);
      if (keep_ != nullptr) keep_->append(bytes.substr(0, content));
      if (on_ && content > 0)
        if (auto passed = to_(bytes.substr(0, content)); !passed) return passed;
      content_left_ -= content;
      left_ -= take;
      bytes.remove_prefix(take);
      if (left_ == 0) end_of_member();
      continue;
    }
    const size_t take = std::min(kBlock - header_.size(), bytes.size());
    header_.append(bytes.substr(0, take));
    bytes.remove_prefix(take);
    if (header_.size() < kBlock) continue;
    if (auto read = read_header(); !read) return read;
    header_.clear();
  }
  return {};
}

Result<Members> TarReader::finish() && {
  if (left_ > 0 || !header_.empty()) return Error("the archive is truncated");
  if (several_) return Error("it contains several files of that name");
  return std::move(members_);
}

std::string_view TarReader::field(size_t at, size_t length) const {
  const std::string_view whole = std::string_view(header_).substr(at, length);
  return whole.substr(0, whole.find('\0'));
}

Result<uint64_t> TarReader::octal(size_t at, size_t length) const {
  std::string_view digits = field(at, length);
  digits.remove_prefix(std::min(digits.find_first_not_of(' '), digits.size()));
  uint64_t value = 0;
  const auto [end, wrong] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 8);
  if (wrong != std::errc() || (end != digits.data() + digits.size() && *end != ' '))
    return Error("the archive is damaged: a member's header cannot be read");
  return value;
}

void TarReader::end_of_member() {
  if (kind_ == kGnuLongName) next_path_ = text_.substr(0, text_.find('\0'));
  if (kind_ == kPax) next_path_ = pax_path(text_);
  text_.clear();
  keep_ = nullptr;
  on_ = false;
}

Result<void> TarReader::read_header() {
  if (header_.find_first_not_of('\0') == std::string::npos) return {};
  const auto sum = octal(148, 8);
  const auto size = octal(124, 12);
  if (!sum) return sum.error();
  if (!size) return size.error();
  uint64_t actual = uint64_t{8} * ' ';  // the checksum's own field counts as blanks
  for (size_t i = 0; i < kBlock; ++i)
    if (i < 148 || i >= 156) actual += static_cast<unsigned char>(header_[i]);
  if (actual != *sum) return Error("the archive is damaged: a member's header has the wrong checksum");
  std::string path(field(0, 100));
  if (field(257, 5) == "ustar" && !field(345, 155).empty()) path = std::string(field(345, 155)) + "/" + path;
  kind_ = header_[156];
  const bool names_next = kind_ == kGnuLongName || kind_ == kPax;
  if (!names_next && !next_path_.empty()) path = std::exchange(next_path_, {});
  if (path.starts_with("./")) path.erase(0, 2);
  left_ = (*size + kBlock - 1) / kBlock * kBlock;
  content_left_ = *size;
  keep_ = nullptr;
  on_ = false;
  if (names_next) {
    if (*size > kLongestPath) return Error("the archive is damaged: a path is too long");
    keep_ = &text_;
  } else if ((kind_ == '0' || kind_ == '\0') && wanted_(path)) {
    if (*size > kLargestMember) return Error(path + " in the archive is too large");
    // If a path occurs twice, the last member counts, but bytes that were passed on cannot be withdrawn.
    if (to_ && !members_.empty()) several_ = true;
    std::string& member = members_[path];
    if (to_) {
      on_ = true;
      return {};
    }
    keep_ = &member;
    keep_->clear();
    keep_->reserve(*size);
  }
  return {};
}

Result<Members> read_tar(std::string_view archive, const Wanted& wanted, const Sink& to) {
  TarReader tar(wanted, to);
  auto fed = decompress(archive, [&tar](std::string_view piece) { return tar.feed(piece); });
  if (!fed) return std::move(fed).error();
  return std::move(tar).finish();
}

}  // namespace sunup::archive
