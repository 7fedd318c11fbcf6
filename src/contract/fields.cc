#include "contract/fields.h"

#include <algorithm>
#include <array>

namespace sunup::contract {
namespace {

#include "contract_fields.inc"  // made by proto/field_table.cc

}  // namespace

std::string_view type_name(FieldKind kind) {
  static constexpr std::string_view kNames[] = {"string", "bool", "int32", "double", "enum", "message"};
  return kNames[static_cast<size_t>(kind)];
}

const EnumValue* EnumType::find(std::string_view value_name) const {
  const auto it = std::ranges::find(values, value_name, &EnumValue::name);
  return it == values.end() ? nullptr : &*it;
}

const EnumValue* EnumType::find(int number) const {
  const auto it = std::ranges::find(values, number, &EnumValue::number);
  return it == values.end() ? nullptr : &*it;
}

const Field* MessageFields::find(std::string_view name) const {
  const auto it = std::ranges::lower_bound(
      names_, name,
      [](std::string_view a, std::string_view b) { return a.size() != b.size() ? a.size() < b.size() : a < b; },
      &FieldName::name);
  return it == names_.end() || it->name != name ? nullptr : &fields_[it->index];
}

const MessageFields& configuration_fields() {
  return kConfiguration;
}

const Field* field_at(std::string_view path) {
  const MessageFields* message = &kConfiguration;
  while (message) {
    const size_t dot = path.find('.');
    const Field* field = message->find(path.substr(0, dot));
    if (!field || dot == std::string_view::npos) return field;
    message = field->message;
    path.remove_prefix(dot + 1);
  }
  return nullptr;
}

}  // namespace sunup::contract
