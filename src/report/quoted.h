// Text put between quotes, in the two ways the original's readers know: JSON strings (two flavours) and the quoting of
// error texts. And text from a node made safe to print.
#pragma once

#include <string>
#include <string_view>

namespace sunup::report {

// The log leaves <, > and & as they are; events and provision.json write them as \u003c, \u003e and \u0026, so that
// they may be pasted into a page.
enum class Markup { kAsIs, kEscaped };

// Appends `"text"`. A byte that is not UTF-8 becomes \ufffd; control characters, U+2028 and U+2029 are escaped.
void append_json_string(std::string& out, std::string_view text, Markup markup);

// `"text"` for people: control and other unprintable characters as \t, \x01, \u2028; printable ones kept.
std::string quoted(std::string_view text);

// The same without quotes, for a terminal that would act upon an escape sequence in it. Tabs, quotes and backslashes
// stay as they are, a CR before a line feed goes, and a line feed is followed by `indent`.
std::string visible(std::string_view text, std::string_view indent = "");

// The same in one line, a line feed as \n: what stands in a list or a table must not look like its next line.
std::string one_line(std::string_view text);

// JSON text with the same meaning in which no character is escaped that need not be: "\/" is "/", "\u0041" is "A".
// Text that is no JSON comes back as it is, but for what looks like that.
std::string plainly_spelled(std::string_view json);

// 'c' of one byte that a JSON reader stumbled over, e.g. 'o', '\'' or '\x00'. Bytes past 0x7f are shown as the
// code point of that number, as the original does.
std::string quoted_byte(unsigned char byte);

}  // namespace sunup::report
