// Reads small JSON files that other programs write (provision.json, the hotfix pointer). It is a separate reader
// because its error texts appear in logs and must be those of the original:
//
//   invalid character 'o' in literal null (expecting 'u')
//   unexpected end of JSON input
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace sunup::report {

struct JsonMember;

struct JsonValue {
  enum class Kind { kNull, kBool, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  std::string text;                 // of a string, decoded; of a number or bool, as written
  std::vector<JsonValue> items;     // of an array
  std::vector<JsonMember> members;  // of an object, in order, duplicates kept

  // "string", "number", ...: its name in error messages.
  std::string_view kind_name() const;
};

struct JsonMember {
  std::string name;
  JsonValue value;
};

// Bytes that are not UTF-8 become U+FFFD inside strings. Only white space may follow the value.
Result<JsonValue> parse_json(std::string_view text);

// Member names of these files are matched without regard to (ASCII) case.
bool same_name(std::string_view a, std::string_view b);

}  // namespace sunup::report
