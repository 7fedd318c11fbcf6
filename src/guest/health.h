// Reports the state of this VM to Azure: first a record in the hypervisor's key-value pool, because the host collects
// the pool when it receives the health report, and then the health report to the wire server.
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
  host::Duration limit = std::chrono::minutes(20);  // then Azure considers the VM failed
  host::Duration each = std::chrono::seconds(5);    // of one request
  std::function<void(const std::string&)> note;     // called with the first failure, for the log
};

// Reports Ready if the report has no reason, otherwise NotReady with the report as its description. Retries until the
// server accepts it. The report through the goal state is tried first; if there is no goal state, the report that does
// not need one.
host::Task<Result<void>> report_health(host::Host& host, azure::ProvisioningReport report, HealthOptions options);

}  // namespace sunup::guest
