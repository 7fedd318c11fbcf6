// The provisioning report: one line of fields for the hypervisor's key-value pool, with the keywords that cloud-init
// uses, because the platform's own analysis reads them. It is also the description of a NotReady.
//
//   result=error|reason=containerd.start: exit code 4: ...|agent=Sunup/0.2.0|...
#pragma once

#include <string>
#include <string_view>

namespace sunup::azure {

inline constexpr char kProvisioningReportKey[] = "PROVISIONING_REPORT";

struct ProvisioningReport {
  std::string reason = {};  // empty: success
  std::string exit_code = {};
  std::string step = {};
  std::string hint = {};
  std::string version = {};
  std::string vm_id = {};
  std::string time = {};  // RFC 3339, UTC
  std::string preprovisioned = {};
};

// One line. A field that contains the separator, a quote or a line break is quoted, and line breaks are replaced by
// blanks.
std::string provisioning_report(const ProvisioningReport& report);

}  // namespace sunup::azure
