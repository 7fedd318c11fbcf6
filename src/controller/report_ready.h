// `report-ready`: tells Azure how this node's provisioning ended, by the health report that cloud-init or the guest
// agent would send otherwise. Part of `bootstrap`; by itself for images that keep cloud-init but let the node say when
// it is ready.
#pragma once

#include <string>

#include "azure/provisioning_report.h"
#include "controller/node.h"
#include "host/task.h"

namespace sunup::controller {

struct ReportOptions {
  bool wait = false;         // for a result, if there is none yet; then a VM is reported as Ready only once
  std::string failure = {};  // report this failure, whatever the result says
  std::string vm_id = {};    // empty: ask the firmware
  host::Duration limit = std::chrono::minutes(20);
};

// Comes back when Azure has accepted the report. The error says why it could not be sent, or that there is no result.
host::Task<Result<void>> report_ready(Node& node, ReportOptions options);

// The report of a success, with this moment as its time.
azure::ProvisioningReport empty_report(Node& node, const std::string& vm_id);

// What provision.json says, in the words of the report. Redacted.
azure::ProvisioningReport report_of(Node& node, std::string_view result, const std::string& vm_id);

// The VM's id as the firmware knows it; empty, and said in the log, if it does not.
std::string vm_id_of_node(Node& node);

}  // namespace sunup::controller
