#include "fleet/sources/node_findings.h"

#include <fmt/format.h>

#include "base/text.h"
#include "fleet/sources/patterns.h"

namespace sunup::fleet {

void warn(Findings& findings, std::string path, std::string_view rule, std::string message, std::string hint) {
  Finding finding;
  finding.severity = Severity::kWarning;
  finding.path = std::move(path);
  finding.rule = rule;
  finding.message = std::move(message);
  finding.hint = std::move(hint);
  findings.push_back(std::move(finding));
}

void note(Findings& findings, std::string path, std::string_view rule, std::string message) {
  warn(findings, std::move(path), rule, std::move(message));
  findings.back().severity = Severity::kNote;
}

void warn_of_uncarried(const NodeClass& node_class, Findings& warnings) {
  constexpr const char* kHint = "use --bootstrap nodeconfig, which carries it";
  const auto not_carried = [&](const char* path) {
    warn(warnings, path, "no-effect", "is accepted, but nodes in provision mode aksscriptless are never told", kHint);
  };
  if (node_class.linux_os_config) not_carried("spec.linuxOSConfig");
  if (node_class.local_dns == LocalDnsMode::kRequired) not_carried("spec.localDNS");
  if (node_class.artifact_streaming) not_carried("spec.artifactStreaming");
  if (!node_class.kubelet) return;
  if (node_class.kubelet->fail_swap_on) not_carried("spec.kubelet.failSwapOn");
  if (node_class.kubelet->cpu_cfs_quota_period && *node_class.kubelet->cpu_cfs_quota_period != "100ms")
    not_carried("spec.kubelet.cpuCFSQuotaPeriod");
}

void warn_of_unnamed_policy(const std::string& policy, Findings& findings) {
  const std::string lower = lowered(policy);
  if (lower.empty() || lower == "azure" || lower == "calico" || lower == "none") return;
  if (lower == "cilium")
    return note(findings, "network-policy", "no-effect",
                "an AKSNodeConfig has no value for cilium, for which a node needs no setup");
  warn(findings, "network-policy", "no-effect",
       fmt::format("'{}' has no equivalent in an AKSNodeConfig; it is not passed to the node", policy));
}

}  // namespace sunup::fleet
