// Text rules of the contract: which characters are white space, what ignoring case means. They are Unicode's, cut down
// to what matters when the other side of every comparison is ASCII.
#pragma once

#include <google/protobuf/map.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace sunup::render {

// Unicode white space: U+0009-000D, 0020, 0085, 00A0, 1680, 2000-200A, 2028, 2029, 202F, 205F, 3000.
std::string without_white_space(std::string_view text);
std::string_view trimmed(std::string_view text);
std::vector<std::string_view> words(std::string_view text);

std::string without_newlines(std::string_view text);  // drops every LF and CR

// ASCII lower-casing, plus the two other code points whose lower case is ASCII (U+0130 -> i, U+212A -> k).
std::string lower_cased(std::string_view text);

// Are both the same but for case? Simple case folding, where U+212A is also a 'k' and U+017F an 's'. `ascii` must be.
bool equal_fold(std::string_view text, std::string_view ascii);

template <class Strings>
std::string joined(const Strings& items, std::string_view separator) {
  std::string out;
  bool first = true;
  for (const std::string& item : items) {
    if (!first) out += separator;
    first = false;
    out += item;
  }
  return out;
}

// Entries of a contract map in the order of their keys' bytes; the map itself has none.
template <class Value>
std::vector<const typename google::protobuf::Map<std::string, Value>::value_type*> sorted(
    const google::protobuf::Map<std::string, Value>& map) {
  std::vector<const typename google::protobuf::Map<std::string, Value>::value_type*> entries;
  entries.reserve(map.size());
  for (const auto& entry : map) entries.push_back(&entry);
  std::sort(entries.begin(), entries.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
  return entries;
}

}  // namespace sunup::render
