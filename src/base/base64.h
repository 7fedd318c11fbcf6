// Base64, standard alphabet with '=' padding, one line.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sunup {

std::string base64_encode(std::string_view bytes);

// Strict: accepts only the canonical alphabet and correct padding. CR and LF are skipped, because PEM bodies and
// hand-written configs wrap lines.
std::optional<std::string> base64_decode(std::string_view text);

}  // namespace sunup
