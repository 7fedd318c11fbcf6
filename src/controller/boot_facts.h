// What systemd knows about this boot, for provision.json: when the services that a node's start hangs on began, and the
// summary that systemd-analyze would print.
#pragma once

#include <string>

#include "host/units.h"
#include "report/cse_status_file.h"

namespace sunup::controller {

// Fills in times and summary one by one: what has come when the task is cancelled stays. `kubelet_state` is how kubelet
// is now, in words. What is passed must outlive the task.
host::Task<void> gather_boot_facts(host::Units& units, report::CseStatusFile& status, std::string& kubelet_state);

}  // namespace sunup::controller
