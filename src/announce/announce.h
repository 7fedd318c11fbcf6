// Reports the reason of a failure to places that can be read without logging in: the serial console, the hypervisor's
// key-value pool, a webhook. Each is tried once, for a limited time; an error is logged and has no other effect.
//
// Call this after provision.json and provision.complete are written, because nothing waits for it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/files.h"
#include "host/loop.h"
#include "host/network.h"
#include "host/task.h"
#include "report/failure.h"

namespace sunup::announce {

// The kernel log is shown on the serial console, because Azure boots with console=ttyS0. Writing to it never blocks on
// a terminal without a reader.
inline constexpr char kKernelLog[] = "/dev/kmsg";
// {"webhook": "https://..."}; written by an image or a boothook. The contract has no field for it.
inline constexpr char kReportSettings[] = "/etc/aks-node-controller/report.json";

struct Listeners {
  host::Loop& loop;
  host::Files& files;
  host::Network* network = nullptr;  // null: no webhook
  std::string boot_id = {};
  host::Duration webhook_limit = std::chrono::seconds(5);
};

struct Told {
  std::string listener;  // "serial console", "hypervisor", "webhook"
  Result<void> result;
};
// Listeners that this machine does not have (no pool, no settings) are not in the result.
host::Task<std::vector<Told>> announce_failure(Listeners listeners, report::Failure failure);

// The webhook in the settings; an error if it is not an https URL; empty if none is configured.
Result<std::string> webhook_of(std::string_view settings);

}  // namespace sunup::announce
