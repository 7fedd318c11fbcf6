#include "plan/image_modes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "base/node_paths.h"
#include "base/text.h"
#include "base/version.h"
#include "base/version_changes.h"
#include "plan/catalogue.h"
#include "plan/gather.h"
#include "plan/image_database.h"
#include "plan/subjects.h"
#include "render/node/cni.h"
#include "render/node/gpu.h"
#include "render/node/local_dns_files.h"

namespace sunup::plan {
namespace {

using Config = aksnodeconfig::v1::Configuration;

Result<bool> has_unit_file(host::Files& files, std::string unit) {
  const size_t instance = unit.find('@');
  const size_t dot = unit.rfind('.');
  if (instance != std::string::npos && dot != std::string::npos && dot > instance)
    unit = unit.substr(0, instance + 1) + unit.substr(dot);
  for (const std::string_view folder : node::kUnitFolders) {
    const auto there = files.exists(std::string(folder).append(unit));
    if (!there) return there.error();
    if (*there) return true;
  }
  return false;
}

using Lack = std::string;  // what is missing; empty if nothing is

struct Mode {
  ImageMode shown;
  void (*ask)(Config& config);
  Result<Lack> (*more)(host::Files& files, const Config& config, const NodeFacts& facts) = {};
};

Result<Lack> lacks_azure_plugin(host::Files&, const Config& config, const NodeFacts& facts) {
  if (node::cni_plan(config, facts)) return Lack();
  return fmt::format(
      "neither azure-vnet with 10-azure.conflist in {} nor an archive in /opt/cni/downloads; the node "
      "downloads it",
      node::kPluginFolder);
}

Result<Lack> lacks_local_dns(host::Files&, const Config&, const NodeFacts& facts) {
  Names lacking;
  if (!facts.has_unit("localdns.service")) lacking.emplace_back("localdns.service");
  if (!facts.has(paths::kLocalDnsScript)) lacking.emplace_back(paths::kLocalDnsScript);
  return lacking.empty() ? Lack() : fmt::format("no {}", fmt::join(lacking, ", "));
}

Result<Lack> lacks_reference_plugins(host::Files&, const Config& config, const NodeFacts& facts) {
  const auto plan = node::cni_plan(config, facts);
  if (!plan) return Lack(plan.error().what);
  return plan->reference_plugins_there ? Lack()
                                       : fmt::format("no bridge, host-local or loopback in {}", node::kPluginFolder);
}

Result<Lack> lacks_driver(host::Files& files, const Config& config, const NodeFacts& facts) {
  const auto plan = node::driver_plan(config, facts);
  if (!plan) return Lack(plan.error().what);
  if (plan->action == node::DriverAction::kNone) return Lack("there is no driver for " + facts.arch);
  const std::string built_in = node::prebaked_driver(facts);
  if (!built_in.empty() && plan->type.starts_with(built_in)) return Lack();
  if (plan->image.empty())
    return Lack(fmt::format("the node installs the package {}", node::driver_package_name(plan->form)));
  const auto cached = cached_images(files);
  if (!cached) return cached.error();
  // Without a list of components, the driver's version is not known.
  const std::string_view image = plan->image;
  if (image.ends_with(":-"))
    return Lack(fmt::format("/opt/azure/components.json of the image names no version of {}",
                            image.substr(0, image.size() - 2)));
  if (cached->contains(plan->image)) return Lack();
  return Lack(fmt::format("the node pulls {}", plan->image));
}

template <node::ManagedGpu kWay>
Result<Lack> lacks_packages(host::Files& files, const Config&, const NodeFacts&) {
  std::vector<std::string_view> packages = node::managed_gpu_packages();
  packages.push_back(node::offering_package(kWay));
  std::erase_if(packages, [&](std::string_view name) {
    const auto cached = files.list_if_there(fmt::format("/opt/{}/downloads", name));
    return cached && !cached->empty();
  });
  return packages.empty() ? Lack() : fmt::format("no cached package of {}", fmt::join(packages, ", "));
}

Result<Lack> lacks_secure_client(host::Files& files, const Config&, const NodeFacts&) {
  constexpr char kClient[] = "/opt/bin/aks-secure-tls-bootstrap-client";
  const auto there = files.exists(kClient);
  if (!there) return there.error();
  const auto unit = has_unit_file(files, "secure-tls-bootstrap.service");
  if (!unit) return unit.error();
  if (*there && *unit) return Lack();
  return Lack(*there ? "no secure-tls-bootstrap.service" : std::string("no ") + kClient);
}

void ask_for_gpu(Config& config, const char* size) {
  config.set_vm_size(size);
  config.mutable_gpu_config()->set_enable_nvidia(true);
  config.mutable_gpu_config()->set_config_gpu_driver(true);
}

const std::vector<Mode>& modes() {
  static const std::vector<Mode> kModes = {
      {.shown = {"azure-cni", "network: Azure CNI"},
       .ask =
           [](Config& c) { c.mutable_network_config()->set_network_plugin(aksnodeconfig::v1::NETWORK_PLUGIN_AZURE); },
       .more = lacks_azure_plugin},
      {.shown = {"kubenet", "network: kubenet"},
       .ask =
           [](Config& c) { c.mutable_network_config()->set_network_plugin(aksnodeconfig::v1::NETWORK_PLUGIN_KUBENET); },
       .more = lacks_reference_plugins},
      {.shown = {"gpu-cuda", "NVIDIA GPUs with the CUDA driver"},
       .ask = [](Config& c) { ask_for_gpu(c, "Standard_NC24ads_A100_v4"); },
       .more = lacks_driver},
      {.shown = {"gpu-grid", "NVIDIA GPUs with the GRID driver"},
       .ask = [](Config& c) { ask_for_gpu(c, "Standard_NV36ads_A10_v5"); },
       .more = lacks_driver},
      {.shown = {"managed-gpu", "GPUs offered by the device plugin of the image"},
       .ask = [](Config& c) { c.mutable_gpu_config()->set_enable_managed_gpu(true); },
       .more = lacks_packages<node::ManagedGpu::kDevicePlugin>},
      {.shown = {"managed-gpu-dra", "GPUs offered by dynamic resource allocation"},
       .ask = [](Config& c) { c.mutable_gpu_config()->set_enable_managed_gpu_dra(true); },
       .more = lacks_packages<node::ManagedGpu::kDra>},
      {.shown = {"local-dns", "the node-local DNS cache"},
       .ask = [](Config& c) { c.mutable_local_dns_profile()->set_enable_local_dns(true); },
       .more = lacks_local_dns},
      {.shown = {"hosts-agent", "the API server of a private cluster in /etc/hosts"},
       .ask = [](Config& c) { c.set_enable_hosts_config_agent(true); }},
      {.shown = {"artifact-streaming", "container images that are streamed"},
       .ask = [](Config& c) { c.set_enable_artifact_streaming(true); }},
      {.shown = {"secure-tls-bootstrap", "secure TLS bootstrapping"},
       .ask =
           [](Config& c) {
             c.mutable_bootstrapping_config()->set_bootstrapping_auth_method(
                 aksnodeconfig::v1::BOOTSTRAPPING_AUTH_METHOD_SECURE_TLS_BOOTSTRAPPING);
           },
       .more = lacks_secure_client},
  };
  return kModes;
}

// A config that requests the mode. Its only network source is the CNI archive that the image has cached.
Config config_for(const Mode& mode, const NodeFacts& facts) {
  Config config;
  mode.ask(config);
  for (std::string& name : facts.names_in("/opt/cni/downloads"))
    if (name.starts_with("azure-vnet-cni")) {
      if (!name.ends_with(".tgz")) name += ".tgz";
      config.mutable_network_config()->set_vnet_cni_plugins_url("https://image.invalid/" + name);
    }
  return config;
}

// The plan does not depend on these values, but it cannot be made without them.
Result<engine::Graph> plan_of(const Config& config, const NodeFacts& facts) {
  auto subject = std::make_shared<Subject>();
  subject->config = config;
  subject->config.mutable_api_server_config()->set_api_server_name("api.image.invalid");
  subject->facts = facts;
  return derive(subject);
}

Result<Lack> lack_of(host::Files& files, const Mode& mode, const NodeFacts& facts) {
  const Config config = config_for(mode, facts);
  if (mode.more != nullptr) {
    auto lack = mode.more(files, config, facts);
    if (!lack || !lack->empty()) return lack;
  }
  const auto plan = plan_of(config, facts);
  if (!plan) return Lack(plan.error().what);
  auto units = lacking_units(files, config, facts);
  if (!units) return std::move(units).error();
  // Units that every node lacks are reported elsewhere.
  const auto common = lacking_units(files, {}, facts);
  if (!common) return common.error();
  std::erase_if(*units, [&](const std::string& unit) { return contains(*common, unit); });
  return units->empty() ? Lack() : fmt::format("no {}", fmt::join(*units, ", "));
}

}  // namespace

Result<Names> lacking_units(host::Files& files, const Config& config, const NodeFacts& facts) {
  const auto plan = plan_of(config, facts);
  if (!plan) return plan.error().in("the plan");
  std::set<std::string> written;
  for (const engine::Step& step : plan->steps())
    for (const FileEffect& file : step.files) written.insert(file.path.substr(file.path.rfind('/') + 1));
  std::set<std::string> lacking;
  for (const engine::Step& step : plan->steps()) {
    if (!step.fatal || step.phase == engine::Phase::kDeferred) continue;
    for (const std::string& unit : step.units) {
      if (written.contains(unit)) continue;
      const auto there = has_unit_file(files, unit);
      if (!there) return there.error();
      if (!*there) lacking.insert(unit);
    }
  }
  return Names(lacking.begin(), lacking.end());
}

Result<void> note_cgroup_version(host::Files& files, NodeFacts& facts, bool files_only) {
  if (!files_only || facts.has(paths::kCgroup2)) return {};
  std::vector<std::string> paths = {"/etc/default/grub",    "/etc/kernel/cmdline",     "/boot/grub/grub.cfg",
                                    "/boot/grub2/grub.cfg", "/usr/share/oem/grub.cfg", "/oem/grub.cfg"};
  auto more = files.list_if_there("/etc/default/grub.d");
  if (!more) return std::move(more).error();
  for (const std::string& name : *more) paths.push_back("/etc/default/grub.d/" + name);
  for (const std::string& path : paths) {
    const auto text = files.read_if_there(path);
    if (!text) return text.error();
    for (const char* word : {"systemd.unified_cgroup_hierarchy=0", "systemd.unified_cgroup_hierarchy=false"})
      if (*text && (*text)->find(word) != std::string::npos) return {};
  }
  facts.paths.insert(paths::kCgroup2);
  return {};
}

ImagePart cgroup_part(const NodeFacts& facts, std::string_view kubernetes_version) {
  const bool second = facts.has(paths::kCgroup2);
  const bool refused = !second && package_at_least(kubernetes_version.substr(kubernetes_version.starts_with('v')),
                                                   versions::kNoCgroupV1);
  return {.name = "cgroups",
          .has = refused ? Has::kNo : Has::kYes,
          .needed = true,
          .detail = refused  ? "version 1, which kubelet refuses from 1.35 on"
                    : second ? "version 2"
                             : "version 1"};
}

std::vector<ImagePart> pause_parts(const std::set<std::string>& cached, const std::set<std::string>& needed) {
  constexpr char kName[] = "pause image";
  const auto is_pause = [](const std::string& name) { return name.find("/pause:") != std::string::npos; };
  std::vector<std::string> all;
  std::copy_if(cached.begin(), cached.end(), std::back_inserter(all), is_pause);
  const std::string known = fmt::format("{}", fmt::join(all, ", "));
  if (needed.empty())
    return {{.name = kName,
             .has = all.empty() ? Has::kNo : Has::kYes,
             .needed = true,
             .detail = all.empty() ? "containerd's database names none; the node pulls it" : known}};
  std::vector<ImagePart> parts;
  for (const std::string& image : needed) {
    const bool there = std::any_of(cached.begin(), cached.end(), [&image](const std::string& name) {
      const Names others = names_in_china(name);
      return name == image || std::find(others.begin(), others.end(), image) != others.end();
    });
    const std::string others = all.empty() ? "" : fmt::format("; containerd's database has {}", known);
    parts.push_back({.name = kName,
                     .has = there ? Has::kYes : Has::kNo,
                     .needed = true,
                     .detail = there ? image : fmt::format("the node pulls {}{}", image, others)});
  }
  return parts;
}

std::vector<ImageMode> image_modes() {
  std::vector<ImageMode> shown;
  for (const Mode& mode : modes()) shown.push_back(mode.shown);
  return shown;
}

Result<std::vector<ImagePart>> mode_parts(host::Files& files, const NodeFacts& facts) {
  std::vector<ImagePart> parts;
  for (const Mode& mode : modes()) {
    auto lack = lack_of(files, mode, facts);
    if (!lack) return std::move(lack).error();
    parts.push_back({.name = std::string(mode.shown.name),
                     .has = lack->empty() ? Has::kYes : Has::kNo,
                     .needed = false,
                     .detail = lack->empty() ? std::string(mode.shown.purpose) : *std::move(lack)});
  }
  return parts;
}

}  // namespace sunup::plan
