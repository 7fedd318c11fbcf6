#include "render/node/kernel_settings.h"

#include <algorithm>

#include "base/exit_code.h"
#include "contract/formats.h"
#include "render/nbc_texts.h"
#include "render/sysctl.h"

namespace sunup::render::node {
namespace {

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

std::vector<KernelSetting> kernel_settings(const Configuration& config, const NodeFacts& facts) {
  std::vector<KernelSetting> settings;
  for (const auto& [key, value] : kForwarding) settings.push_back({proc_sys_path(key), std::string(value)});
  if (const std::string* sent = facts.sent_text("SYSCTL_CONTENT")) {
    for (auto& [key, value] : sysctl_lines(*sent))
      if (key.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == key.npos &&
          key.find("..") == key.npos)
        settings.push_back({proc_sys_path(key), std::move(value)});
    return settings;
  }
  for (const auto& setting : sysctl_settings(config.custom_linux_os_config().sysctl_config()))
    settings.push_back({proc_sys_path(setting.key), setting.value});
  return settings;
}

Result<NodeFiles> kernel_setting_files(const Configuration& config, const NodeFacts& facts) {
  const auto& wanted = config.custom_linux_os_config().sysctl_config();
  if (const std::string& range = wanted.net_ipv4_ip_local_port_range();
      !range.empty() && !contract::is_port_range(range))
    return Error("custom_linux_os_config.sysctl_config.net_ipv4_ip_local_port_range is not a range of ports")
        .with_hint("the first and the last port, separated by one space, such as \"32768 60999\"")
        .with_code(exit_code::kSysctlReload);
  const std::string* sent = facts.sent_text("SYSCTL_CONTENT");
  std::string forwarding;
  for (const auto& [key, value] : kForwarding) forwarding.append(key).append(" = ").append(value).append("\n");
  return NodeFiles{{"/etc/sysctl.d/99-force-bridge-forward.conf", 0644, std::move(forwarding)},
                   {"/etc/sysctl.d/999-sysctl-aks.conf", 0644, sent ? *sent : sysctl_file(sysctl_settings(wanted))}};
}

}  // namespace sunup::render::node
