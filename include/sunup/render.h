// What a config becomes: the environment of a node's scripts, a VM's custom data, the part of its model that holds it,
// and the files on the node. Pure: same input, same bytes.
#pragma once

#include <sunup/node_config.h>
#include <sunup/result.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sunup {

// What the environment depends on besides the config.
struct NodeImage {
  std::string containerd_version;  // what `containerd --version` prints there, or a bare version; empty: unknown
  std::string components_json;     // its /opt/azure/components.json; empty: GPU driver versions stay empty
};
Result<std::map<std::string, std::string>> cse_environment(const NodeConfig& config, const NodeImage& image = {});

struct CustomDataOptions {
  enum class Form { kOfTheOs, kBoothook, kIgnition, kWriteFiles };  // the last: a plain cloud-config, for old images
  enum class Gzip { kIfNeeded, kAlways, kNever };                   // needed: it would be too big otherwise

  std::string os = "ubuntu2204";  // the image's: "ubuntu2404", "azurelinux3", "osguard", "flatcar", "acl" ...
  Form form = Form::kOfTheOs;
  Gzip gzip = Gzip::kIfNeeded;
  bool verbatim = false;  // the config's own bytes in it instead of its canonical form
};

// The bytes before base64, at most 65,535 as Azure has it.
Result<std::string> custom_data(const NodeConfig& config, const CustomDataOptions& options = {});
Result<std::string> custom_data(const NodeConfig& config, std::string_view os);

// The command of the custom script extension.
std::string_view cse_command();

// JSON with osProfile.customData and extensionProfile, for virtualMachineProfile of a scale set.
Result<std::string> vmss_model(const NodeConfig& config, const CustomDataOptions& options = {});
Result<std::string> vmss_model(const NodeConfig& config, std::string_view os);

// What native provisioning does to the node's file system. Holds the config's secrets.
struct NodeFiles {
  struct File {
    std::string path;
    unsigned mode = 0;
    std::string content;
  };
  struct Link {
    std::string path;
    std::string target;
  };
  std::vector<File> files;        // by path
  std::vector<Link> links;        // symbolic ones
  std::vector<std::string> gone;  // paths that are removed, files or whole folders
};

struct NodeFilesOptions {
  std::string os = "ubuntu2204";
  std::string containerd_version = {};  // the image's; empty: 1.x is assumed
  std::string facts_json = {};          // what else is known of the node (docs/golden-cases.md), instead of `os`
};
Result<NodeFiles> node_files(const NodeConfig& config, const NodeFilesOptions& options = {});

}  // namespace sunup
