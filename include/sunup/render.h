// Renders a config: the environment of a node's scripts, the custom data of a VM, the part of the VM's model that
// contains it, and the files on the node. Pure functions: the same input gives the same bytes.
#pragma once

#include <sunup/node_config.h>
#include <sunup/result.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sunup {

// The properties of the image that the environment depends on.
struct NodeImage {
  std::string containerd_version;  // the output of `containerd --version`, or only the version; empty: unknown
  std::string components_json;     // its /opt/azure/components.json; empty: GPU driver versions are empty
};
Result<std::map<std::string, std::string>> cse_environment(const NodeConfig& config, const NodeImage& image = {});

struct CustomDataOptions {
  enum class Form { kOfTheOs, kBoothook, kIgnition, kWriteFiles };  // kWriteFiles: a plain cloud-config, for old images
  enum class Gzip { kIfNeeded, kAlways, kNever };                   // kIfNeeded: only if it would be too big otherwise

  std::string os = "ubuntu2204";  // of the image: "ubuntu2404", "azurelinux3", "osguard", "flatcar", "acl" ...
  Form form = Form::kOfTheOs;
  Gzip gzip = Gzip::kIfNeeded;
  bool verbatim = false;  // embed the bytes of the config instead of its canonical form
  // A text of the config that is replaced before the node sees it. It is not encoded or compressed.
  std::string placeholder = {};
  // The service to which the node sends its result; empty: none. The URL is https; the CA is in PEM form, and if it is
  // empty, the certificates that the image trusts are used.
  std::string results_url = {};
  std::string results_ca = {};
};

// The bytes before base64 encoding, at most 65,535 (the limit of Azure).
Result<std::string> custom_data(const NodeConfig& config, const CustomDataOptions& options = {});
Result<std::string> custom_data(const NodeConfig& config, std::string_view os);

// The command of the custom script extension.
std::string_view cse_command();

// JSON with osProfile.customData and extensionProfile, for virtualMachineProfile of a scale set.
Result<std::string> vmss_model(const NodeConfig& config, const CustomDataOptions& options = {});
Result<std::string> vmss_model(const NodeConfig& config, std::string_view os);

// The changes of native provisioning to the node's file system. Contains the secrets of the config.
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
  std::vector<Link> links;        // symbolic links
  std::vector<std::string> gone;  // paths that are removed, files or whole directories
};

struct NodeFilesOptions {
  std::string os = "ubuntu2204";
  std::string containerd_version = {};  // of the image; empty: 1.x
  std::string facts_json = {};          // facts about the node (docs/golden-cases.md), instead of `os`
};
Result<NodeFiles> node_files(const NodeConfig& config, const NodeFilesOptions& options = {});

}  // namespace sunup
