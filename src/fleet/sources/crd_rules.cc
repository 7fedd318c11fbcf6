#include "fleet/sources/crd_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.h"
#include "base/text.h"
#include "fleet/sources/patterns.h"
#include "fleet/sources/quantity.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;

bool one_of(std::string_view choices, std::string_view text) {
  while (true) {
    const size_t bar = std::min(choices.find('|'), choices.size());
    if (choices.substr(0, bar) == text) return true;
    if (bar == choices.size()) return false;
    choices.remove_prefix(bar + 1);
  }
}

std::string choices_shown(std::string_view choices) {
  std::string shown(choices);
  for (size_t at = 0; (at = shown.find('|', at)) != std::string::npos; at += 2) shown.replace(at, 1, ", ");
  return shown;
}

std::string bounds_shown(const Property& field) {
  const bool low = field.min != std::numeric_limits<int64_t>::min();
  const bool high = field.max < kMaxInt32;  // the width of the field is not worth a message
  if (low && high) return fmt::format("{}..{}", field.min, field.max);
  return low ? fmt::format("at least {}", field.min) : fmt::format("at most {}", field.max);
}

bool in_bounds(const Property& field, int64_t value) {
  return value >= field.min && value <= field.max;
}

// The term for conditions in a custom resource definition.
constexpr std::string_view kConditionRule = "x-kubernetes-validations";

// The place of a value. It is converted to text only if there is a finding, which is rare.
struct Place {
  const Place* outer = nullptr;
  std::string_view name = {};  // of a member
  size_t index = 0;            // of an item, which has no name

  std::string text() const {
    if (outer == nullptr) return std::string(name);
    std::string path = outer->text();
    if (name.data() == nullptr) return path + fmt::format("[{}]", index);
    if (!path.empty()) path += '.';
    return path.append(name);
  }
  Place member(std::string_view member_name) const { return {this, member_name}; }
  Place item(size_t i) const { return {this, {}, i}; }
};

// Each violated rule is reported under its name in JSON Schema, with its limit.
class Checker {
 public:
  Checker(const Document& doc, Findings& findings) : doc_(doc), findings_(findings) {}

  void object(const Object& object, const json& value, const Place& place) {
    if (!value.is_object()) return error(place, "type", "must be an object");
    const size_t before = findings_.size();
    for (const Property& field : object.fields) {
      const auto it = value.find(field.name);
      if (it == value.end() || it->is_null()) {
        if (field.required) error(place.member(field.name), "required", "must be set");
        continue;
      }
      property(field, *it, place.member(field.name));
    }
    unknown(object, value, place);
    const bool sound = std::none_of(findings_.begin() + static_cast<long>(before), findings_.end(),
                                    [](const Finding& f) { return f.severity == Severity::kError; });
    if (!sound) return;
    for (const Condition& condition : object.conditions)
      if (!condition.holds(value))
        error(condition.field.empty() ? place : place.member(condition.field), kConditionRule,
              std::string(condition.must));
  }

 private:
  void error(const Place& place, std::string_view rule, std::string message, std::string hint = "") {
    report(findings_, Severity::kError, doc_, place.text(), rule, std::move(message), std::move(hint));
  }

  void unknown(const Object& object, const json& value, const Place& place) {
    for (const auto& [name, ignored] : value.get_ref<const json::object_t&>()) {
      const auto known = [&name](const Property& field) { return field.name == name; };
      if (std::any_of(object.fields.begin(), object.fields.end(), known)) continue;
      std::vector<std::string_view> names;
      for (const Property& field : object.fields) names.push_back(field.name);
      const auto near = nearest(name, names);
      report(findings_, Severity::kWarning, doc_, place.member(name).text(), "unknown-field",
             "there is no such field; it has no effect", near ? "did you mean " + *near + "?" : "");
    }
  }

  void text(const Property& field, const std::string& text, const Place& place) {
    const size_t length = unicode::length(text);
    if (!in_bounds(field, static_cast<int64_t>(length)))
      error(place, length > static_cast<size_t>(field.max) ? "maxLength" : "minLength",
            fmt::format("has {} characters, must have {}", length, bounds_shown(field)));
    if (!field.one_of.empty() && !one_of(field.one_of, text)) {
      std::vector<std::string_view> names;
      for (std::string_view rest = field.one_of; !rest.empty();) {
        names.push_back(take_until(rest, '|'));
      }
      const auto near = nearest(text, names);
      error(place, "enum", fmt::format("is '{}', must be one of {}", text, choices_shown(field.one_of)),
            near ? "did you mean " + *near + "?" : "");
    }
    if (field.pattern != nullptr && !field.pattern->matches(text))
      error(place, "pattern", fmt::format("'{}' does not match {}", text, field.pattern->shown));
  }

  void list(const Property& field, const json& value, const Place& place) {
    if (!in_bounds(field, static_cast<int64_t>(value.size())))
      error(place, value.size() > static_cast<size_t>(field.max) ? "maxItems" : "minItems",
            fmt::format("has {} items, must have {}", value.size(), bounds_shown(field)));
    for (size_t i = 0; i < value.size(); ++i) {
      const Place at = place.item(i);
      if (field.object != nullptr) object(*field.object, value[i], at);
      if (field.item != nullptr) property(*field.item, value[i], at);
    }
  }

