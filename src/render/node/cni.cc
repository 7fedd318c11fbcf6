#include "render/node/cni.h"

#include "base/exit_code.h"
#include "base/node_paths.h"

namespace sunup::render::node {
namespace {

constexpr auto& kInstalledList = paths::kAzureConflist;

bool is_azure(const Configuration& config) {
  return config.network_config().network_plugin() == aksnodeconfig::v1::NETWORK_PLUGIN_AZURE;
}

std::string archive_name(const std::string& url) {
  const std::string path = url.substr(0, url.find_first_of("?#"));
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

Result<CniPlan> cni_plan(const Configuration& config, const NodeFacts& facts) {
  CniPlan plan;
  if (!traits(facts.distro).installs_cni) return plan;
  for (const char* plugin : {"bridge", "host-local", "loopback"})
    if (!facts.has(std::string(kPluginFolder) + "/" + plugin)) plan.reference_plugins_there = false;
  if (!is_azure(config)) return plan;

  const std::string& url = config.network_config().vnet_cni_plugins_url();
  const std::string archive = archive_name(url);
  const std::string cached = "/opt/cni/downloads/" + archive;
  const std::string folder = cached.ends_with(".tgz") ? cached.substr(0, cached.size() - 4) : cached;
  if (!archive.empty() && folder != cached && facts.has(folder)) {
    plan.azure = CniAction::kMoveFolder;
    plan.azure_source = folder;
  } else if (!archive.empty() && facts.has(cached)) {
    plan.azure = CniAction::kExtractArchive;
    plan.azure_source = cached;
  } else if (facts.has(std::string(kPluginFolder) + "/azure-vnet") &&
             (facts.has(kPackagedList) || facts.has(kInstalledList))) {
    plan.azure = CniAction::kNone;  // an earlier run has installed it
  } else if (!url.empty()) {
    plan.azure = CniAction::kDownload;
    plan.azure_source = url;
  } else {
    return Error("Azure CNI is requested, but the image does not contain it and the config names no URL")
        .with_hint("set network_config.vnet_cni_plugins_url")
        .with_code(exit_code::kCniDownloadTimeout);
  }
  return plan;
}

std::string azure_conflist(std::string_view packaged, const Configuration& config) {
  std::string list(packaged);
  if (config.network_config().network_policy() != aksnodeconfig::v1::NETWORK_POLICY_CALICO) return list;
  constexpr std::string_view kBridge = "\"mode\":\"bridge\"";
  constexpr std::string_view kTransparent = "\"mode\":\"transparent\"";
  for (size_t at = list.find(kBridge); at != std::string::npos; at = list.find(kBridge, at + kTransparent.size()))
    list.replace(at, kBridge.size(), kTransparent);
  return list;
}

Result<NodeFiles> cni_files(const Configuration& config, const NodeFacts& facts) {
  const std::string* packaged = is_azure(config) ? facts.text_if_there(kPackagedList) : nullptr;
  if (packaged == nullptr) return NodeFiles{};
  return NodeFiles{{kInstalledList, 0600, azure_conflist(*packaged, config)}};
}

}  // namespace sunup::render::node
