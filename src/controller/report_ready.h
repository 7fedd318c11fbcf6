// `report-ready`: reports the outcome of this node's provisioning to Azure with the health report that cloud-init or
// the guest agent would send otherwise. It is part of `bootstrap`, and a verb of its own for images that keep
// cloud-init but let the node report when it is ready.
#pragma once

#include <string>

#include "azure/provisioning_report.h"
#include "controller/node.h"
#include "host/task.h"

namespace sunup::controller {

struct ReportOptions {
  bool wait = false;         // wait for a result if there is none; then a VM is reported as Ready only once
  std::string failure = {};  // report this failure, whatever the result is
  std::string result = {};   // the content of provision.json, if it counts without the marker
  std::string vm_id = {};    // empty: read it from the firmware
  host::Duration limit = std::chrono::minutes(20);
};

// After this time without a result, `wait` reports a failure, because Azure gives a VM up about 20 minutes after it was
// created. A result that appears later is reported, too.
inline constexpr host::Duration kLongestWaitForResult = std::chrono::minutes(18);

// Returns when Azure has accepted the report. The error is the reason why it could not be sent, or that there is no
// result.
host::Task<Result<void>> report_ready(Node& node, ReportOptions options);

// Leaves the mark by which the guest agent knows that this VM is provisioned. Must be called before the agent starts,
// because the agent would report Ready itself. Does nothing without an id.
void tell_agent(Node& node, const std::string& vm_id);

// The report of a success at the current time.
azure::ProvisioningReport empty_report(Node& node, const std::string& vm_id);

// The report for the content of provision.json. Redacted.
azure::ProvisioningReport report_of(Node& node, std::string_view result, const std::string& vm_id);

// The VM's id as the firmware provides it; empty, with a log line, if it does not.
std::string vm_id_of_node(Node& node);

}  // namespace sunup::controller
