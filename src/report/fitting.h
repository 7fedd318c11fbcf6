// Shortens text to a number of bytes without breaking a character, and marks that it was shortened.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sunup::report {

// The start of `text` in at most `room` bytes of whole code points; ends with "..." if it was shortened.
std::string fitting(std::string_view text, size_t room);

}  // namespace sunup::report
