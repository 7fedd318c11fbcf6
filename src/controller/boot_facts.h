// systemd's data about this boot for provision.json: the start times of the services that a node depends on, and the
// summary of systemd-analyze.
#pragma once

#include <string>

#include "host/units.h"
#include "report/cse_status_file.h"

namespace sunup::controller {

// Fills in times and summary one by one; if the task is cancelled, those that are known stay. `kubelet_state` is the
// current state of kubelet as text. The arguments must outlive the task.
host::Task<void> gather_boot_facts(host::Units& units, report::CseStatusFile& status, std::string& kubelet_state);

}  // namespace sunup::controller
