// Reads JSON objects out of text that is not JSON: surrounded by log lines, cut off at the end, with raw control
// characters or broken UTF-8 in its strings. Platforms do all of that to a status on its way back.
//
//   Fields fields = read_object(text, text.find('{'));   // what could be read, and whether the end was missing
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sunup::report {

struct Field {
  std::string key;
  std::string value;            // strings unescaped, numbers and words as written
  std::vector<Field> children;  // of an object; what is in an array is left out
  bool quoted = false;          // a string, not a number or word
  bool cut = false;             // the text ended inside the value: there was more of it
};

struct Fields {
  std::vector<Field> fields;
  size_t start = 0;        // the position of its '{'
  size_t end = 0;          // where reading stopped
  bool truncated = false;  // the text ended inside the object
  bool broken = false;     // something that is no JSON stood in the way
};

// `start` must be the position of a '{'.
Fields read_object(std::string_view text, size_t start);

// Every object in the text, also inside others and inside arrays: an inner one before the one around it. `wanted` says
// of each whether the reader's search is over with it: then what follows the object's end is looked at next, and not
// what its strings may hold. Takes time proportional to the text, whatever is in it.
void each_object(std::string_view text, const std::function<bool(const Fields&)>& wanted);

// The text with one level of JSON string escapes taken away: \" becomes ", \n a line feed. For JSON inside JSON.
std::string unescape_once(std::string_view text);

// Whatever bytes came in, as UTF-8: UTF-16 with a byte order mark is converted, a UTF-8 mark dropped, and each
// invalid byte replaced by U+FFFD.
std::string to_clean_utf8(std::string_view bytes);

}  // namespace sunup::report
