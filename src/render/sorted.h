// The entries of a contract map, sorted by the bytes of their keys. The map itself is unordered.
#pragma once

#include <google/protobuf/map.h>

#include <algorithm>
#include <string>
#include <vector>

namespace sunup::render {

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
