// Kernel settings of a node: the files that restore them after a reboot, and the same settings as keys to write now.
// Only the keys that Sunup sets are written; the image's own settings were applied when it booted.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

struct KernelSetting {
  std::string path;  // "/proc/sys/net/ipv4/ip_forward"
  std::string value;
  bool operator==(const KernelSetting&) const = default;
};

// In the order in which the files would be applied: a later setting overrides an earlier one.
std::vector<KernelSetting> kernel_settings(const Configuration& config, const NodeFacts& facts);

// Both files of /etc/sysctl.d.
Result<NodeFiles> kernel_setting_files(const Configuration& config, const NodeFacts& facts);

// "net.ipv4.conf.all.forwarding" -> "/proc/sys/net/ipv4/conf/all/forwarding"
std::string proc_sys_path(std::string_view key);

}  // namespace sunup::render::node
