// Base64, standard alphabet with '=' padding, one line.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sunup {

std::string base64_encode(std::string_view bytes);

// Strict: anything but the canonical alphabet and right padding is refused. CR and LF are skipped, because PEM bodies
// and hand-made configs wrap lines.
std::optional<std::string> base64_decode(std::string_view text);

}  // namespace sunup
