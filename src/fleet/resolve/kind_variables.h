// The bootstrapping variables that depend on the kind of node: downloads, network and GPU.
#pragma once

#include "fleet/resolve/bootstrap_variables.h"
#include "fleet/resolve/resolution.h"
#include "fleet/sources/patterns.h"

namespace sunup::fleet {

// Adds them to the variables of the cluster.
void offer_kind_variables(BootstrapVariables& variables, const Resolution& node, const SubnetId& subnet);

}  // namespace sunup::fleet
