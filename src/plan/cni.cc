// The pod network: the plugins that containerd calls, and their configuration list.
#include "render/node/cni.h"
#include "base/exit_code.h"
#include "base/node_paths.h"
#include "fetch/download.h"
#include "plan/archives.h"
#include "plan/install.h"
#include "plan/subjects.h"

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;

constexpr char kPluginArchive[] = "/opt/cni/downloads/.azure-cni.tgz";

bool azure_plugin(const Subject& s) {
  return s.config.network_config().network_plugin() == aksnodeconfig::v1::NETWORK_PLUGIN_AZURE;
}

// If the image's plugins are read-only, only their list is written.
bool installs_azure_plugin(const Subject& s) {
  return azure_plugin(s) && render::traits(s.facts.distro).installs_cni;
}

// Plugins of the image that containerd could not execute, or that users other than root could modify.
std::vector<std::string> unfit_plugins(const NodeFacts& facts) {
  std::vector<std::string> paths;
  for (const std::string& name : facts.names_in(node::kPluginFolder))
    if (std::string path = std::string(node::kPluginFolder) + "/" + name;
        path != node::kPackagedList && facts.mode(path, 0755) != 0755)
      paths.push_back(std::move(path));
  return paths;
}

// Only a download needs the network.
Names plugin_needs(const Subject& s) {
  if (!installs_azure_plugin(s)) return {};
  const auto plan = node::cni_plan(s.config, s.facts);
  return plan && plan->azure == node::CniAction::kDownload ? download_needs(s) : Names{};
}

std::vector<FileEffect> plugin_files(const Subject& s) {
  std::vector<FileEffect> files = {{.path = node::kPluginFolder, .mode = 0755},
                                   {.path = paths::kCniConfigs, .mode = 0755}};
  for (std::string& path : unfit_plugins(s.facts)) files.push_back({.path = std::move(path), .mode = 0755});
  if (!installs_azure_plugin(s)) return files;
  const auto plan = node::cni_plan(s.config, s.facts);
  if (plan && plan->azure == node::CniAction::kMoveFolder)
    for (const std::string& name : s.facts.names_in(plan->azure_source))
      files.push_back({.path = std::string(node::kPluginFolder) + "/" + name, .mode = 0755});
  if (plan && plan->azure == node::CniAction::kDownload)
    for (const bool part : {false, true})
      files.push_back({std::string(kPluginArchive) + (part ? ".part" : ""), 0644, true});
  return files;
}

Task<Result<void>> put_plugins(Context& c, SubjectPtr s) {
  host::Files& files = c.host.files;
  for (const char* folder : {node::kPluginFolder, paths::kCniConfigs}) {
    if (auto made = files.make_directories(folder); !made) co_return made;
    const auto info = files.info(folder);
    if (!info) co_return info.error();
    if (info->mode == 0755) continue;  // on a read-only image, setting a mode fails even if it is already right
    if (auto set = files.set_mode(folder, 0755); !set) co_return set;
  }
  for (const std::string& path : unfit_plugins(s->facts))
    if (auto set = files.set_mode(path, 0755); !set) co_return set;
  if (!installs_azure_plugin(*s)) co_return Result<void>();
  auto plan = node::cni_plan(s->config, s->facts);
  if (!plan) co_return std::move(plan).error();
  switch (plan->azure) {
    case node::CniAction::kNone:
      co_return Result<void>();
    case node::CniAction::kMoveFolder: {
      auto names = files.list(plan->azure_source);
      if (!names) co_return std::move(names).error();
      for (const std::string& name : *names) {
        const std::string from = plan->azure_source + "/" + name;
        if (auto runs = files.set_mode(from, 0755); !runs) co_return runs;
        if (auto moved = files.rename(from, std::string(node::kPluginFolder) + "/" + name); !moved) co_return moved;
      }
      co_return Result<void>();
    }
    case node::CniAction::kExtractArchive:
      co_return co_await extract_all(c.host, plan->azure_source, node::kPluginFolder);
    case node::CniAction::kDownload: {
      fetch::Download what;
      what.url = plan->azure_source;
      what.to = kPluginArchive;
      fetch::Outside way = outside(c, s);
      auto got = co_await fetch::download(std::move(way), std::move(what));
      if (got) got = co_await extract_all(c.host, kPluginArchive, node::kPluginFolder);
      (void)files.remove(kPluginArchive);
      co_return got;
    }
  }
  co_return Result<void>();
}

std::vector<FileEffect> azure_list(const Subject&) {
  return {{.path = paths::kAzureConflist, .mode = 0600}};
}

// The list is part of the plugin's package, so its content is known only now.
Task<Result<void>> configure_cni(Context& c, SubjectPtr s) {
  NodeFacts facts = s->facts;
  auto packaged = c.host.files.read_if_there(node::kPackagedList);
  if (!packaged) co_return std::move(packaged).error();
  facts.set_file(node::kPackagedList, *packaged, 0644);
  auto files = node::cni_files(s->config, facts);
  if (!files) co_return std::move(files).error();
  if (auto written = write_files(c.host.files, *files, facts); !written) co_return std::move(written).error();
  co_return Result<void>();
}

}  // namespace

Declarations cni_steps() {
  return {
      {.name = "cni.plugins",
       .purpose = "installs the network plugins in the directory that containerd uses",
       .original = "B20, B21",
       .task = "AKS.CSE.installNetworkPlugin",
       .phase = node::Phase::kBasePrep,
       .more_needs = plugin_needs,
       .files = plugin_files,
       .lasts = Lasts::kOnDisk,
       .deadline = 300s,
       .retry = {.attempts = 60, .pause = 1s, .longest_pause = 5s, .worth = fetch::worth_retrying},
       .exit_code = exit_code::kCniDownloadTimeout,
       .body = put_plugins},
      {.name = "cni.config",
       .purpose = "configures Azure CNI",
       .original = "B26",
       .task = "AKS.CSE.configureCNI",
       .when = "the network plugin is Azure CNI",
       .wanted = azure_plugin,
       .phase = node::Phase::kBasePrep,
       .needs = {"cni.plugins"},
       .files = azure_list,
       .lasts = Lasts::kOnDisk,
       .exit_code = exit_code::kCniDownloadTimeout,
       .body = configure_cni},
  };
}

}  // namespace sunup::plan
