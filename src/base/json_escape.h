// The escapes of JSON strings, for every reader of JSON. What a reader makes of a wrong one is its own business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sunup {

struct JsonEscape {
  enum class Problem : uint8_t {
    kNone,
    kUnknown,  // not an escape that JSON knows, or the text ends behind the backslash
    kHex,      // \u without four hexadecimal digits
    kHalf,     // half of a surrogate pair without its other half
  };
  Problem problem = Problem::kNone;
  uint32_t code = 0;  // the code point that it stands for; of kHalf: the half
  size_t length = 0;  // in bytes, with the backslash; of kUnknown and kHex: up to the byte that is wrong

  bool is_known() const { return problem == Problem::kNone || problem == Problem::kHalf; }
  // What readers that forgive half a pair take it for: U+FFFD.
  uint32_t forgiven() const { return problem == Problem::kHalf ? 0xFFFD : code; }
};

// The escape that `text` begins with; its first byte is the backslash.
JsonEscape read_json_escape(std::string_view text);

}  // namespace sunup
