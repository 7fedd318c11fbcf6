#include "base/base64.h"

#include <array>
#include <cstdint>
#include <cstring>

namespace sunup {
namespace {

constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<int8_t, 256> reverse_alphabet() {
  std::array<int8_t, 256> table{};
  for (auto& entry : table) entry = -1;
  for (int i = 0; i < 64; ++i) table[static_cast<unsigned char>(kAlphabet[i])] = static_cast<int8_t>(i);
  return table;
}
constexpr auto kReverse = reverse_alphabet();

// Two characters for every 12 bits, which halves the number of lookups. Custom data is most of the output of a batch of
// launch templates.
using Pair = std::array<char, 2>;
constexpr std::array<Pair, 4096> pairs() {
  std::array<Pair, 4096> table{};
  for (size_t i = 0; i < table.size(); ++i) table[i] = {kAlphabet[i >> 6], kAlphabet[i & 63]};
  return table;
}
constexpr auto kPairs = pairs();

}  // namespace

std::string base64_encode(std::string_view bytes) {
  std::string out;
  out.resize((bytes.size() + 2) / 3 * 4);
  char* to = out.data();
  size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3) {
    const uint32_t v = static_cast<uint32_t>(static_cast<unsigned char>(bytes[i])) << 16 |
                       static_cast<uint32_t>(static_cast<unsigned char>(bytes[i + 1])) << 8 |
                       static_cast<uint32_t>(static_cast<unsigned char>(bytes[i + 2]));
    std::memcpy(to, kPairs[v >> 12].data(), 2);
    std::memcpy(to + 2, kPairs[v & 4095].data(), 2);
    to += 4;
  }
  const size_t rest = bytes.size() - i;
  if (rest > 0) {
    uint32_t v = static_cast<uint32_t>(static_cast<unsigned char>(bytes[i])) << 16;
    if (rest == 2) v |= static_cast<uint32_t>(static_cast<unsigned char>(bytes[i + 1])) << 8;
    *to++ = kAlphabet[v >> 18];
    *to++ = kAlphabet[v >> 12 & 63];
    *to++ = rest == 2 ? kAlphabet[v >> 6 & 63] : '=';
    *to++ = '=';
  }
  return out;
}

std::optional<std::string> base64_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size() / 4 * 3);
  uint32_t bits = 0;
  int have = 0;
  int padding = 0;
  for (const char c : text) {
    if (c == '\n' || c == '\r') continue;
    if (c == '=') {
      if (++padding > 2) return std::nullopt;
      continue;
    }
    const int8_t value = kReverse[static_cast<unsigned char>(c)];
    if (value < 0 || padding > 0) return std::nullopt;
    bits = bits << 6 | static_cast<uint32_t>(value);
    if (++have == 4) {
      out += static_cast<char>(bits >> 16);
      out += static_cast<char>(bits >> 8);
      out += static_cast<char>(bits);
      bits = 0;
      have = 0;
    }
  }
  if (have == 0) return padding == 0 ? std::optional(std::move(out)) : std::nullopt;
  if (have == 1 || have + padding != 4) return std::nullopt;
  if (have == 2) {
    if (bits & 0xf) return std::nullopt;  // unused bits must be zero; no encoder sets them
    out += static_cast<char>(bits >> 4);
  } else {
    if (bits & 0x3) return std::nullopt;
    out += static_cast<char>(bits >> 10);
    out += static_cast<char>(bits >> 2);
  }
  return out;
}

}  // namespace sunup
