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

// The result of a question: fields, or a variable that has the same value on every node, independent of the config.
struct Explained {
  std::vector<const contract::FieldDoc*> fields;
  std::string variable;  // if there are no fields
  std::string value;

  nlohmann::ordered_json json() const;  // a list
};
// An empty question selects all fields. The error suggests fields with a similar name.
Result<Explained> explain_field(std::string_view question);

}  // namespace sunup::render
