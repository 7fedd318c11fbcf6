// The fields of every message of the contract, by both of their names, with what the loader and the tools ask again
// and again about each. Built once, on first use.
#pragma once

#include <google/protobuf/descriptor.h>

#include <deque>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sunup::contract {

class MessageFields;

struct Field {
  const google::protobuf::FieldDescriptor* descriptor = nullptr;
  const google::protobuf::FieldDescriptor* map_value = nullptr;  // of a map field: its value
  const MessageFields* message = nullptr;                        // what the field (or map value) holds, if a message
  bool secret = false;                                           // marked (sunup.secret)
};

class MessageFields {
 public:
  // By snake_case or JSON name, exactly; null: there is none.
  const Field* find(std::string_view name) const {
    const auto it = by_name_.find(name);
    return it == by_name_.end() ? nullptr : it->second;
  }
  // In the order of declaration.
  const std::vector<Field>& all() const { return fields_; }
  const google::protobuf::Descriptor* descriptor() const { return descriptor_; }

 private:
  friend class ContractFields;
  const google::protobuf::Descriptor* descriptor_ = nullptr;
  std::vector<Field> fields_;
  std::unordered_map<std::string_view, const Field*> by_name_;
};

// Those of Configuration, from which all others are reached.
const MessageFields& configuration_fields();

}  // namespace sunup::contract
