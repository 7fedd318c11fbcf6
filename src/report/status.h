// Finds the CSEStatus of a node in the output of the platform: the extension's "[stdout] ... [stderr]" text, the
// instance view of a VM or of a scale set's VMs, a plain provision.json, or any of these escaped inside other JSON,
// truncated, or surrounded by log lines.
//
//   StatusReport report = find_statuses(text);
//   if (report.statuses.empty()) ...        // no usable status; report.platform may contain the reason
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/boot_times.h"
#include "report/provision_result.h"

namespace sunup::report {

struct CseStatus {
  std::string source;               // where it was found: "instance 3, extension vmssCSE"; empty: the text itself
  std::optional<int> exit_code;     // empty: truncated or not a number
  bool code_is_number = false;      // a number instead of a string, which provision-wait rejects
  ProvisionResult result;           // as reported by the node
  std::vector<BootMoment> moments;  // by time
  bool truncated = false;           // the text ended inside the status
  bool extension_failed = false;    // according to the extension; the text does not contain the node's own status
  bool in_progress = false;         // according to the extension, its command has not ended; `error` is its message
};

// The platform's message about an extension, in addition to (or instead of) a status from the node.
struct PlatformStatus {
  std::string source;   // "instance 3, extension vmssCSE"
  std::string code;     // "ProvisioningState/failed/1"
  std::string message;  // its first line
};

struct StatusReport {
  std::vector<CseStatus> statuses;
  std::vector<PlatformStatus> platform;

  // 0: all nodes were provisioned; 1: at least one was not; 2: no usable status (none found, or its exit code is
  // truncated and nothing else reports a failure).
  int exit_code() const;
};

StatusReport find_statuses(std::string_view text);

// What failed, where, what it means, what to do, and when things happened: as text, and as JSON (docs/status.md).
std::string verdict_text(const StatusReport& report);
std::string verdict_json(const StatusReport& report);

}  // namespace sunup::report
