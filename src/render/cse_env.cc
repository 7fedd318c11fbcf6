#include "render/cse_env.h"

#include <algorithm>
#include <cassert>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/shell_word.h"
#include "base/text.h"
#include "contract/formats.h"
#include "contract/message_view.h"
#include "render/cse_variables.h"
#include "render/number_text.h"

namespace sunup::render {
namespace {

using contract::Field;
using contract::FieldKind;
using contract::FieldValue;
using contract::MessageView;

// One field of a config, by its contract path. If a message on the path is absent, the field is unset.
class Source {
 public:
  Source(MessageView message, std::string_view path) : message_(message) {
    while (true) {
      const size_t dot = path.find('.');
      field_ = message_.type().find(path.substr(0, dot));
      assert(field_ && "cse_variables.cc names a field that the contract does not have");
      if (dot == std::string_view::npos) return;
      message_ = message_.get(*field_).message();
      path.remove_prefix(dot + 1);
    }
  }

  bool is_set() const { return message_.has(*field_); }

  // In the form of the environment: see CseRule.
  std::string text() const {
    if (field_->is_list()) {
      std::vector<std::string> items;
      for (const FieldValue& item : message_.values(*field_)) items.emplace_back(item.text());
      return joined(items, ",");
    }
    const FieldValue value = message_.get(*field_);
    switch (field_->kind) {
      case FieldKind::kBool:
        return value.boolean() ? "true" : "false";
      case FieldKind::kInt32:
        return number_text(int64_t{value.integer()});
      case FieldKind::kDouble:
        return number_text(value.real());
      default:
        return std::string(value.text());
    }
  }

  std::string enum_word(std::string_view prefix) const {
    const FieldValue value = message_.get(*field_);
    const auto* known = value.integer() == 0 ? nullptr : value.enum_value();
    return known ? unicode::lowered(known->name.substr(prefix.size())) : "";
  }

 private:
  MessageView message_;
  const Field* field_;
};

std::string render(const CseVariable& variable, const MessageView& config, const CseSubject& subject) {
  const CseRule& rule = variable.rule;
  const auto value = [&] { return Source(config, variable.sources); };
  const auto is_set = [&](std::string_view path) { return Source(config, path).is_set(); };
  switch (rule.kind) {
    case CseRule::Kind::kField:
      return value().text();
    case CseRule::Kind::kFieldOr: {
      const Source field = value();
      return field.is_set() ? field.text() : std::string(rule.text);
    }
    case CseRule::Kind::kOneLine:
      return without_newlines(value().text());
    case CseRule::Kind::kWord:
      return value().enum_word(rule.text);
    case CseRule::Kind::kAnySet:
      return std::ranges::any_of(sources_of(variable), is_set) ? "true" : "false";
    case CseRule::Kind::kAllSet:
      return std::ranges::all_of(sources_of(variable), is_set) ? "true" : "false";
    case CseRule::Kind::kConstant:
      return std::string(rule.text);
    case CseRule::Kind::kDerived:
      return rule.derive(subject);
  }
  return "";
}

}  // namespace

Environment cse_environment(const aksnodeconfig::v1::Configuration& config, const ImageFacts& image,
                            std::vector<std::string>* remarks) {
  const CseSubject subject(config, image, remarks);
  const std::string wire = config.SerializeAsString();
  const MessageView view(wire, contract::configuration_fields());
  Environment environment;
  // The table is sorted, so every variable is inserted at the end.
  for (const CseVariable& variable : cse_variables())
    environment.emplace_hint(environment.end(), variable.name, render(variable, view, subject));
  for (int i = 0; i < config.custom_ca_certs_size(); ++i)
    environment.emplace("CUSTOM_CA_CERT_" + number_text(int64_t{i}), without_newlines(config.custom_ca_certs(i)));
  return environment;
}

Result<void> fits_the_kernel(const std::string& name, const std::string& value) {
  const size_t length = name.size() + 1 + value.size() + 1;
  if (length <= contract::kLongestVariable) return {};
  return Error("the variable " + name + " of the scripts has " + number_text(static_cast<int64_t>(length)) +
               " bytes; the kernel passes at most " + number_text(static_cast<int64_t>(contract::kLongestVariable)) +
               " to a program");
}

std::string environment_json(const Environment& environment) {
  // A component list may contain bytes that are not UTF-8. The output must be valid JSON nevertheless.
  return nlohmann::json(environment).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Result<std::string> environment_shell(const Environment& environment) {
  std::string out;
  for (const auto& [name, value] : environment) {
    if (value.find('\0') != std::string::npos)
      return Error(name + " would contain a NUL character, which an environment cannot contain");
    out.append("export ").append(name).append("=");
    append_shell_word(out, value, ShellQuoting::kSingle);
    out += '\n';
  }
  return out;
}

}  // namespace sunup::render
