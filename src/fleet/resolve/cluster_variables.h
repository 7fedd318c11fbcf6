// The bootstrapping variables that are the same for every node of a cluster, computed once.
#pragma once

#include "fleet/resolve/bootstrap_variables.h"
#include "fleet/sources/detected.h"
#include "fleet/sources/settings.h"

namespace sunup::fleet {

BootstrapVariables cluster_variables(const Settings& settings, const Detected& detected);

}  // namespace sunup::fleet
