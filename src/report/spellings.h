// The forms in which scripts print a value: base64 (also in the middle of a longer encoded text), a JSON string, quoted
// for a shell, in a URL.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/pattern.h"

namespace sunup::report {

// Includes `value` itself, and may contain duplicates.
std::vector<Pattern> spellings_of(std::string_view value);

// The part of the base64 text that depends only on `value`, if `before` bytes (0, 1 or 2 modulo 3) precede it.
std::string base64_core(std::string_view value, size_t before);

}  // namespace sunup::report
