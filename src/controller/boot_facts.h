// systemd's data about this boot for provision.json: the start times of the services that a node depends on, and the
// summary of systemd-analyze.
#pragma once

#include <string>

#include "host/units.h"
#include "report/provision_result.h"

namespace sunup::controller {

struct BootFacts {
  report::RunTimes times = {};  // without start and end of the provisioning
  std::string systemd_summary = {};
  std::string kubelet_state = {};  // at the moment, as text
};

// Fills in the facts one by one; if the task is cancelled, those that are known stay. The arguments must outlive the
// task.
host::Task<void> gather_boot_facts(host::Units& units, BootFacts& facts);

}  // namespace sunup::controller
