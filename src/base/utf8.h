// Writes and reads single code points, also from text that is not valid UTF-8: configs and the output of child
// processes can contain any bytes, and text that quotes them must still be valid.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sunup {

struct Rune {
  static constexpr uint32_t kInvalid = 0xFFFFFFFF;
  uint32_t code = kInvalid;
  size_t size = 1;  // its length in bytes; an invalid byte is one rune
  bool valid() const { return code != kInvalid; }
};

// The first rune of `text`, which must not be empty. Overlong forms, surrogates and values past U+10FFFF are invalid.
Rune first_rune(std::string_view text);

// The length of the part of `text` before its first byte that is not UTF-8; text.size() if all of it is valid.
size_t utf8_length(std::string_view text);

// The start of `text` in at most `room` bytes that does not end within a character.
std::string_view utf8_start(std::string_view text, size_t room);

void append_utf8(std::string& out, uint32_t code);

// The start of `text` in at most `room` bytes of whole code points; ends with "..." if it was shortened.
std::string fitting(std::string_view text, size_t room);

}  // namespace sunup
