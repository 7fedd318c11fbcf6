// Fowler-Noll-Vo hashes: cluster IDs (FNV-1a 64), the drift hash of a node class (FNV-1 64: multiply first, then xor)
// and the in-place hash of tags (FNV-1a 32).
#pragma once

#include <cstdint>
#include <string_view>

namespace sunup::fleet {

constexpr uint64_t fnv1a_64(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

constexpr uint64_t fnv1_64(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : bytes) hash = (hash * 0x100000001b3) ^ static_cast<unsigned char>(c);
  return hash;
}

constexpr uint32_t fnv1a_32(std::string_view bytes) {
  uint32_t hash = 0x811c9dc5;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193;
  return hash;
}

}  // namespace sunup::fleet
