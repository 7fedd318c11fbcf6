// Fields that the contract has and the built-in steps make no use of: whoever set one must be told, because the node is
// not what he asked for. Fields that no provisioning of any kind has ever read and that every config carries
// (containerd_download_url_base, cni_plugins_url) are not among them: nothing is lost.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "aksnodeconfig/v1/configuration.pb.h"

namespace sunup::plan {

struct UnusedField {
  std::string_view path;  // "containerd_config.containerd_package_url"
  std::string_view why;
};

std::span<const UnusedField> all_unused_fields();

// Those that this config sets.
std::vector<UnusedField> unused_fields(const aksnodeconfig::v1::Configuration& config);

}  // namespace sunup::plan
