// The documentation of each field, parsed from the comments of the contract: the meaning, and the facts after
// "Default:", "Set by:" and so on in proto/aksnodeconfig/v1/*.proto. The program contains the comments in the
// descriptor set that protoc creates from these files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "contract/fields.h"

namespace sunup::contract {

struct FieldDoc {
  std::string path;  // "kubelet_config.kubelet_flags"; below a map: "local_dns_profile.vnet_dns_overrides.*.protocol"
  const Field* field = nullptr;
  std::string type;     // "string", "list of string", "map of string to bool", "message KubeletConfig", ...
  std::string meaning;  // prose
  std::string default_value;
  std::string example;
  std::string set_by;
  std::vector<std::string> variables;  // of the CSE environment
  std::vector<std::string> files;      // on the node
  int depth = 0;

  std::string_view name() const { return field->name; }
};

// All fields of the contract, each below its message, in the order of declaration.
const std::vector<FieldDoc>& field_docs();

// By JSON path ($.kubelet_config.kubelet_flags["--max-pods"]) or dotted path with either spelling of names; an item or
// map key refers to its list or map. Null: there is no such field.
const FieldDoc* doc_of_path(std::string_view path);

// The comment of an enum's value, without its full stop; empty if there is none.
std::string enum_value_meaning(const EnumType& type, const EnumValue& value);

}  // namespace sunup::contract
