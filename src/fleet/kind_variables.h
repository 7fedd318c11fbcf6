// The bootstrapping variables that depend on the kind of node: downloads, network and GPU.
#pragma once

#include "fleet/bootstrap_variables.h"
#include "fleet/patterns.h"
#include "fleet/resolution.h"

namespace sunup::fleet {

// Adds them to the variables of the cluster.
void offer_kind_variables(BootstrapVariables& variables, const Resolution& node, const SubnetId& subnet);

}  // namespace sunup::fleet
