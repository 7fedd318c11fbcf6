// What is asked of a subnet beyond the shape of its ID: names that Azure gives, and of a node class's own subnet, that
// it is one the cluster's nodes can reach each other in.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "fleet/node_class.h"
#include "fleet/patterns.h"
#include "fleet/settings.h"

namespace sunup::fleet {

// Which of the names no network or subnet can have, and why; empty when they may be right.
std::string why_misnamed(const SubnetId& subnet);

// Why nodes of this class get no subnet of their own; nothing for a class that names none, or a good one. Whether the
// subnet exists is Azure's to say.
std::optional<Error> refuse_class_subnet(const NodeClass& node_class, const Settings& settings);

}  // namespace sunup::fleet
