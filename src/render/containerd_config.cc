#include "render/containerd_config.h"

#include <algorithm>

#include "base/node_paths.h"
#include "base/text.h"
#include "base/version_changes.h"
#include "render/kubenet.h"
#include "render/toml.h"

namespace sunup::render {
namespace {

using aksnodeconfig::v1::Configuration;

constexpr std::string_view kCri = "io.containerd.grpc.v1.cri";         // all of CRI, up to 1.x
constexpr std::string_view kImages = "io.containerd.cri.v1.images";    // from 2.0
constexpr std::string_view kRuntime = "io.containerd.cri.v1.runtime";  // from 2.0

constexpr std::string_view kRunc = "io.containerd.runc.v2", kKata = "io.containerd.kata.v2";

// The input of a file. `nvidia` is true only in the GPU file.
struct Facts {
  explicit Facts(const Configuration& config, GpuFile gpu)
      : pause_image(config.kube_binary_config().pod_infra_container_image_url()),
        data_dir(config.kubelet_config().container_data_dir()),
        gpu_file(gpu == GpuFile::kYes),
        nvidia(gpu_file && config.gpu_config().enable_nvidia()),
        kata(config.is_kata()),
        streaming(config.enable_artifact_streaming()),
        cgroup_v2(config.needs_cgroupv2()),
        bridge(needs_kubenet_bridge(config.network_config())),
        registry_hosts(version_at_least(config.kubernetes_version(), versions::kRegistryHosts)) {}

