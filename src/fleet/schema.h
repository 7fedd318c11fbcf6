// The validation rules of a custom resource, as data: what fields an object has, what each may hold, and the
// conditions between fields. One walk checks an object against its rules and names path and rule of whatever breaks
// one; another fills in the defaults the way the API server does.
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
#include "fleet/document.h"

namespace sunup::fleet {

using contract::Finding;
using contract::Severity;
using Findings = std::vector<Finding>;

enum class Shape { kText, kInt, kNumber, kBool, kObject, kList, kMap, kQuantity, kAny };

// A shape of text, with the words a message shows for it.
struct Pattern {
  bool (*matches)(std::string_view);
  std::string_view shown;
};

struct Object;

// The bounds of a field that the API keeps in 32 bits.
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
  const Object* object = nullptr;      // what a kObject is, or each item of a kList
  const Property* item = nullptr;      // what each item of a kList or value of a kMap is, when it is not an object
  std::string_view default_json = {};  // filled in when the field is absent and its object present
};

// A condition over several fields of one object; it is asked only when each field by itself is well-formed.
struct Condition {
  std::string_view must;  // the sentence that a message shows
  bool (*holds)(const nlohmann::json& self);
  std::string_view field = {};  // the one to look at first, from the object on: "sysctls.vmSwappiness"
};

struct Object {
  std::span<const Property> fields;
  std::span<const Condition> conditions = {};
};

// Adds a finding for every rule that `value`, found at `path`, breaks; a field nobody knows is a warning with the
// nearest known name, because it is accepted and has no effect.
void check(const Object& object, const nlohmann::json& value, const std::string& path, const Document& doc,
           Findings& findings);

void apply_defaults(const Object& object, nlohmann::json& value);

// metadata.name, which every object of the API has.
void check_name(const Document& doc, Findings& findings);

// Adds one finding, at its place in the document.
void report(Findings& findings, Severity severity, const Document& doc, const std::string& path, std::string_view rule,
            std::string message, std::string hint = "");

bool has_errors(const Findings& findings);

// "pool.yaml:12: spec.weight: must be 1..100 (rule: ...)", one a line, each with `prefix` before it.
std::string describe(const Findings& findings, Severity severity, std::string_view prefix = "");

}  // namespace sunup::fleet
