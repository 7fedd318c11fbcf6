// The little of UTF-8 that reading and writing JSON needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sunup::contract {

// Length of the well-formed sequence at the start of `text`; 0 if there is none (overlong, surrogate, cut off ...).
size_t utf8_sequence_length(std::string_view text);

void append_utf8(uint32_t code_point, std::string& out);

// For showing a value in a message: one line, at most `limit` characters, quoted, control characters as escapes.
std::string quoted_excerpt(std::string_view text, size_t limit = 60);

}  // namespace sunup::contract
