// What systemd has to say of the units of a step that failed, kept where the ecosystem's hints and log bundles look:
// /var/log/azure/<unit>-status.log.
#pragma once

#include <string>
#include <vector>

#include "controller/node.h"
#include "host/task.h"

namespace sunup::controller {

// One process a unit, after the failure. Best effort: what cannot be had is logged.
host::Task<void> keep_unit_evidence(Node& node, std::vector<std::string> units);

}  // namespace sunup::controller
