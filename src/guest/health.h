// Tells Azure how this VM is: a record in the hypervisor's key-value pool first, because the host collects the pool
// when it gets the health report, and then the health report to the wire server.
#pragma once

#include <functional>
#include <string>

#include "azure/goal_state.h"
#include "azure/provisioning_report.h"
#include "base/result.h"
#include "host/host.h"

namespace sunup::guest {

inline constexpr char kWireServer[] = "http://168.63.129.16";

struct HealthOptions {
  host::Duration limit = std::chrono::minutes(20);  // after that Azure has given the VM up
  host::Duration each = std::chrono::seconds(5);    // one request
  std::function<void(const std::string&)> note;     // the first failure, for the log
};

// Ready if the report has no reason, else NotReady with the report as its description. Tries until the server accepts
// it. The report through the goal state comes first; if there is no goal state, the one that needs none.
host::Task<Result<void>> report_health(host::Host& host, azure::ProvisioningReport report, HealthOptions options);

}  // namespace sunup::guest
