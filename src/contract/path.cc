#include "contract/path.h"

#include <algorithm>

#include "base/text.h"
#include "contract/quoted_excerpt.h"

namespace sunup::contract {
namespace {

constexpr size_t kLongestName = 120;

bool is_plain(char c) {
  return is_alphanumeric(c) || c == '_';
}

}  // namespace

void append_name(std::string_view name, std::string& path) {
  if (name.empty() || name.size() > kLongestName || !std::all_of(name.begin(), name.end(), is_plain))
    return append_key(name, path);
  path += '.';
  path += name;
}

void append_key(std::string_view key, std::string& path) {
  path += '[';
  path += quoted_excerpt(key, kLongestName);
  path += ']';
}

void append_index(size_t index, std::string& path) {
  path += '[';
  path += std::to_string(index);
  path += ']';
}

}  // namespace sunup::contract
