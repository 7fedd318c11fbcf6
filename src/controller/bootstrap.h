// `bootstrap`: what a node needs of cloud-init, and then provisioning, in one process from the first moments of a boot.
// It finds the provisioning data, makes the node's identity, takes the config out of the custom data, provisions, and
// tells Azure the outcome.
//
// It runs only on images that switch cloud-init off by cloud-init's own switch. What it does not understand it leaves
// to cloud-init: it takes the switch away, starts cloud-init and says why. Data that is broken fails the node: there is
// a result, Azure hears NotReady, and nothing of the node's identity has been set.
#pragma once

#include "controller/node.h"
#include "controller/outcome.h"
#include "guest/provisioning_data.h"
#include "host/task.h"

namespace sunup::controller {

inline constexpr char kCloudInitSwitch[] = "/etc/cloud/cloud-init.disabled";
// One directory for each VM that this disk has been: a captured image has those of the VM it was made from.
inline constexpr char kInstances[] = "/var/lib/sunup/instances";

struct BootstrapOptions {
  guest::Patience patience = {};
  host::Duration report_limit = std::chrono::minutes(20);
};

host::Task<Outcome> bootstrap(Node& node, BootstrapOptions options);

}  // namespace sunup::controller
