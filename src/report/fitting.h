// Text cut to a limit of bytes without breaking a character, and showing that it was cut.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sunup::report {

// The start of `text` in at most `room` bytes of whole code points; "..." at its end where something is missing.
std::string fitting(std::string_view text, size_t room);

}  // namespace sunup::report
