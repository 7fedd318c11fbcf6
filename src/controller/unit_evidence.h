// Keeps systemd's status of the units of a failed step in /var/log/azure/<unit>-status.log, where hints and log bundles
// expect it.
#pragma once

#include <string>
#include <vector>

#include "controller/node.h"
#include "host/task.h"

namespace sunup::controller {

// One process per unit, after the failure. Best effort: failures are logged.
host::Task<void> keep_unit_evidence(Node& node, std::vector<std::string> units);

}  // namespace sunup::controller
