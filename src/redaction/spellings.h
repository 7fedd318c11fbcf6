// The forms in which programs write a value.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "redaction/pattern.h"

namespace sunup::redaction {

// The forms in which scripts print it: base64 (also in the middle of a longer encoded text), a JSON string, quoted for
// a shell, in a URL. Includes `value` itself, and may contain duplicates.
std::vector<Pattern> spellings_of(std::string_view value);

// Its forms in a log that several programs have processed: quoted for JSON twice, in HTML, in hex, in base64 of base64.
std::vector<std::string> disguises_of(std::string_view secret);

}  // namespace sunup::redaction