  std::string_view pause_image, data_dir;
  bool gpu_file, nvidia, kata, streaming, cgroup_v2, bridge, registry_hosts;
};

void top(TomlWriter& toml, const Facts& facts) {
  toml.number("version", 2);
  toml.number("oom_score", -999);
  if (!facts.data_dir.empty()) toml.text("root", facts.data_dir);
}

void erofs(TomlWriter& toml) {
  toml.table({"plugins", "io.containerd.snapshotter.v1.erofs"});
  toml.text("default_size", "10G");
  toml.boolean("enable_fsverity", false);
  toml.list("ovl_mount_options", {});
  toml.table({"plugins", "io.containerd.service.v1.diff-service"});
  toml.list("default", {"erofs", "walking"});
  toml.table({"plugins", "io.containerd.differ.v1.erofs"});
  toml.list("mkfs_options", {"-T0", "--mkfs-time", "--sort=none"});
  toml.boolean("enable_tar_index", false);
}

// The default runtime and the one for untrusted pods: NVIDIA's or runc.
void runtimes(TomlWriter& toml, const Facts& facts, std::string_view plugin, bool systemd_cgroup) {
  const std::string_view name = facts.nvidia ? "nvidia-container-runtime" : "runc";
  const std::string_view binary = facts.nvidia ? "/usr/bin/nvidia-container-runtime" : "/usr/bin/runc";
  toml.text("default_runtime_name", name);
  toml.table({"plugins", plugin, "containerd", "runtimes", name});
  toml.text("runtime_type", kRunc);
  toml.table({"plugins", plugin, "containerd", "runtimes", name, "options"});
  toml.text("BinaryName", binary);
  if (systemd_cgroup) toml.boolean("SystemdCgroup", true);
  toml.table({"plugins", plugin, "containerd", "runtimes", "untrusted"});
  toml.text("runtime_type", kRunc);
  toml.table({"plugins", plugin, "containerd", "runtimes", "untrusted", "options"});
  toml.text("BinaryName", binary);
}

void cni(TomlWriter& toml, std::string_view plugin) {
  toml.table({"plugins", plugin, "cni"});
  toml.text("bin_dir", paths::kCniPlugins);
  toml.text("conf_dir", paths::kCniConfigs);
  toml.text("conf_template", paths::kKubenetTemplate);
}

void registry(TomlWriter& toml, const Facts& facts, std::string_view plugin) {
  if (facts.registry_hosts) {
    toml.table({"plugins", plugin, "registry"});
    toml.text("config_path", paths::kRegistryHosts);
  }
  toml.table({"plugins", plugin, "registry", "headers"});
  toml.list("X-Meta-Source-Client", {"azure/aks"});
}

void snapshot_plugin(TomlWriter& toml, std::string_view name, std::string_view address) {
  toml.table({"proxy_plugins", name});
  toml.text("type", "snapshot");
  toml.text("address", address);
}

void metrics_and_snapshotters(TomlWriter& toml, const Facts& facts) {
  toml.table({"metrics"});
  toml.text("address", "0.0.0.0:10257");
  if (facts.streaming) snapshot_plugin(toml, "overlaybd", "/run/overlaybd-snapshotter/overlaybd.sock");
  if (facts.kata) snapshot_plugin(toml, "tardev", "/run/containerd/tardev-snapshotter.sock");
}

void kata_cli(TomlWriter& toml) {
  toml.table({"plugins", kCri, "containerd", "runtimes", "katacli"});
  toml.text("runtime_type", "io.containerd.runc.v1");
  toml.table({"plugins", kCri, "containerd", "runtimes", "katacli", "options"});
  toml.boolean("NoPivotRoot", false);
  toml.boolean("NoNewKeyring", false);
  toml.text("ShimCgroup", "");
  toml.number("IoUid", 0);
  toml.number("IoGid", 0);
  toml.text("BinaryName", "/usr/bin/kata-runtime");
  toml.text("Root", "");
  toml.text("CriuPath", "");
  toml.boolean("SystemdCgroup", false);
}

void kata_preview(TomlWriter& toml, std::string_view plugin) {
  toml.table({"plugins", plugin, "containerd", "runtimes", "kata-preview"});
  toml.text("runtime_type", kKata);
  toml.boolean("privileged_without_host_devices", true);
  toml.text("snapshotter", "erofs");
  toml.table({"plugins", plugin, "containerd", "runtimes", "kata-preview", "options"});
  toml.text("ConfigPath", "/usr/share/defaults/kata-containers/configuration-clh-preview.toml");
}

void kata_confidential(TomlWriter& toml, std::string_view plugin) {
  toml.table({"plugins", plugin, "containerd", "runtimes", "kata-cc"});
  toml.text("snapshotter", "tardev");
  toml.text("runtime_type", "io.containerd.kata-cc.v2");
  toml.boolean("privileged_without_host_devices", true);
  toml.list("pod_annotations", {"io.katacontainers.*"});
  toml.table({"plugins", plugin, "containerd", "runtimes", "kata-cc", "options"});
  toml.text("ConfigPath", "/opt/confidential-containers/share/defaults/kata-containers/configuration-clh-snp.toml");
}

std::string generation_one(const Facts& facts) {
  TomlWriter toml;
  top(toml, facts);
  if (facts.kata) erofs(toml);
  toml.table({"plugins", kCri});
  toml.text("sandbox_image", facts.pause_image);
  if (facts.gpu_file) toml.boolean("enable_cdi", true);
  toml.table({"plugins", kCri, "containerd"});
  if (facts.kata || facts.streaming) {
    // Streaming needs its own snapshotter for all images. Kata configures one for each of its runtimes below.
    toml.text("snapshotter", facts.streaming ? "overlaybd" : "overlayfs");
    toml.boolean("disable_snapshot_annotations", false);
  }
  runtimes(toml, facts, kCri, facts.cgroup_v2);
  if (facts.bridge) cni(toml, kCri);
  registry(toml, facts, kCri);
  metrics_and_snapshotters(toml, facts);
  if (facts.kata) {
    toml.table({"plugins", kCri, "containerd", "runtimes", "kata"});
    toml.text("runtime_type", kKata);
    toml.text("snapshotter", "overlayfs");
    kata_cli(toml);
    kata_preview(toml, kCri);
    kata_confidential(toml, kCri);
  }
  return std::move(toml).take();
}

void kata_of_two(TomlWriter& toml, const Facts& facts, KataPlugins place) {
  const bool right = place == KataPlugins::kWhereTheyWork;
  const std::string_view plugin = right ? kRuntime : kCri;
  toml.table({"plugins", plugin, "containerd", "runtimes", "kata"});
  toml.text("runtime_type", kKata);
  toml.boolean("privileged_without_host_devices", true);
  toml.text("snapshotter", "overlayfs");
  toml.table({"plugins", plugin, "containerd", "runtimes", "kata", "options"});
  toml.text("ConfigPath", "/usr/share/defaults/kata-containers/configuration.toml");
  kata_preview(toml, plugin);
  if (right || facts.gpu_file) kata_confidential(toml, plugin);
  if (!right) return;
  // Images are unpacked by a different plugin than the one that runs them, so that plugin must be configured as well.
  constexpr std::pair<std::string_view, std::string_view> kSnapshotters[] = {
      {"kata", "overlayfs"}, {"kata-preview", "erofs"}, {"kata-cc", "tardev"}};
  for (const auto& [runtime, snapshotter] : kSnapshotters) {
    toml.table({"plugins", kImages, "runtime_platforms", runtime});
    toml.text("snapshotter", snapshotter);
  }
}

std::string generation_two(const Facts& facts, KataPlugins kata) {
  TomlWriter toml;
  top(toml, facts);
  if (facts.kata) erofs(toml);
  if (facts.streaming) {
    toml.table({"plugins", kImages});
    toml.text("snapshotter", "overlaybd");
    toml.boolean("disable_snapshot_annotations", false);
  }
  toml.table({"plugins", kImages, "pinned_images"});
  toml.text("sandbox", facts.pause_image);
  registry(toml, facts, kImages);
  toml.table({"plugins", kRuntime, "containerd"});
  runtimes(toml, facts, kRuntime, true);
  if (facts.bridge) cni(toml, kRuntime);
  metrics_and_snapshotters(toml, facts);
  if (facts.kata) kata_of_two(toml, facts, kata);
  return std::move(toml).take();
}

// Exactly three numbers, as in the version of a release.
bool is_release(std::string_view version) {
  return std::ranges::count(version, '.') == 2 && version.find_first_not_of("0123456789.") == std::string_view::npos;
}

}  // namespace

ContainerdGeneration containerd_generation(std::string_view version_output) {
  const auto output = unicode::words(version_output);
  if (output.empty() || output.size() == 2) return ContainerdGeneration::kOne;
  std::string_view version = output.size() == 1 ? output[0] : output[2];
  if (version.starts_with('v')) version.remove_prefix(1);
  // A distribution's revision follows a dash ("2.0.0-6.azl3"); it is not a prerelease.
  version = version.substr(0, version.find('-'));
  return is_release(version) && version_at_least(version, versions::kContainerd2) ? ContainerdGeneration::kTwo
                                                                                  : ContainerdGeneration::kOne;
}

std::string containerd_config(const Configuration& config, ContainerdGeneration generation, GpuFile gpu_file,
                              KataPlugins kata) {
  const Facts facts(config, gpu_file);
  return generation == ContainerdGeneration::kTwo ? generation_two(facts, kata) : generation_one(facts);
}

}  // namespace sunup::render
