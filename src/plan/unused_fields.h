// Fields of the contract that the built-in steps do not use. A config that sets one is reported, because the node does
// not have the requested setting. Fields that every config contains and no kind of provisioning has ever read
// (containerd_download_url_base, cni_plugins_url) are not listed.
#pragma once

#include <string_view>
#include <vector>

#include "aksnodeconfig/v1/configuration.pb.h"

namespace sunup::plan {

struct UnusedField {
  std::string_view path;  // "containerd_config.containerd_package_url"
  std::string_view why;
};

// The unused fields that this config sets.
std::vector<UnusedField> unused_fields(const aksnodeconfig::v1::Configuration& config);

}  // namespace sunup::plan
