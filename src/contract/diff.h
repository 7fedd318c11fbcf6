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
  std::optional<std::string> left;  // as JSON on one line; nothing: unset. Secrets in it: "(secret)"
  std::optional<std::string> right;
  const FieldDoc* doc = nullptr;  // what the field is, and which files it changes on the node; null: it is unknown
  std::vector<const Field*> way;  // to the field, message by message; ends at a map or list. Empty: it is unknown
};

// In the order of the contract, then what the contract does not know, by path. Lists are compared as a whole, maps key
// by key. Of unknown fields the values are not shown: they may be secrets.
std::vector<Difference> diff(const Loaded& left, const Loaded& right);
std::vector<Difference> diff(const Configuration& left, const Configuration& right);

// `left` with one difference taken over from `right`. A difference within a map or list takes all of that over.
Configuration taken_over(const Configuration& left, const Configuration& right, const Difference& difference);

}  // namespace sunup::contract
