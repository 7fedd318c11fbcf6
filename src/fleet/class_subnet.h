// What controllers ask of a node class's own subnet beyond the shape of its ID: it must be one the cluster's nodes can
// reach each other in.
#pragma once

#include <optional>

#include "base/result.h"
#include "fleet/node_class.h"
#include "fleet/settings.h"

namespace sunup::fleet {

// Why nodes of this class get no subnet of their own; nothing for a class that names none, or a good one. Whether the
// subnet exists is Azure's to say.
std::optional<Error> refuse_class_subnet(const NodeClass& node_class, const Settings& settings);

}  // namespace sunup::fleet
