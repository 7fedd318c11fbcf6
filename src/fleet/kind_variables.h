// Of the bootstrapping variables, those that a kind of node decides: what it downloads, its network and its GPU.
#pragma once

#include "fleet/bootstrap_variables.h"
#include "fleet/patterns.h"
#include "fleet/resolution.h"

namespace sunup::fleet {

// Adds them to the cluster's.
void offer_kind_variables(BootstrapVariables& variables, const Resolution& node, const SubnetId& subnet);

}  // namespace sunup::fleet
