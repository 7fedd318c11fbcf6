#include "render/cse_env.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/reflection.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "render/cse_variables.h"
#include "render/number_text.h"
#include "render/text.h"

namespace sunup::render {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// A contract path, looked up once: the messages on the way, then the field.
struct FieldPath {
  std::vector<const FieldDescriptor*> messages;
  const FieldDescriptor* field;
};

FieldPath look_up(std::string_view path) {
  const Descriptor* type = aksnodeconfig::v1::Configuration::descriptor();
  std::vector<const FieldDescriptor*> messages;
  while (true) {
    const size_t dot = path.find('.');
    const FieldDescriptor* field = type->FindFieldByName(std::string(path.substr(0, dot)));
    assert(field && "cse_variables.cc names a field that the contract does not have");
    if (dot == std::string_view::npos) return {std::move(messages), field};
    messages.push_back(field);
    type = field->message_type();
    path.remove_prefix(dot + 1);
  }
}

// One field of one config; a message on the way that is absent reads as all unset.
class FieldValue {
 public:
  FieldValue(const Message& config, const FieldPath& path) : message_(&config), field_(path.field) {
    for (const FieldDescriptor* step : path.messages)
      message_ = &message_->GetReflection()->GetMessage(*message_, step);
    reflection_ = message_->GetReflection();
  }

  bool is_set() const {
    return field_->is_repeated() ? reflection_->FieldSize(*message_, field_) > 0
                                 : reflection_->HasField(*message_, field_);
  }

  // As environments spell it: see CseRule.
  std::string text() const {
    if (field_->is_repeated()) return joined(reflection_->GetRepeatedFieldRef<std::string>(*message_, field_), ",");
    switch (field_->cpp_type()) {
      case FieldDescriptor::CPPTYPE_BOOL:
        return reflection_->GetBool(*message_, field_) ? "true" : "false";
      case FieldDescriptor::CPPTYPE_INT32:
        return number_text(int64_t{reflection_->GetInt32(*message_, field_)});
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return number_text(reflection_->GetDouble(*message_, field_));
      default:
        return reflection_->GetString(*message_, field_);
    }
  }

  std::string enum_word(std::string_view prefix) const {
    const int number = reflection_->GetEnumValue(*message_, field_);
    const auto* value = number == 0 ? nullptr : field_->enum_type()->FindValueByNumber(number);
    return value ? lower_cased(std::string_view(value->name()).substr(prefix.size())) : "";
  }

 private:
  const Message* message_;
  const FieldDescriptor* field_;
  const Reflection* reflection_;
};

// A row of the table, ready to be rendered.
struct Row {
  const CseVariable* variable;
  std::vector<FieldPath> sources;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> kRows = [] {
    std::vector<Row> table;
    for (const CseVariable& variable : cse_variables()) {
      Row& row = table.emplace_back(Row{&variable, {}});
      if (variable.rule.kind == CseRule::Kind::kDerived) continue;
      for (const std::string_view path : sources_of(variable)) row.sources.push_back(look_up(path));
    }
    return table;
  }();
  return kRows;
}

std::string render(const Row& row, const CseSubject& subject) {
  const CseRule& rule = row.variable->rule;
  const auto value = [&] { return FieldValue(subject.config, row.sources[0]); };
  const auto is_set = [&](const FieldPath& path) { return FieldValue(subject.config, path).is_set(); };
  switch (rule.kind) {
    case CseRule::Kind::kField:
      return value().text();
    case CseRule::Kind::kFieldOr: {
      const FieldValue field = value();
      return field.is_set() ? field.text() : std::string(rule.text);
    }
    case CseRule::Kind::kOneLine:
      return without_newlines(value().text());
    case CseRule::Kind::kWord:
      return value().enum_word(rule.text);
    case CseRule::Kind::kAnySet:
      return std::ranges::any_of(row.sources, is_set) ? "true" : "false";
    case CseRule::Kind::kAllSet:
      return std::ranges::all_of(row.sources, is_set) ? "true" : "false";
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
  Environment environment;
  // The table is sorted, so every variable goes to the end.
  for (const Row& row : rows()) environment.emplace_hint(environment.end(), row.variable->name, render(row, subject));
  for (int i = 0; i < config.custom_ca_certs_size(); ++i)
    environment.emplace("CUSTOM_CA_CERT_" + number_text(int64_t{i}), without_newlines(config.custom_ca_certs(i)));
  return environment;
}

}  // namespace sunup::render
