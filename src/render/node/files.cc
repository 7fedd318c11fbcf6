#include "render/node/files.h"

#include <algorithm>

#include "base/node_paths.h"
#include "render/node/ca_trust.h"
#include "render/node/cloud_files.h"
#include "render/node/cni.h"
#include "render/node/containerd_files.h"
#include "render/node/credentials.h"
#include "render/node/gpu.h"
#include "render/node/huge_pages.h"
#include "render/node/kernel_modules.h"
#include "render/node/kernel_settings.h"
#include "render/node/kubelet_config.h"
#include "render/node/kubelet_defaults.h"
#include "render/node/kubelet_dropins.h"
#include "render/node/kubelet_unit.h"
#include "render/node/local_dns_files.h"
#include "render/node/motd.h"
#include "render/node/network_files.h"
#include "render/node/proxy.h"
#include "render/node/registry.h"
#include "render/node/reserved_cgroups.h"
#include "render/node/search_domain.h"
#include "render/node/secure_tls.h"
#include "render/node/sshd_config.h"
#include "render/node/swap.h"
#include "render/node/unit_text.h"
#include "render/node/upgrades.h"

namespace sunup::render::node {
namespace {

Result<NodeFiles> base_dropins(const Configuration& config, const NodeFacts& facts) {
  return kubelet_base_dropins(config, facts);
}

Result<NodeFiles> node_dropins(const Configuration& config, const NodeFacts& facts) {
  return kubelet_node_dropins(config, facts);
}

Result<NodeFiles> defaults(const Configuration& config, const NodeFacts& facts) {
  auto file = kubelet_defaults(config, facts);
  if (!file) return file.error();
  return NodeFiles{*std::move(file)};
}

// A private cluster whose API server is found through a tag of the VM: an agent of the image keeps /etc/hosts up to
// date.
Result<NodeFiles> private_hosts_files(const Configuration& config, const NodeFacts&) {
  if (!config.enable_hosts_config_agent()) return NodeFiles{};
  UnitText text;
  text.section("Service").environment("KUBE_API_SERVER_NAME", config.api_server_config().api_server_name());
  return NodeFiles{
      {"/etc/systemd/system/reconcile-private-hosts.service.d/10-fqdn.conf", 0644, std::move(text).take()}};
}

constexpr Concern kConcerns[] = {
    {"sshd", Phase::kBasePrep, sshd_config_files},
    {"proxy", Phase::kBasePrep, proxy_files},
    {"CA trust", Phase::kBasePrep, ca_trust_files},
    {"CNI", Phase::kBasePrep, cni_files},
    {"kernel modules", Phase::kBasePrep, module_load_files},
    {"DHCP domains", Phase::kBasePrep, dhcp_domain_files},
    {"search domain", Phase::kBasePrep, search_domain_files},
    {"containerd", Phase::kBasePrep, containerd_files},
    {"registry hosts", Phase::kBasePrep, registry_host_files},
    {"kernel settings", Phase::kBasePrep, kernel_setting_files},
    {"message of the day", Phase::kBasePrep, motd_files},
    {"private cluster hosts", Phase::kBasePrep, private_hosts_files},
    {"local DNS", Phase::kBasePrep, local_dns_files},
    // Images may contain these from an older config or kernel, so the second phase renders them again.
    {"reserved cgroups", Phase::kBoth, reserved_cgroup_files},
    {"huge pages", Phase::kBoth, huge_page_files},
    {"swap", Phase::kBoth, swap_persistence_files},
    {"kernel module mitigation", Phase::kBoth, module_mitigation_files},
    {"kubelet runtime flags", Phase::kBoth, base_dropins},
    {"first boot", Phase::kBoth, first_boot_files},
    {"cloud provider", Phase::kNodePrep, cloud_files},
    {"certificates", Phase::kNodePrep, certificate_files},
    {"kubeconfig", Phase::kNodePrep, kubeconfig_files},
    {"secure TLS bootstrap", Phase::kNodePrep, secure_tls_files},
    {"kubelet config", Phase::kNodePrep, kubelet_config_files},
    {"kubelet defaults", Phase::kNodePrep, defaults},
    {"kubelet flags", Phase::kNodePrep, node_dropins},
    {"kubelet start", Phase::kNodePrep, kubelet_unit_files},
    {"credential provider", Phase::kNodePrep, credential_provider_files},
    {"secondary network cards", Phase::kNodePrep, secondary_nic_files},
    {"GPU", Phase::kNodePrep, gpu_files},
    {"local DNS exporter", Phase::kNodePrep, local_dns_exporter_files},
    {"unattended upgrades", Phase::kNodePrep, upgrade_files},
};

}  // namespace

std::span<const Concern> concerns() {
  return kConcerns;
}

bool runs_phase(Phase phase, const Configuration& config, const NodeFacts& facts) {
  const bool base = !facts.base_prep_done;
  const bool node = !config.pre_provision_only();
  return (base && phase != Phase::kNodePrep) || (node && phase != Phase::kBasePrep);
}

Result<NodeFiles> node_files(const Configuration& config, const NodeFacts& facts) {
  NodeFiles files;
  for (const Concern& concern : kConcerns) {
    if (!runs_phase(concern.phase, config, facts)) continue;
    auto made = concern.files(config, facts);
    if (!made) return std::move(made).error().in(concern.name);
    append(files, *std::move(made));
  }
  std::sort(files.begin(), files.end(), [](const NodeFile& a, const NodeFile& b) { return a.path < b.path; });
  return files;
}

std::vector<NodeLink> node_links(const Configuration& config, const NodeFacts& facts) {
  std::vector<NodeLink> links;
  const bool base = runs_phase(Phase::kBasePrep, config, facts);
  const bool node = runs_phase(Phase::kNodePrep, config, facts);
  if (base && traits(facts.distro).relinks_resolv_conf) {
    links.push_back({"/etc/resolv.conf", paths::kSystemdResolvConf});
  }
  if (traits(facts.distro).packages == PackageFormat::kSysext) {
    // kubelet must not start before its config exists.
    if (base && traits(facts.distro).extension_starts_kubelet) links.push_back({kExtensionAutostart, "/dev/null"});
    if (base) links.push_back({"/opt/bin/kubectl", "/usr/bin/kubectl"});
    if (base) links.push_back({paths::kKubeletProgram, "/usr/bin/kubelet"});
    if (node && has_credential_provider(config)) {
      links.push_back({paths::kCredentialProvider, "/usr/bin/azure-acr-credential-provider"});
    }
  }
  return links;
}

std::vector<std::string> node_removals(const Configuration& config, const NodeFacts& facts) {
  std::vector<std::string> removals = stale_huge_page_files(config, facts);
  const auto add = [&removals](std::vector<std::string> more) {
    removals.insert(removals.end(), more.begin(), more.end());
  };
  // A system extension is used from the file that it was downloaded to.
  const bool keeps_downloads = traits(facts.distro).packages == PackageFormat::kSysext;
  if (runs_phase(Phase::kBasePrep, config, facts)) {
    add(stale_local_dns_files(config, facts));
    add({"/opt/cni/downloads"});
    if (!keeps_downloads) add({"/opt/kubectl/downloads", "/opt/kubelet/downloads"});
    if (!secure_tls_bootstrapping(config)) {
      add({"/opt/aks-secure-tls-bootstrap-client/downloads", "/opt/bin/aks-secure-tls-bootstrap-client"});
      if (keeps_downloads) add({"/etc/extensions/aks-secure-tls-bootstrap-client.raw"});
    }
  }
  if (runs_phase(Phase::kNodePrep, config, facts)) {
    if (!keeps_downloads) add({"/opt/azure-acr-credential-provider/downloads"});
    add(gpu_cleanup_paths(config, facts));
  }
  std::sort(removals.begin(), removals.end());
  return removals;
}

}  // namespace sunup::render::node
