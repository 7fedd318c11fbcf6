#include "fleet/resolve/node_config_check.h"

#include <fmt/format.h>

#include "contract/check.h"
#include "fleet/resolve/node_config.h"
#include "fleet/sources/node_findings.h"
#include "fleet/sources/quantity.h"

namespace sunup::fleet {
namespace {

struct Behind {
  std::string_view path;
  Var var;
};
constexpr Behind kBehind[] = {
    {"$.cluster_config.location", Var::kLocation},
    {"$.cluster_config.resource_group", Var::kResourceGroup},
    {"$.cluster_config.cluster_network_config.vnet_name", Var::kVirtualNetwork},
    {"$.cluster_config.cluster_network_config.route_table", Var::kRouteTable},
    {"$.bootstrapping_config.tls_bootstrapping_token", Var::kTLSBootstrapToken},
    {"$.api_server_config.api_server_name", Var::kAPIServerName},
    {"$.kubernetes_version", Var::kKubernetesVersion},
    {"$.kubernetes_ca_cert", Var::kKubeCACrt},
    {"$.auth_config.subscription_id", Var::kSubscriptionID},
    {"$.auth_config.tenant_id", Var::kTenantID},
    {"$.linux_admin_username", Var::kAdminUsername},
    {"$.http_proxy_config.http_proxy", Var::kHTTPProxyURLs},
    {"$.http_proxy_config.https_proxy", Var::kHTTPSProxyURLs},
    {"$.http_proxy_config.no_proxy_entries", Var::kNoProxyURLs},
    {"$.http_proxy_config.proxy_trusted_ca", Var::kHTTPProxyTrustedCA},
};

std::string set_by(Origin origin) {
  if (origin.where.empty()) return "";
  return fmt::format(" (from {}: {})", source_name(origin.source), origin.where);
}

// " (from settings: kubelet-bootstrap-token)", or nothing where nobody in particular said it.
std::string who_set(const Resolution& node, std::string_view path) {
  for (const Behind& row : kBehind)
    if (path.starts_with(row.path)) return set_by(node.variables.at(row.var).origin());
  if (path.starts_with("$.custom_linux_os_config")) return " (from nodeclass: spec.linuxOSConfig)";
  if (path.starts_with("$.local_dns_profile")) return " (from nodeclass: spec.localDNS)";
  for (const ValueMap* map : {&node.kubelet_flags, &node.labels}) {
    const size_t open = path.find("[\"");
    const size_t close = path.rfind("\"]");
    if (open == path.npos || close == path.npos || close < open + 2) break;
    if (const Value<std::string>* value = map->value(path.substr(open + 2, close - open - 2)))
      return set_by(value->origin());
  }
  return "";
}

// A swap file is made on the OS disk, which has to hold everything else too.
std::optional<Error> refuse_swap(const Resolution& node) {
  const auto& os = node.from_class->linux_os_config;
  if (!os || !os->swap_file_size) return std::nullopt;
  const auto size = parse_quantity(*os->swap_file_size);
  constexpr int64_t kGibibyte = int64_t{1} << 30;
  if (!size || size->units() / kGibibyte < node.os_disk.size_gb) return std::nullopt;
  return Error(fmt::format("spec.linuxOSConfig.swapFileSize: {} does not fit on the OS disk, which has {} GB",
                           *os->swap_file_size, node.os_disk.size_gb))
      .with_hint("reduce the size of the file, or increase spec.osDiskSizeGB");
}

}  // namespace

std::optional<Error> refuse_node_config(const Resolution& node, Findings& findings) {
  if (auto error = refuse_swap(node)) return error;
  for (const contract::Finding& finding : contract::check(node_config(node))) {
    if (finding.severity == Severity::kError)
      return Error(fmt::format("its AKSNodeConfig is refused: {}: {}{} (rule: {})", finding.path, finding.message,
                               who_set(node, finding.path), finding.rule))
          .with_hint(finding.hint);
    if (finding.severity == Severity::kWarning)
      warn(findings, "AKSNodeConfig " + finding.path, finding.rule, finding.message + who_set(node, finding.path),
           finding.hint);
  }
  return std::nullopt;
}

}  // namespace sunup::fleet
