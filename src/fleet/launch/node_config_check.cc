#include <fmt/format.h>

#include "contract/check.h"
#include "fleet/launch/node_config.h"
#include "fleet/sources/quantity.h"

namespace sunup::fleet {
namespace {

// The values that fields of the config are taken from.
struct Behind {
  std::string_view path;
  const Value<std::string> Cluster::* value;
};
constexpr Behind kBehind[] = {
    {"$.cluster_config.location", &Cluster::location},
    {"$.cluster_config.resource_group", &Cluster::resource_group},
    {"$.cluster_config.cluster_network_config.route_table", &Cluster::route_table},
    {"$.bootstrapping_config.tls_bootstrapping_token", &Cluster::bootstrap_token},
    {"$.api_server_config.api_server_name", &Cluster::api_server},
    {"$.kubernetes_ca_cert", &Cluster::ca_bundle},
    {"$.auth_config.subscription_id", &Cluster::subscription_id},
    {"$.auth_config.tenant_id", &Cluster::tenant_id},
    {"$.linux_admin_username", &Cluster::admin_username},
    {"$.http_proxy_config.http_proxy", &Cluster::http_proxy},
    {"$.http_proxy_config.https_proxy", &Cluster::https_proxy},
    {"$.http_proxy_config.no_proxy_entries", &Cluster::no_proxy},
    {"$.http_proxy_config.proxy_trusted_ca", &Cluster::proxy_trusted_ca},
};

std::string set_by(Origin origin) {
  if (origin.where.empty()) return "";
  return fmt::format(" (from {}: {})", source_name(origin.source), origin.where);
}

// " (from settings: kubelet-bootstrap-token)", or empty if no source set it.
std::string source_of(const NodeKind& kind, std::string_view path) {
  for (const Behind& row : kBehind)
    if (path.starts_with(row.path)) return set_by((kind.cluster->*row.value).origin());
  if (path.starts_with("$.kubernetes_version")) return set_by(kind.kubernetes_version.origin());
  if (path.starts_with("$.cluster_config.cluster_network_config.vnet_name"))
    return set_by({Source::kComputed, "the subnet ID"});
  if (path.starts_with("$.custom_linux_os_config")) return " (from nodeclass: spec.linuxOSConfig)";
  if (path.starts_with("$.local_dns_profile")) return " (from nodeclass: spec.localDNS)";
  for (const ValueMap* map : {&kind.kubelet_flags, &kind.labels}) {
    const size_t open = path.find("[\"");
    const size_t close = path.rfind("\"]");
    if (open == path.npos || close == path.npos || close < open + 2) break;
    if (const Value<std::string>* value = map->value(path.substr(open + 2, close - open - 2)))
      return set_by(value->origin());
  }
  return "";
}

// The swap file is on the OS disk, which must have room for everything else, too.
std::optional<Error> refuse_swap(const NodeKind& kind) {
  const auto& os = kind.from_class->linux_os_config;
  if (!os || !os->swap_file_size) return std::nullopt;
  const auto size = parse_quantity(*os->swap_file_size);
  constexpr int64_t kGibibyte = int64_t{1} << 30;
  if (!size || size->units() / kGibibyte < kind.os_disk.size_gb) return std::nullopt;
  return Error(fmt::format("spec.linuxOSConfig.swapFileSize: {} does not fit on the OS disk, which has {} GB",
                           *os->swap_file_size, kind.os_disk.size_gb))
      .with_hint("reduce the size of the file, or increase spec.osDiskSizeGB");
}

}  // namespace

std::optional<Error> refuse_node_config(const NodeKind& kind, Findings& findings) {
  if (kind.bootstrap != Bootstrap::kNodeConfig) return std::nullopt;
  if (auto error = refuse_swap(kind)) return error;
  contract::Configuration config = kind_config(kind);
  set_kubelet(config, kind.kubelet_flags, kind.labels);
  for (const contract::Finding& finding : contract::check(config)) {
    if (finding.severity == Severity::kError)
      return Error(fmt::format("its AKSNodeConfig is refused: {}: {}{} (rule: {})", finding.path, finding.message,
                               source_of(kind, finding.path), finding.rule))
          .with_hint(finding.hint);
    if (finding.severity == Severity::kWarning)
      warn(findings, "AKSNodeConfig " + finding.path, finding.rule, finding.message + source_of(kind, finding.path),
           finding.hint);
  }
  return std::nullopt;
}

}  // namespace sunup::fleet
