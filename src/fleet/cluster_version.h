// Which Kubernetes version a node gets: what the settings say; else the class's status, which a controller moves up
// with the cluster and never down, or the cluster itself where it is ahead of the status.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "fleet/detected.h"
#include "fleet/node_class.h"
#include "fleet/provenance.h"
#include "fleet/schema.h"
#include "fleet/settings.h"

namespace sunup::fleet {

// A semantic version: three numbers without leading zeros, optionally something behind - or +, optionally a v before.
// Nothing less names a release that could be downloaded.
bool is_release_version(std::string_view text);

Result<Value<std::string>> node_kubernetes_version(const Settings& settings, const Detected& detected,
                                                   const NodeClass& node_class);

// Has the cluster been upgraded since the class's status was written? Then its images are not the newest any more,
// which is what nodes start from after an upgrade. Where the settings give the version, nodes do not follow the
// cluster's, and the status is behind nothing.
bool status_is_behind(const Settings& settings, const Detected& detected, const NodeClass& node_class);
void warn_of_outdated_status(const Settings& settings, const Detected& detected, const NodeClass& node_class,
                             Findings& findings);

}  // namespace sunup::fleet
