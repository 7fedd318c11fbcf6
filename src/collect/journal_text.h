// Converts the journal to searchable text: journalctl prints a field that is not plain text (for example with colours)
// as an array of byte values, in which no filter finds a password.
#pragma once

#include <string>
#include <string_view>

namespace sunup::collect {

// Arrays of bytes become strings, without terminal colour codes. A line with such an array that cannot be parsed is
// dropped, because its content is unknown.
std::string readable_journal(std::string_view journal);

}  // namespace sunup::collect
