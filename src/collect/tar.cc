#include "collect/tar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sunup::collect {
namespace {

constexpr size_t kBlock = 512;

// The offset and the size of a header field.
struct Field {
  size_t at, size;
};
constexpr Field kName{0, 100}, kMode{100, 8}, kUid{108, 8}, kGid{116, 8}, kSize{124, 12}, kTime{136, 12}, kSum{148, 8},
    kType{156, 1}, kMagic{257, 8}, kPrefix{345, 155};

class Header {
 public:
  void text(Field field, std::string_view value) {
    std::ranges::copy(value.substr(0, field.size), bytes_.begin() + static_cast<ptrdiff_t>(field.at));
  }
  void octal(Field field, uint64_t value) { text(field, fmt::format("{:0{}o}", value, field.size - 1)); }
  std::string_view finish() {
    text(kSum, "        ");  // counts as blanks while it is computed
    uint64_t sum = 0;
    for (const char c : bytes_) sum += static_cast<unsigned char>(c);
    text(kSum, fmt::format("{:06o}", sum));
    bytes_[kSum.at + 6] = '\0';
    return {bytes_.data(), bytes_.size()};
  }

 private:
  std::array<char, kBlock> bytes_ = {};
};

}  // namespace

Result<void> Tar::add(std::string_view name, std::string_view content) {
  std::string_view prefix;
  std::string_view rest = name;
  if (rest.size() > kName.size) {
    const size_t slash = name.find('/', name.size() - kName.size - 1);
    if (slash == std::string_view::npos || slash == 0 || slash > kPrefix.size)
      return Error(fmt::format("the name {} is too long for a tar archive", name));
    prefix = name.substr(0, slash);
    rest = name.substr(slash + 1);
  }
  if (rest.empty()) return Error("a member of a tar archive needs a name");
  Header header;
  header.text(kName, rest);
  header.text(kPrefix, prefix);
  header.octal(kMode, 0600);
  header.octal(kUid, 0);
  header.octal(kGid, 0);
  header.octal(kSize, content.size());
  header.octal(kTime, static_cast<uint64_t>(std::max<int64_t>(modified_, 0)));
  header.text(kType, "0");
  header.text(kMagic, std::string_view("ustar\0"
                                       "00",
                                       8));
  bytes_ += header.finish();
  bytes_ += content;
  bytes_.resize((bytes_.size() + kBlock - 1) / kBlock * kBlock);
  return {};
}

std::string Tar::finish() && {
  bytes_.resize(bytes_.size() + 2 * kBlock);
  return std::move(bytes_);
}

}  // namespace sunup::collect
