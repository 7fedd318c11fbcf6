#include "render/node/kubelet_defaults.h"

#include <fmt/format.h>

#include "base/node_paths.h"
#include "base/version_changes.h"
#include "render/cloud.h"
#include "render/kubelet_config_file.h"
#include "render/node/cloud_files.h"
#include "render/node/gpu.h"
#include "render/node/kubelet_serving.h"
#include "render/node/local_dns_files.h"
#include "render/node/node_labels.h"

namespace sunup::render::node {
namespace {

// Values are unquoted and extend to the end of the line. systemd removes a backslash there unless it is doubled.
Result<std::string> assignment(std::string_view name, std::string_view value) {
  std::string line = fmt::format("{}=", name);
  for (const char c : value) {
    if (c == '\n' || c == '\r' || c == '\0') {
      return Error(fmt::format("{} contains a line break, which is not possible in /etc/default/kubelet", name))
          .with_hint("check kubelet_config.kubelet_flags and kubelet_config.kubelet_node_labels");
    }
    if (c == '\\') line += '\\';
    line += c;
  }
  return line + '\n';
}

std::string_view policy_name(const Configuration& config) {
  switch (config.network_config().network_policy()) {
    case aksnodeconfig::v1::NETWORK_POLICY_NONE:
      return "none";
    case aksnodeconfig::v1::NETWORK_POLICY_AZURE:
      return "azure";
    case aksnodeconfig::v1::NETWORK_POLICY_CALICO:
      return "calico";
    default:
      return "";
  }
}

std::string addresses(const NodeFacts& facts) {
  if (!facts.imds) return {};
  std::string list = facts.imds->primary_ipv4();
  const std::string ipv6 = facts.imds->primary_ipv6();
  if (!list.empty() && !ipv6.empty()) list += ',';
  return list + ipv6;
}

}  // namespace

std::string node_kubelet_flags(const Configuration& config, const NodeFacts& facts) {
  std::string flags = serving_flags(kubelet_flags(config), serving_certificate(config, facts));
  if (!package_at_least(config.kubernetes_version(), versions::kNodeIp)) return flags;
  if (const std::string list = addresses(facts); !list.empty()) {
    if (!flags.empty()) flags += ' ';
    flags += "--node-ip=" + list;
  }
  return flags;
}

std::string node_kubelet_labels(const Configuration& config, const NodeFacts& facts) {
  std::string labels = serving_labels(kubelet_node_labels(config.kubelet_config()), serving_certificate(config, facts));
  if (has_local_dns_exporter(config, facts)) labels = with_label(labels, kLocalDnsExporterLabel);
  if (managed_gpu(config, facts) == ManagedGpu::kDevicePlugin) labels = with_label(labels, kDcgmExporterLabel);
  return labels;
}

Result<NodeFile> kubelet_defaults(const Configuration& config, const NodeFacts& facts) {
  std::string text;
  const std::pair<const char*, std::string> lines[] = {
      {"KUBELET_FLAGS", node_kubelet_flags(config, facts)},
      {"KUBELET_REGISTER_SCHEDULABLE", "true"},
      {"NETWORK_POLICY", std::string(policy_name(config))},
      {"KUBELET_IMAGE", ""},
      {"KUBELET_NODE_LABELS", node_kubelet_labels(config, facts)},
      {"AZURE_ENVIRONMENT_FILEPATH", cloud_environment_path(config)},
  };
  for (const auto& [name, value] : lines) {
    if (value.empty() && std::string_view(name) == "AZURE_ENVIRONMENT_FILEPATH") continue;
    auto line = assignment(name, value);
    if (!line) return line.error();
    text += *line;
  }
  return NodeFile{paths::kKubeletFlags, 0600, std::move(text)};
}

}  // namespace sunup::render::node
