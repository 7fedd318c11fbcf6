// The escapes of JSON strings, for all readers of JSON. Each reader decides how to handle an invalid one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sunup {

struct JsonEscape {
  enum class Problem : uint8_t {
    kNone,
    kUnknown,  // not an escape of JSON, or the text ends after the backslash
    kHex,      // \u without four hexadecimal digits
    kHalf,     // half of a surrogate pair without its other half
  };
  Problem problem = Problem::kNone;
  uint32_t code = 0;  // the code point; for kHalf: the half
  size_t length = 0;  // in bytes, with the backslash; for kUnknown and kHex: up to the invalid byte

  bool is_known() const { return problem == Problem::kNone || problem == Problem::kHalf; }
  // The replacement for half a pair in tolerant readers: U+FFFD.
  uint32_t forgiven() const { return problem == Problem::kHalf ? 0xFFFD : code; }
};

// The escape that `text` begins with; its first byte is the backslash.
JsonEscape read_json_escape(std::string_view text);

}  // namespace sunup