  void map(const Property& field, const json& value, const Place& place) {
    if (!in_bounds(field, static_cast<int64_t>(value.size())))
      error(place, "maxProperties", fmt::format("has {} entries, must have {}", value.size(), bounds_shown(field)));
    for (const auto& [key, entry] : value.get_ref<const json::object_t&>()) {
      const Place at = place.member(key);
      if (field.keys != nullptr && !field.keys->matches(key))
        error(at, "key", fmt::format("the key '{}' does not match {}", key, field.keys->shown));
      if (field.item != nullptr) {
        property(*field.item, entry, at);
      } else if (!entry.is_string()) {
        error(at, "type", "must be a string", "put it in quotes");
      } else if (field.pattern != nullptr && !field.pattern->matches(entry.get_ref<const std::string&>())) {
        error(at, "pattern",
              fmt::format("'{}' does not match {}", entry.get_ref<const std::string&>(), field.pattern->shown));
      }
    }
  }

  void property(const Property& field, const json& value, const Place& place) {
    switch (field.shape) {
      case Shape::kText:
        if (!value.is_string()) return error(place, "type", "must be a string", "put it in quotes");
        return text(field, value.get_ref<const std::string&>(), place);
      case Shape::kInt:
        if (!value.is_number_integer()) return error(place, "type", "must be a whole number");
        if (value.is_number_unsigned() && value.get<uint64_t>() > std::numeric_limits<int64_t>::max())
          return error(place, "maximum",
                       fmt::format("is {}, which is out of range for every field", value.get<uint64_t>()));
        if (!in_bounds(field, value.get<int64_t>()))
          error(place, value.get<int64_t>() < field.min ? "minimum" : "maximum",
                fmt::format("is {}, must be {}", value.get<int64_t>(),
                            value.get<int64_t>() > kMaxInt32 && field.max == kMaxInt32
                                ? fmt::format("at most {}", kMaxInt32)
                                : bounds_shown(field)));
        return;
      case Shape::kNumber:
        if (!value.is_number()) error(place, "type", "must be a number");
        return;
      case Shape::kBool:
        if (!value.is_boolean()) error(place, "type", "must be true or false", "without quotes");
        return;
      case Shape::kObject:
        return object(*field.object, value, place);
      case Shape::kList:
        if (!value.is_array()) return error(place, "type", "must be a list");
        return list(field, value, place);
      case Shape::kMap:
        if (!value.is_object()) return error(place, "type", "must be a map");
        return map(field, value, place);
      case Shape::kQuantity: {
        if (value.is_number_integer()) {
          if (field.min == 0 && value < 0)
            error(place, "minimum", fmt::format("is {}, must not be negative", value.dump()));
          return;
        }
        if (!value.is_string()) return error(place, "type", "must be a quantity such as 500m or 2Gi");
        const auto quantity = parse_quantity(value.get_ref<const std::string&>());
        if (!quantity)
          error(place, "pattern", fmt::format("'{}' is not a quantity", value.get_ref<const std::string&>()));
        else if (field.min == 0 && quantity->milli < 0)
          error(place, "minimum", fmt::format("is {}, must not be negative", value.get_ref<const std::string&>()));
        return;
      }
      case Shape::kAny:
        return;
    }
  }

  const Document& doc_;
  Findings& findings_;
};

}  // namespace

void check(const Object& object, const json& value, const std::string& path, const Document& doc, Findings& findings) {
  Checker(doc, findings).object(object, value, Place{nullptr, path});
}

void apply_defaults(const Object& object, json& value) {
  if (!value.is_object()) return;
  for (const Property& field : object.fields) {
    auto it = value.find(field.name);
    if (it == value.end() && !field.default_json.empty())
      value[std::string(field.name)] = json::parse(field.default_json);
    if (it == value.end() || field.object == nullptr) continue;
    if (field.shape == Shape::kObject) apply_defaults(*field.object, *it);
    if (field.shape == Shape::kList && it->is_array())
      for (json& item : *it) apply_defaults(*field.object, item);
  }
}

void check_name(const Document& doc, Findings& findings) {
  const std::string name = doc.name();
  if (name.empty())
    report(findings, Severity::kError, doc, "metadata.name", "required", "must be set");
  else if (!kObjectName.matches(name))
    report(findings, Severity::kError, doc, "metadata.name", "pattern",
           fmt::format("is '{}', must be {}", name, kObjectName.shown));
}

void report(Findings& findings, Severity severity, const Document& doc, const std::string& path, std::string_view rule,
            std::string message, std::string hint) {
  Finding finding;
  finding.severity = severity;
  finding.rule = rule;
  const std::string place = doc.where(path);
  finding.path = place.empty() ? path : place + ": " + path;
  if (const int line = doc.line(path); line > 0) finding.at = {line, 1};
  finding.message = std::move(message);
  finding.hint = std::move(hint);
  findings.push_back(std::move(finding));
}

void warn(Findings& findings, std::string path, std::string_view rule, std::string message, std::string hint) {
  Finding finding;
  finding.severity = Severity::kWarning;
  finding.path = std::move(path);
  finding.rule = rule;
  finding.message = std::move(message);
  finding.hint = std::move(hint);
  findings.push_back(std::move(finding));
}

void note(Findings& findings, std::string path, std::string_view rule, std::string message) {
  warn(findings, std::move(path), rule, std::move(message));
  findings.back().severity = Severity::kNote;
}

bool has_errors(const Findings& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& finding) { return finding.severity == Severity::kError; });
}

std::string describe(const Findings& findings, Severity severity, std::string_view prefix) {
  std::string text;
  for (const Finding& finding : findings) {
    if (finding.severity != severity) continue;
    text += fmt::format("{}{}: {} (rule: {})", prefix, finding.path, finding.message, finding.rule);
    if (!finding.hint.empty()) text += "; " + finding.hint;
    text += '\n';
  }
  return text;
}

}  // namespace sunup::fleet
