#include "fleet/sources/label_keys.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace sunup::fleet {

std::string_view stable_label(std::string_view key) {
  constexpr std::pair<std::string_view, std::string_view> kRenamed[] = {
      {"beta.kubernetes.io/arch", "kubernetes.io/arch"},
      {"beta.kubernetes.io/os", "kubernetes.io/os"},
      {"beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"},
      {"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"},
      {"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"},
  };
  for (const auto& [old, now] : kRenamed)
    if (key == old) return now;
  return key;
}

std::string_view restricted_label(std::string_view key) {
  const size_t slash = key.find('/');
  const std::string_view domain = slash == key.npos ? "" : key.substr(0, slash);
  const std::string_view name = slash == key.npos ? key : key.substr(slash + 1);
  const auto one_of = [name](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const auto in = [domain](std::string_view root) {
    return domain == root || (domain.ends_with(root) && domain[domain.size() - root.size() - 1] == '.');
  };
  if (in("karpenter.sh") && !(domain == "karpenter.sh" && name == "capacity-type"))
    return "label domain 'karpenter.sh' is restricted to capacity-type";
  if (key == "kubernetes.io/hostname") return "label 'kubernetes.io/hostname' is restricted";
  if (in("karpenter.azure.com") &&
      !one_of({"aksnodeclass", "sku-name", "sku-family", "sku-series", "sku-version", "sku-cpu", "sku-memory",
               "sku-networking-accelerated", "sku-storage-premium-capable", "sku-storage-ultra-ssd",
               "sku-storage-ephemeralos-maxsize", "sku-gpu-name", "sku-gpu-manufacturer", "sku-gpu-count",
               "placement-scope"}))
    return "label domain 'karpenter.azure.com' is restricted";
  if (in("kubernetes.azure.com") &&
      !one_of({"mode", "scalesetpriority", "priority", "fips_enabled", "os-sku", "cluster", "sku-cpu", "sku-memory",
               "ebpf-dataplane", "ebpf-host-routing", "network-policy", "hostedvm"}))
    return "label domain 'kubernetes.azure.com' is restricted";
  if (domain.empty() && one_of({"agentpool", "storageprofile", "storagetier", "accelerator"}))
    return "labels agentpool, storageprofile, storagetier and accelerator are restricted";
  return "";
}

}  // namespace sunup::fleet
