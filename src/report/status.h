// Finds the CSEStatus of a node in whatever the platform returned: the extension's "[stdout] ... [stderr]" text, the
// instance view of a VM or of a scale set's VMs, a plain provision.json, or any of these escaped into another JSON, cut
// off, or with log lines around it.
//
//   StatusReport report = find_statuses(text);
//   if (report.statuses.empty()) ...        // nothing usable in it; report.platform may still say why
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/boot_times.h"

namespace sunup::report {

struct CseStatus {
  std::string source;            // where it was found: "instance 3, extension vmssCSE"; empty: the text itself
  std::optional<int> exit_code;  // nothing: it was cut off or is no number
  bool code_is_number = false;   // not text, as the contract has it: provision-wait refuses such a file
  std::string error;
  std::string output;
  std::string failed_step;  // what the node itself says failed, if it does
  std::string hint;         // what the node itself says is to be done
  std::string verdict;      // the node's own words about it (failure.h)
  std::optional<double> duration_seconds;
  std::string systemd_summary;
  std::vector<BootMoment> moments;  // by time
  bool truncated = false;           // the text ended inside the status
  bool extension_failed = false;    // so says the extension; the node's own status is not in the text
  bool in_progress = false;         // the same: its command has not ended; `error` is what it says
};

// What the platform itself says about an extension, next to (or instead of) a status from the node.
struct PlatformStatus {
  std::string source;   // "instance 3, extension vmssCSE"
  std::string code;     // "ProvisioningState/failed/1"
  std::string message;  // its first line
};

struct StatusReport {
  std::vector<CseStatus> statuses;
  std::vector<PlatformStatus> platform;

  // 0: all nodes were provisioned; 1: one was not; 2: no usable status (none found, or its exit code was cut off and
  // nobody says that it failed).
  int exit_code() const;
};

StatusReport find_statuses(std::string_view text);

}  // namespace sunup::report
