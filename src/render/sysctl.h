// Kernel settings of a node: fixed values, defaults, and values of the config.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "aksnodeconfig/v1/configuration.pb.h"

namespace sunup::render {

struct Sysctl {
  std::string_view key;
  std::string value;
  bool operator==(const Sysctl&) const = default;
};

// Sorted by key. A local port range is passed on as given even if the kernel cannot use it; `remarks` then contains a
// note.
std::vector<Sysctl> sysctl_settings(const aksnodeconfig::v1::SysctlConfig& config,
                                    std::vector<std::string>* remarks = nullptr);

// "key=value" lines, as in /etc/sysctl.d.
std::string sysctl_file(const std::vector<Sysctl>& settings);

}  // namespace sunup::render
