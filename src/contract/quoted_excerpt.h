// A value of the config in a message: one line that cannot break the terminal it is shown on.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sunup::contract {

// At most `limit` characters, quoted, control characters and what is not UTF-8 as escapes. The credentials of URLs are
// not shown.
std::string quoted_excerpt(std::string_view value, size_t limit = 60);

}  // namespace sunup::contract
