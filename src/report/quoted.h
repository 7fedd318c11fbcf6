// Quotes text in the formats of the original: JSON strings (two flavours) and quoted error texts. Also makes text from
// a node safe to print.
#pragma once

#include <string>
#include <string_view>

namespace sunup::report {

// The log does not escape <, > and &; events and provision.json write them as \u003c, \u003e and \u0026, so the text is
// safe in HTML.
enum class Markup { kAsIs, kEscaped };

// Appends `"text"`. A byte that is not UTF-8 becomes \ufffd; control characters, U+2028 and U+2029 are escaped.
void append_json_string(std::string& out, std::string_view text, Markup markup);

// `"text"` for display: control and other unprintable characters as \t, \x01, \u2028; printable ones kept.
std::string quoted(std::string_view text);

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

}  // namespace sunup::report
