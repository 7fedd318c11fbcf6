// The fields of every message of the contract and their properties: constants that proto/field_table.cc generates from
// the .proto files at build time. Nothing is constructed when a program starts, and protobuf's descriptors, which take
// longer to build than a config takes to read, are not built on a node
// (docs/decisions/0006-a-table-of-the-contract.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace sunup::contract {

struct EnumValue {
  std::string_view name;
  int number = 0;
};

struct EnumType {
  std::string_view name;  // "NetworkPlugin"
  std::span<const EnumValue> values;

  const EnumValue* find(std::string_view value_name) const;
  const EnumValue* find(int number) const;
};

enum class FieldKind : uint8_t { kString, kBool, kInt32, kDouble, kEnum, kMessage };
// "string", "int32", ...: the scalar types as the contract spells them.
std::string_view type_name(FieldKind kind);

enum class FieldShape : uint8_t { kSingle, kList, kMap };

class MessageFields;

struct Field {
  std::string_view name;  // "kubelet_flags"
  std::string_view json_name;
  int number = 0;
  FieldKind kind{};  // of a list: of its items; of a map: of its values (all keys are strings)
  FieldShape shape{};
  bool optional = false;                   // unset differs from the default
  bool secret = false;                     // marked (sunup.secret)
  const MessageFields* message = nullptr;  // the type of the field (item, map value) if it is a message
  const EnumType* enumeration = nullptr;   // the same if it is an enum

  bool is_list() const { return shape == FieldShape::kList; }
  bool is_map() const { return shape == FieldShape::kMap; }
};

// A name of a field, and the index of the field in the order of declaration.
struct FieldName {
  std::string_view name;
  uint16_t index = 0;
};

class MessageFields {
 public:
  // `names` are both names of every field, sorted by length and then by bytes: most comparisons are of two numbers.
  constexpr MessageFields(std::string_view name, std::span<const Field> fields, std::span<const FieldName> names,
                          std::span<const std::string_view> reserved)
      : name_(name), fields_(fields), names_(names), reserved_(reserved) {}

  std::string_view name() const { return name_; }  // "KubeletConfig"
  // By exact snake_case or JSON name; null: there is none.
  const Field* find(std::string_view name) const;
  // In the order of declaration.
  std::span<const Field> all() const { return fields_; }
  size_t index_of(const Field& field) const { return static_cast<size_t>(&field - fields_.data()); }
  // Names of removed fields.
  std::span<const std::string_view> reserved_names() const { return reserved_; }

 private:
  std::string_view name_;
  std::span<const Field> fields_;
  std::span<const FieldName> names_;
  std::span<const std::string_view> reserved_;
};

// The fields of Configuration, from which all others can be reached.
const MessageFields& configuration_fields();

// By its path from Configuration, "kubelet_config.kubelet_flags"; null: there is none.
const Field* field_at(std::string_view path);

}  // namespace sunup::contract
