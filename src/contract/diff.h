// What differs between two configs, field by field.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "contract/field_docs.h"
#include "contract/load.h"

namespace sunup::contract {

struct Difference {
  std::string path;                 // "$.kubelet_config.kubelet_flags[\"--max-pods\"]"
  std::optional<std::string> left;  // as JSON on one line; nothing: unset. Of a secret: "(secret)"
  std::optional<std::string> right;
  const FieldDoc* doc = nullptr;  // what the field is, and what it changes on the node
};

// In the order of the contract; lists are compared as a whole, maps key by key.
std::vector<Difference> diff(const Configuration& left, const Configuration& right);

}  // namespace sunup::contract
