// Finds what a person asks about: a field by its path, its name, a part of its path, or by a CSE variable.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "contract/field_docs.h"

namespace sunup::contract {

struct Answer {
  std::vector<const FieldDoc*> fields;   // those that were meant; several if the name is not enough
  std::vector<std::string> suggestions;  // if none was: paths with a name like it
};

//   find_field("kubelet_config.kubelet_flags"), find_field("maxPods"), find_field("LOCATION"), find_field("subnett")
Answer find_field(std::string_view question);

// The variables that a field decides; of a message, those that its parts do.
std::vector<std::string> variables_of(const FieldDoc& doc);

// `documented` is an entry of FieldDoc::variables, where CUSTOM_CA_CERT_<i> stands for CUSTOM_CA_CERT_0, _1 and so on.
bool is_variable(std::string_view name, std::string_view documented);

}  // namespace sunup::contract
