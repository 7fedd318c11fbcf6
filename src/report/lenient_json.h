// Reads JSON objects from text that is not valid JSON: surrounded by log lines, truncated, with raw control characters
// or broken UTF-8 in its strings. Platforms do all of this to a status.
//
//   Fields fields = read_object(text, text.find('{'));   // the readable part, and whether it is truncated
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
  std::vector<Field> children;  // of an object; the content of arrays is omitted
  bool quoted = false;          // a string, not a number or word
  bool cut = false;             // the text ended inside the value: there was more of it
};

struct Fields {
  std::vector<Field> fields;
  size_t start = 0;        // the position of its '{'
  size_t end = 0;          // where reading stopped
  bool truncated = false;  // the text ended inside the object
  bool broken = false;     // it contains something that is not JSON
};

// `start` must be the position of a '{'.
Fields read_object(std::string_view text, size_t start);

// Every object in the text, also inside others and inside arrays, inner objects first. `wanted` returns whether an
// object is a result: then the search continues after its end and not inside its strings. Takes linear time for any
// text.
void each_object(std::string_view text, const std::function<bool(const Fields&)>& wanted);

// The text without one level of JSON string escapes: \" becomes ", \n a line feed. For JSON inside JSON.
std::string unescape_once(std::string_view text);

// Converts any bytes to UTF-8: UTF-16 with a byte order mark is converted, a UTF-8 mark dropped, and each invalid byte
// replaced by U+FFFD.
std::string to_clean_utf8(std::string_view bytes);

}  // namespace sunup::report
