// What a config becomes: the environment of a node's scripts, a VM's custom data, and the part of its model that holds
// it. Pure: same input, same bytes.
#pragma once

#include <sunup/node_config.h>
#include <sunup/result.h>

#include <map>
#include <string>
#include <string_view>

namespace sunup {

// What the environment depends on besides the config.
struct NodeImage {
  std::string containerd_version;  // what `containerd --version` prints there, or a bare version; empty: unknown
  std::string components_json;     // its /opt/azure/components.json; empty: GPU driver versions stay empty
};
Result<std::map<std::string, std::string>> cse_environment(const NodeConfig& config, const NodeImage& image = {});

// The bytes before base64, at most 65,535 as Azure has it. `os` is the image's operating system: "ubuntu2204",
// "ubuntu2404", "azurelinux3", "flatcar", "acl" ...
Result<std::string> custom_data(const NodeConfig& config, std::string_view os = "ubuntu2204");

// The command of the custom script extension.
std::string_view cse_command();

// JSON with osProfile.customData and extensionProfile, for virtualMachineProfile of a scale set.
Result<std::string> vmss_model(const NodeConfig& config, std::string_view os = "ubuntu2204");

}  // namespace sunup
