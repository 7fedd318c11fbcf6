// A value of the config for a message: one line that is safe for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sunup::contract {

// At most `limit` characters, quoted, control characters and invalid UTF-8 as escapes. Credentials in URLs are not
// shown.
std::string quoted_excerpt(std::string_view value, size_t limit = 60);

}  // namespace sunup::contract
