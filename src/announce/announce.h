// Says why a provision failed where it is heard without logging in: the serial console, the hypervisor's key-value
// pool, a webhook. Each is tried once, for a bounded time; what does not work is logged and changes nothing.
//
// To be called when provision.json and provision.complete are there: nobody waits for this.
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

// Where the kernel's log goes, the serial console does: Azure boots with console=ttyS0. Writing there never blocks on
// a terminal that nobody reads.
inline constexpr char kKernelLog[] = "/dev/kmsg";
// {"webhook": "https://..."}; an image or a boothook may leave it. The contract has no field for it.
inline constexpr char kReportSettings[] = "/etc/aks-node-controller/report.json";

struct Listeners {
  host::Loop& loop;
  host::Files& files;
  host::Network* network = nullptr;  // without it there is no webhook
  std::string boot_id = {};
  host::Duration webhook_limit = std::chrono::seconds(5);
};

struct Told {
  std::string listener;  // "serial console", "hypervisor", "webhook"
  Result<void> result;
};
// Listeners that this machine does not have (no pool, no settings) are not in the answer.
host::Task<std::vector<Told>> announce_failure(Listeners listeners, report::Failure failure);

// The webhook of the settings; an error when it is no https URL. Nothing: none is wanted.
Result<std::string> webhook_of(std::string_view settings);

}  // namespace sunup::announce
