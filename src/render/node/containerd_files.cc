#include "render/node/containerd_files.h"

#include <algorithm>
#include <set>

#include "base/node_paths.h"
#include "contract/formats.h"
#include "render/containerd_config.h"
#include "render/kubenet.h"
#include "render/node/unit_text.h"

namespace sunup::render::node {
namespace {

constexpr auto& kConfigPath = paths::kContainerdConfig;

const char* sent_config(GpuFile gpu) {
  return gpu == GpuFile::kYes ? "CONTAINERD_CONFIG_CONTENT" : "CONTAINERD_CONFIG_NO_GPU_CONTENT";
}

NodeFile config_toml(const Configuration& config, const NodeFacts& facts) {
  const GpuFile gpu = skips_gpu_driver(config, facts) ? GpuFile::kNo : GpuFile::kYes;
  if (const std::string* sent = facts.sent_text(sent_config(gpu))) return {kConfigPath, 0644, *sent};
  return {kConfigPath, 0644,
          containerd_config(config, containerd_generation(facts.containerd_version), gpu, KataPlugins::kWhereTheyWork)};
}

NodeFile start_dropin() {
  UnitText text;
  // Docker's remains and some images set the policy of FORWARD to DROP; pods need ACCEPT.
  text.section("Service").set("ExecStartPost", "/sbin/iptables -P FORWARD ACCEPT").set("LimitNOFILE", "1048576");
  return {"/etc/systemd/system/containerd.service.d/exec_start.conf", 0644, std::move(text).take()};
}

// Sorts after exec_start.conf, so the config's limit overrides the default.
Result<NodeFile> limits_dropin(const aksnodeconfig::v1::UlimitConfig& limits) {
  UnitText text;
  text.section("Service");
  const struct {
    const char* key;
    const std::string* value;
    bool bytes;
  } settings[] = {
      {"LimitMEMLOCK", limits.has_max_locked_memory() ? &limits.max_locked_memory() : nullptr, true},
      {"LimitNOFILE", limits.has_no_file() ? &limits.no_file() : nullptr, false},
  };
  for (const auto& [key, value, bytes] : settings) {
    if (value == nullptr) continue;
    if (!value->empty() && !contract::is_limit(*value, bytes)) {  // an empty value is systemd's default
      return Error("custom_linux_os_config.ulimit_config: \"" + *value + "\" is not a limit")
          .with_hint(bytes ? "a number (64M, too), soft:hard, or infinity" : "a number, soft:hard, or infinity");
    }
    text.set(key, *value);
  }
  return NodeFile{"/etc/systemd/system/containerd.service.d/set_ulimits.conf", 0600, std::move(text).take()};
}

// A line without the parts that a config may set freely.
std::string_view without_value(std::string_view line) {
  for (const std::string_view name : {"sandbox_image = ", "sandbox = ", "root = "})
    if (line.starts_with(name)) return name;
  return line;
}

template <class Take>
void for_each_line(std::string_view text, Take take) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    take(without_value(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// The lines that Sunup's own file with NVIDIA's runtime may contain, for any config and any version of containerd.
const std::set<std::string, std::less<>>& lines_of_ours() {
  static const std::set<std::string, std::less<>> kLines = [] {
    std::set<std::string, std::less<>> lines;
    for (const bool kata : {false, true})
      for (const bool rest : {false, true}) {
        Configuration config;
        config.mutable_gpu_config()->set_enable_nvidia(true);
        config.set_is_kata(kata);
        config.set_enable_artifact_streaming(rest);
        config.set_needs_cgroupv2(rest);
        config.set_kubernetes_version(rest ? "1.34.0" : "1.21.0");
        config.mutable_kubelet_config()->set_container_data_dir("/data");
        config.mutable_network_config()->set_network_plugin(rest ? aksnodeconfig::v1::NETWORK_PLUGIN_KUBENET
                                                                 : aksnodeconfig::v1::NETWORK_PLUGIN_AZURE);
        for (const auto generation : {ContainerdGeneration::kOne, ContainerdGeneration::kTwo})
          for_each_line(containerd_config(config, generation, GpuFile::kYes, KataPlugins::kWhereTheyWork),
                        [&lines](std::string_view line) { lines.emplace(line); });
      }
    return lines;
  }();
  return kLines;
}

}  // namespace

bool keeps_image_containerd_config(const Configuration& config, const NodeFacts& facts) {
  const std::string_view text = facts.text(kConfigPath);
  if (text.find("BinaryName = \"/usr/bin/nvidia-container-runtime\"") == std::string_view::npos) return false;
  for (const GpuFile gpu : {GpuFile::kYes, GpuFile::kNo})
    if (const std::string* sent = facts.sent_text(sent_config(gpu)); sent && text == *sent) return false;
  // Sunup writes NVIDIA's runtime only for configs that request it. A file that contains only Sunup's lines is from an
  // earlier attempt, possibly with another config, or from before an upgrade of containerd.
  if (!config.gpu_config().enable_nvidia()) return true;
  bool foreign = false;
  for_each_line(text, [&foreign](std::string_view line) { foreign = foreign || !lines_of_ours().contains(line); });
  return foreign;
}

bool skips_gpu_driver(const Configuration& config, const NodeFacts& facts) {
  return config.gpu_config().enable_nvidia() && facts.tag("SkipGpuDriverInstall");
}

Result<NodeFiles> containerd_files(const Configuration& config, const NodeFacts& facts) {
  NodeFiles files{start_dropin()};
  if (!keeps_image_containerd_config(config, facts)) files.push_back(config_toml(config, facts));
  const std::string* kubenet = facts.sent_text("KUBENET_TEMPLATE");
  files.push_back({paths::kKubenetTemplate, 0644, kubenet ? *kubenet : std::string(kubenet_template())});
  if (config.custom_linux_os_config().has_ulimit_config()) {
    auto limits = limits_dropin(config.custom_linux_os_config().ulimit_config());
    if (!limits) return limits.error();
    files.push_back(*std::move(limits));
  }
  return files;
}

}  // namespace sunup::render::node
