#include "render/node/kernel_settings.h"

#include <algorithm>

#include "render/sysctl.h"

namespace sunup::render::node {
namespace {

constexpr int kSysctlFailed = 103;

constexpr std::pair<std::string_view, std::string_view> kForwarding[] = {
    {"net.ipv4.ip_forward", "1"},
    {"net.ipv4.conf.all.forwarding", "1"},
    {"net.ipv6.conf.all.forwarding", "1"},
    {"net.bridge.bridge-nf-call-iptables", "1"},
};

}  // namespace

std::string proc_sys_path(std::string_view key) {
  std::string path = "/proc/sys/";
  path.append(key);
  std::replace(path.begin(), path.end(), '.', '/');
  return path;
}

std::vector<KernelSetting> kernel_settings(const Configuration& config) {
  std::vector<KernelSetting> settings;
  for (const auto& [key, value] : kForwarding) settings.push_back({proc_sys_path(key), std::string(value)});
  for (const auto& setting : sysctl_settings(config.custom_linux_os_config().sysctl_config()))
    settings.push_back({proc_sys_path(setting.key), setting.value});
  return settings;
}

Result<NodeFiles> kernel_setting_files(const Configuration& config, const NodeFacts&) {
  const auto settings = sysctl_settings(config.custom_linux_os_config().sysctl_config());
  for (const auto& setting : settings) {
    if (setting.value.find_first_of("\r\n") != std::string::npos) {
      return Error("the value of " + std::string(setting.key) + " holds a line break").with_code(kSysctlFailed);
    }
  }
  std::string forwarding;
  for (const auto& [key, value] : kForwarding) forwarding.append(key).append(" = ").append(value).append("\n");
  return NodeFiles{{"/etc/sysctl.d/99-force-bridge-forward.conf", 0644, std::move(forwarding)},
                   {"/etc/sysctl.d/999-sysctl-aks.conf", 0644, sysctl_file(settings)}};
}

}  // namespace sunup::render::node
