// The nesting of JSON text from outside. The parser needs no stack for it, but everything that copies, prints or
// searches a parsed value does, so a text of a few hundred kilobytes could end the program.
#pragma once

#include <string_view>

namespace sunup {

inline constexpr int kMaxNesting = 100;

// Whether lists and objects of this JSON text are nested deeper than kMaxNesting. The result is arbitrary for text that
// is not JSON.
bool nested_too_deeply(std::string_view json);

}  // namespace sunup
