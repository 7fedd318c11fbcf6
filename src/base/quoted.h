// Quotes text as the original's error texts do, and makes text from a node safe to print.
#pragma once

#include <string>
#include <string_view>

namespace sunup {

// `"text"` for display: control and other unprintable characters as \t, \x01, \u2028; printable ones kept.
std::string go_quoted(std::string_view text);

// The same without quotes, for a terminal, which would interpret escape sequences. Tabs, quotes and backslashes are
// kept, a CR before a line feed is removed, and a line feed is followed by `indent`.
std::string visible(std::string_view text, std::string_view indent = "");

// The same in one line, a line feed as \n, for lists and tables.
std::string one_line(std::string_view text);

// Equivalent JSON text without unnecessary escapes: "\/" becomes "/", "\u0041" becomes "A". Text that is not JSON is
// not changed, except for such escapes.
std::string plainly_spelled(std::string_view json);

// 'c' for the byte at which a JSON reader failed, e.g. 'o', '\'' or '\x00'. Bytes past 0x7f are shown as the code point
// of that number, as the original does.
std::string quoted_byte(unsigned char byte);

}  // namespace sunup
