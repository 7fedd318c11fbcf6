// The journal as text that can be searched: journalctl prints a field that is not plain text (colours are enough) as
// the numbers of its bytes, and no sieve finds a password in those.
#pragma once

#include <string>
#include <string_view>

namespace sunup::collect {

// Arrays of bytes become strings, without the terminal's colour codes. A line that has numbers in an array and cannot
// be read is dropped: nobody could say what is in it.
std::string readable_journal(std::string_view journal);

}  // namespace sunup::collect
