// The Kubernetes version of a node: that of the settings; otherwise that of the class's status, which a controller
// raises with the cluster and never lowers, or that of the cluster if it is newer.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "fleet/sources/crd_rules.h"
#include "fleet/sources/node_class.h"
#include "fleet/sources/provenance.h"
#include "fleet/sources/settings.h"

namespace sunup::fleet {

// A semantic version: three numbers without leading zeros, optionally a suffix after - or +, optionally a leading v.
// Anything shorter does not name a release that can be downloaded.
bool is_release_version(std::string_view text);

Result<Value<std::string>> node_kubernetes_version(const Settings& settings, const Detected& detected,
                                                   const NodeClass& node_class);

// Whether the cluster has been upgraded since the class's status was written. Then the images in the status are
// outdated, and nodes use the newest ones. If the settings contain the version, nodes do not follow the cluster, and
// the result is false.
bool status_is_behind(const Settings& settings, const Detected& detected, const NodeClass& node_class);
void warn_of_outdated_status(const Settings& settings, const Detected& detected, const NodeClass& node_class,
                             Findings& findings);

}  // namespace sunup::fleet
