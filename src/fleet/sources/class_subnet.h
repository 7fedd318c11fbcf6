// Checks of a subnet beyond the format of its ID: valid Azure names and, for the subnet of a node class, that it is in
// the cluster's network.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "fleet/sources/node_class.h"
#include "fleet/sources/patterns.h"
#include "fleet/sources/settings.h"

namespace sunup::fleet {

// Which of the names is invalid for a network or subnet, and why; empty if both are valid.
std::string why_misnamed(const SubnetId& subnet);

// Why the subnet of this class is refused; empty for a class without a subnet or with a valid one. Whether the subnet
// exists is not checked.
std::optional<Error> refuse_class_subnet(const NodeClass& node_class, const Settings& settings);

}  // namespace sunup::fleet
