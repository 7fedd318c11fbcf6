// The documentation of fields as JSON, for `sunup config explain --format json` and the HTTP API.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "contract/field_docs.h"

namespace sunup::render {

nlohmann::ordered_json field_json(const contract::FieldDoc& doc);

// What a question is about: fields, or a variable that every node gets with the same value, whatever its config says.
struct Explained {
  std::vector<const contract::FieldDoc*> fields;
  std::string variable;  // if there are no fields
  std::string value;

  nlohmann::ordered_json json() const;  // a list
};
// No question: all fields. The error suggests fields with a similar name.
Result<Explained> explain_field(std::string_view question);

}  // namespace sunup::render
