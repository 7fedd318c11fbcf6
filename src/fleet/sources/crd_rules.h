// The validation rules of a custom resource as data: the fields of an object, their allowed values, and conditions
// between fields. One function checks an object and reports the path and rule of each violation; another fills in the
// defaults as the API server does.
//
//   constexpr Property kFields[] = {{.name = "maxPods", .shape = Shape::kInt, .min = 10, .max = 250}};
//   constexpr Object kSpec{.fields = kFields};
//   check(kSpec, doc, "spec", findings);
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "contract/finding.h"
#include "fleet/sources/document.h"

namespace sunup::fleet {

using contract::Finding;
using contract::Severity;
using Findings = std::vector<Finding>;

enum class Shape { kText, kInt, kNumber, kBool, kObject, kList, kMap, kQuantity, kAny };

// A format of text, and its description in messages.
struct Pattern {
  bool (*matches)(std::string_view);
  std::string_view shown;
};

struct Object;

// The bounds of a 32-bit field.
inline constexpr int64_t kMinInt32 = std::numeric_limits<int32_t>::min();
inline constexpr int64_t kMaxInt32 = std::numeric_limits<int32_t>::max();

struct Property {
  std::string_view name = {};
  Shape shape = Shape::kText;
  bool required = false;
  int64_t min = std::numeric_limits<int64_t>::min();  // of the number, of the text's length, or of the list's
  int64_t max = std::numeric_limits<int64_t>::max();
  std::string_view one_of = {};        // "Ubuntu|AzureLinux"
  const Pattern* pattern = nullptr;    // of the text, or of each value of a map
  const Pattern* keys = nullptr;       // of each key of a map
  const Object* object = nullptr;      // the type of a kObject, or of each item of a kList
  const Property* item = nullptr;      // the type of each item of a kList or value of a kMap, if it is not an object
  std::string_view default_json = {};  // used if the field is missing and its object present
};

// A condition over several fields of an object; evaluated only if each field by itself is valid.
struct Condition {
  std::string_view must;  // the text of the message
  bool (*holds)(const nlohmann::json& self);
  std::string_view field = {};  // the field to report, relative to the object: "sysctls.vmSwappiness"
};

struct Object {
  std::span<const Property> fields;
  std::span<const Condition> conditions = {};
};

// Adds a finding for every rule that `value` at `path` violates; an unknown field is a warning with the most similar
// known name, because it is accepted and has no effect.
void check(const Object& object, const nlohmann::json& value, const std::string& path, const Document& doc,
           Findings& findings);

void apply_defaults(const Object& object, nlohmann::json& value);

// metadata.name, which every object of the API has.
void check_name(const Document& doc, Findings& findings);

// Adds a finding with its position in the document.
void report(Findings& findings, Severity severity, const Document& doc, const std::string& path, std::string_view rule,
            std::string message, std::string hint = "");

// The same for findings about a node, which have no position.
void warn(Findings& findings, std::string path, std::string_view rule, std::string message, std::string hint = "");
void note(Findings& findings, std::string path, std::string_view rule, std::string message);

bool has_errors(const Findings& findings);

// "pool.yaml:12: spec.weight: must be 1..100 (rule: ...)", one per line, each with `prefix`.
std::string describe(const Findings& findings, Severity severity, std::string_view prefix = "");

}  // namespace sunup::fleet
