// Extracts the config fields from the rendered texts of a command (see nbc_config.h).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace sunup::render {

// kubelet's config file as kubelet_config_file_config. Members that the contract does not have are kept; the loader
// reports them.
Result<nlohmann::ordered_json> kubelet_file_fields(std::string_view text, std::vector<std::string>& remarks);

// A sysctl file as custom_linux_os_config.sysctl_config; default values are omitted.
nlohmann::ordered_json sysctl_fields(std::string_view text, std::vector<std::string>& remarks);

// The lines "key=value" of a sysctl file, in their order; comments and other lines are omitted.
std::vector<std::pair<std::string, std::string>> sysctl_lines(std::string_view text);

struct ContainerdFields {
  std::string root;           // container_data_dir
  std::string sandbox_image;  // pod_infra_container_image_url
};
ContainerdFields containerd_fields(std::string_view toml);

// The overrides of a Corefile as vnet_dns_overrides and kube_dns_overrides, and the address of the cluster's DNS
// service in it.
struct CorefileFields {
  nlohmann::ordered_json vnet, kube;
  std::string core_dns;  // empty if no server block forwards to it
};
CorefileFields corefile_fields(std::string_view corefile);

}  // namespace sunup::render
