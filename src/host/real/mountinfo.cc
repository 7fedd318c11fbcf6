#include "host/real/mountinfo.h"

#include <algorithm>
#include <string>

#include "base/text.h"

namespace sunup::host::real {
namespace {

std::string unescape(std::string_view text) {
  const auto is_octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string out;
  while (!text.empty()) {
    const bool escape = text.size() > 3 && text[0] == '\\' && std::ranges::all_of(text.substr(1, 3), is_octal);
    out += escape ? static_cast<char>((text[1] - '0') * 64 + (text[2] - '0') * 8 + (text[3] - '0')) : text[0];
    text.remove_prefix(escape ? 4 : 1);
  }
  return out;
}

}  // namespace

std::vector<Mount> parse_mountinfo(std::string_view text) {
  constexpr size_t kTarget = 4;
  constexpr size_t kOptions = 5;
  std::vector<Mount> mounts;
  while (!text.empty()) {
    const auto fields = words(take_until(text, '\n'));
    const auto dash = std::ranges::find(fields, "-");
    const auto after = static_cast<size_t>(fields.end() - dash);  // the dash, the type, the source
    if (dash - fields.begin() <= static_cast<std::ptrdiff_t>(kOptions) || after < 3) continue;
    mounts.push_back({.source = unescape(dash[2]),
                      .target = unescape(fields[kTarget]),
                      .type = std::string(dash[1]),
                      .options = std::string(fields[kOptions])});
  }
  return mounts;
}

}  // namespace sunup::host::real
