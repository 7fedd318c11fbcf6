#include "fleet/kind_variables.h"

#include <fmt/format.h>

#include <array>

#include "base/base64.h"
#include "base/version_changes.h"
#include "fleet/gpu.h"
#include "fleet/history.h"
#include "fleet/scriptless_containerd.h"
#include "render/gpu_driver.h"

namespace sunup::fleet {
namespace {

std::string credential_provider_url(uint64_t minor, std::string_view arch) {
  if (minor < versions::kCredentialProvider.minor) return "";
  const std::string_view version = minor == 30 ? "1.30.12" : minor == 31 ? "1.31.6" : minor == 32 ? "1.32.5" : "1.33.0";
  return fmt::format(
      "https://acs-mirror.azureedge.net/cloud-provider-azure/v{0}/binaries/"
      "azure-acr-credential-provider-linux-{1}-v{0}.tar.gz",
      version, arch);
}

void offer_downloads(BootstrapVariables& variables, const std::string& kubernetes_version, uint64_t minor,
                     const std::string& arch) {
  constexpr std::string_view kWhere = "the Kubernetes version and the architecture";
  if (minor <
      versions::kNoNodeArchive.minor)  // from 1.34 on the archive is not published any more: images carry the binaries
    variables.offer(
        Var::kKubeBinaryURL, Source::kComputed, kWhere,
        fmt::format("https://acs-mirror.azureedge.net/kubernetes/v{}/binaries/kubernetes-node-linux-{}.tar.gz",
                    kubernetes_version, arch));
  if (std::string url = credential_provider_url(minor, arch); !url.empty())
    variables.offer(Var::kCredentialProviderDownloadURL, Source::kComputed, kWhere, std::move(url));
  variables.offer(
      Var::kVNETCNILinuxPluginsURL, Source::kComputed, "the architecture",
      fmt::format("https://acs-mirror.azureedge.net/azure-cni/v1.4.32/binaries/azure-vnet-cni-linux-{}-v1.4.32.tgz",
                  arch));
  variables.offer(
      Var::kCNIPluginsURL, Source::kComputed, "the architecture",
      fmt::format("https://acs-mirror.azureedge.net/cni-plugins/v1.1.1/binaries/cni-plugins-linux-{}-v1.1.1.tgz",
                  arch));
}

// True when the node gets NVIDIA's driver.
bool offer_gpu(BootstrapVariables& variables, const NodeClass& node_class, const InstanceType& type) {
  const GpuSize* gpu = find_gpu_size(type.name);
  if (gpu == nullptr || gpu->vendor != GpuVendor::kNvidia || !node_class.gpu_driver) return false;
  constexpr std::string_view kWhere = "the instance type's GPU";
  const GpuDriver driver = gpu_driver(type.name);
  variables.offer(Var::kGPUNode, Source::kComputed, kWhere, "true");
  variables.offer(Var::kConfigGPUDriverIfNeeded, Source::kComputed, kWhere, "true");
  variables.offer(Var::kGPUDriverVersion, Source::kComputed, kWhere, std::string(driver.version));
  variables.offer(Var::kGPUDriverType, Source::kComputed, kWhere, std::string(driver.type));
  variables.offer(Var::kGPUImageSHA, Source::kComputed, kWhere, std::string(driver.image_suffix));
  if (render::needs_fabric_manager(gpu->size))
    variables.offer(Var::kGPUNeedsFabricManager, Source::kComputed, kWhere, "true");
  return true;
}

// One of four texts.
const std::string& containerd_content(bool nvidia, bool bridge) {
  static const std::array<std::string, 4> kContents = [] {
    std::array<std::string, 4> contents;
    for (size_t i = 0; i < contents.size(); ++i)
      contents[i] = base64_encode(scriptless_containerd_config({(i & 1) != 0, (i & 2) != 0}));
    return contents;
  }();
  return kContents[(nvidia ? 1u : 0u) + (bridge ? 2u : 0u)];
}

}  // namespace

void offer_kind_variables(BootstrapVariables& variables, const Resolution& node, const SubnetId& subnet) {
  const InstanceType& type = *node.instance_type;
  offer_history(variables.at(Var::kKubernetesVersion), node.kubernetes_version);
  offer_downloads(variables, *node.kubernetes_version, Version::parse(*node.kubernetes_version)->minor, type.arch);
  variables.offer(Var::kSubnet, Source::kComputed, "the subnet ID", subnet.subnet);
  variables.offer(Var::kVirtualNetwork, Source::kComputed, "the subnet ID", subnet.vnet);
  variables.offer(Var::kVirtualNetworkResourceGroup, Source::kComputed, "the subnet ID", subnet.resource_group);
  const bool nvidia = offer_gpu(variables, *node.from_class, type);
  const bool bridge = variables.text(Var::kEnsureNoDupePromiscuousBridge) == "true";
  variables.offer(Var::kContainerdConfigContent, Source::kComputed, "GPU and network plugin",
                  containerd_content(nvidia, bridge));
}

}  // namespace sunup::fleet
