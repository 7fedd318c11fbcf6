// `bootstrap`: does the work of cloud-init that a node needs, and then provisions the node, in one process from the
// first moments of a boot. It finds the provisioning data, sets up the node's identity, takes the config from the
// custom data, provisions, and reports the outcome to Azure.
//
// It runs only on images that disable cloud-init with cloud-init's own switch. If it does not support the data, it
// leaves the boot to cloud-init: it removes the switch, starts cloud-init and logs the reason. If the data is broken,
// the node fails: a result is written, NotReady is reported to Azure, and no part of the node's identity is set.
#pragma once

#include "controller/node.h"
#include "controller/outcome.h"
#include "guest/provisioning_data.h"
#include "host/task.h"

namespace sunup::controller {

inline constexpr char kCloudInitSwitch[] = "/etc/cloud/cloud-init.disabled";
// One directory for each VM that has used this disk: a captured image has those of the VM from which it was made.
inline constexpr char kInstances[] = "/var/lib/sunup/instances";

struct BootstrapOptions {
  guest::Patience patience = {};
  host::Duration report_limit = std::chrono::minutes(20);
};

host::Task<Outcome> bootstrap(Node& node, BootstrapOptions options);

}  // namespace sunup::controller
