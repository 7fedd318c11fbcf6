// Fowler-Noll-Vo hashes, for changes and names that no attacker chooses. FNV-1a xors first, FNV-1 multiplies first; Go
// programs use both, so the hashes of node classes and cluster IDs need them.
#pragma once

#include <cstdint>
#include <string_view>

namespace sunup {

inline constexpr uint64_t kFnvStart = 0xcbf29ce484222325;

// The hash of a text in pieces: each piece starts with the hash of the pieces before it.
constexpr uint64_t fnv1a_64(std::string_view bytes, uint64_t hash = kFnvStart) {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

constexpr uint64_t fnv1_64(std::string_view bytes) {
  uint64_t hash = kFnvStart;
  for (const char c : bytes) hash = (hash * 0x100000001b3) ^ static_cast<unsigned char>(c);
  return hash;
}

constexpr uint32_t fnv1a_32(std::string_view bytes) {
  uint32_t hash = 0x811c9dc5;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193;
  return hash;
}

}  // namespace sunup
