// The differences between two configs, field by field.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "contract/field_docs.h"
#include "contract/load.h"

namespace sunup::contract {

struct Difference {
  std::string path;                 // "$.kubelet_config.kubelet_flags[\"--max-pods\"]"
  std::optional<std::string> left;  // as JSON on one line; empty: unset. Secrets are shown as "(secret)"
  std::optional<std::string> right;
  const FieldDoc* doc = nullptr;  // the documentation of the field; null: unknown field
  std::vector<const Field*> way;  // the path to the field; ends at a map or list. Empty: unknown field
};

// In the order of the contract, then unknown fields by path. Lists are compared as a whole, maps key by key. The values
// of unknown fields are not shown, because they may be secrets.
std::vector<Difference> diff(const Loaded& left, const Loaded& right);
std::vector<Difference> diff(const Configuration& left, const Configuration& right);

// `left` with one difference applied from `right`. A difference within a map or list applies the whole map or list.
Configuration taken_over(const Configuration& left, const Configuration& right, const Difference& difference);

}  // namespace sunup::contract
