// Finds a field by its path, its name, a part of its path, or by a CSE variable.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "contract/field_docs.h"

namespace sunup::contract {

struct Answer {
  std::vector<const FieldDoc*> fields;   // the matching fields; several if the name is ambiguous
  std::vector<std::string> suggestions;  // if there is no match: paths with a similar name
};

//   find_field("kubelet_config.kubelet_flags"), find_field("maxPods"), find_field("LOCATION"), find_field("subnett")
Answer find_field(std::string_view question);

// The variables that depend on a field; for a message, those of its fields.
std::vector<std::string> variables_of(const FieldDoc& doc);

// `documented` is an entry of FieldDoc::variables, where CUSTOM_CA_CERT_<i> stands for CUSTOM_CA_CERT_0, _1 and so on.
bool is_variable(std::string_view name, std::string_view documented);

}  // namespace sunup::contract
