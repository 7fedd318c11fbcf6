// Generic access to the fields of a message by the table (contract/fields.h), for code that treats all fields alike or
// has their names in a table. Code that needs a particular field uses the message's accessor.
//
//   const std::string wire = config.SerializeAsString();
//   const MessageView view(wire, configuration_fields());
//   for (const Field& field : view.type().all())
//     for (const FieldValue& value : view.values(field)) show(field, value);
//
// It reads the message's wire bytes, which must outlive it, because protobuf's reflection builds all descriptors first.
// A view must not be shared between threads.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "contract/fields.h"
#include "contract/wire.h"

namespace sunup::contract {

class MessageView;

// The value of a field, item or map value. Use the accessor of its kind.
class FieldValue {
 public:
  FieldValue(const Field& field, uint64_t bits, std::string_view bytes) : field_(&field), bits_(bits), bytes_(bytes) {}

  const Field& field() const { return *field_; }
  bool boolean() const { return bits_ != 0; }
  int32_t integer() const { return static_cast<int32_t>(bits_); }  // also the number of an enum
  double real() const { return std::bit_cast<double>(bits_); }
  std::string_view text() const { return bytes_; }
  MessageView message() const;
  // Null if the number has no name.
  const EnumValue* enum_value() const { return field_->enumeration->find(integer()); }

 private:
  const Field* field_;
  uint64_t bits_;
  std::string_view bytes_;
};

class MessageView {
 public:
  MessageView(std::string_view wire, const MessageFields& type) : wire_(wire), type_(&type) {}

  const MessageFields& type() const { return *type_; }

  // A list or map: it is not empty. A message or an optional field: it is present. Any other: it differs from its
  // default.
  bool has(const Field& field) const;
  // The value of a field that is neither list nor map. Unset: the default, or an empty message.
  FieldValue get(const Field& field) const;
  // All values of a field of any kind: the items of a list, the values of a map, or the one value if it is set.
  std::vector<FieldValue> values(const Field& field) const;
  // Sorted by the bytes of the keys.
  std::vector<std::pair<std::string_view, FieldValue>> map(const Field& field) const;

 private:
  // Positions at_ before the first field with this number.
  bool find(int number, WireField& found) const;

  std::string_view wire_;
  const MessageFields* type_;
  // Fields before at_ have lower numbers than passed_, so fields that are read in the order of the contract are found
  // in one pass.
  mutable WireReader at_{wire_};
  mutable int passed_ = 0;
};

inline MessageView FieldValue::message() const {
  return {bytes_, *field_->message};
}

}  // namespace sunup::contract
