// Text put between quotes as in the original's error texts, and text from a node made safe to print.
#pragma once

#include <string>
#include <string_view>

namespace sunup::report {

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
