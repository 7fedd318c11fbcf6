// The AKSNodeConfig of a resolved node: the same decisions as the bootstrapping variables, for the generation of
// images that reads a config file instead of variables. It also carries what variables cannot: local DNS, kernel
// settings, swap, artifact streaming.
#pragma once

#include "contract/load.h"
#include "fleet/resolver.h"

namespace sunup::fleet {

contract::Configuration node_config(const Resolution& node);

}  // namespace sunup::fleet
