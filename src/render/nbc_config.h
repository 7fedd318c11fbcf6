// Converts a ready-made bootstrap command (the "nbc" file) to a config. Decisions are made from the config; texts that
// the sender has already rendered (containerd's config, kubelet's config file and the like) are kept as sent, and
// replace what would be rendered from the config.
//
//   Result<NbcConfig> read = read_nbc_config(text);
//   if (!read) use_the_script(read.error().what);     // "column 812: an expansion (`$`) in LOCATION"
//   plan(read->loaded.config, read->sent);
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "contract/load.h"
#include "render/nbc_command.h"

namespace sunup::render {

// Texts of a command by variable, decoded. They are the variables of kSentBlobs, and others whose text replaces the
// value that follows from the config: TARGET_CLOUD, TARGET_ENVIRONMENT, ARM_RESOURCE_ENDPOINT, MCR_REPOSITORY_BASE,
// GPU_DRIVER_TYPE, GPU_DRIVER_VERSION, GPU_IMAGE_SHA, GPU_NEEDS_FABRIC_MANAGER.
using SentTexts = std::map<std::string, std::string, std::less<>>;

// Base64 in the command; files on the node.
inline constexpr std::string_view kSentBlobs[] = {
    "CONTAINERD_CONFIG_CONTENT", "CONTAINERD_CONFIG_NO_GPU_CONTENT", "KUBELET_CONFIG_FILE_CONTENT", "KUBENET_TEMPLATE",
    "LOCALDNS_COREFILE_BASE",    "LOCALDNS_COREFILE_WITH_HOSTS",     "LOCALDNS_GENERATED_COREFILE", "SYSCTL_CONTENT"};

struct NbcConfig {
  contract::Loaded loaded;
  SentTexts sent;
  // The variable that a field comes from, by the path of the field ("cluster_config.location").
  std::map<std::string, std::string, std::less<>> origins;
  contract::Places places;           // of the variables, by the paths of their fields ("$.cluster_config.location")
  std::vector<std::string> remarks;  // what is lost, ambiguous or tolerated; names, no values

  // The variable of a field or of the nearest enclosing one; empty if it does not come from a variable.
  std::string_view origin(std::string_view path) const;
};

// Fails if the text is not a command that is completely understood: see read_nbc_command(). It also fails if a value is
// not of its variable's type, or if the environment that follows from the config contradicts the command's own, because
// the config would then not represent the command. The error contains the column and the reason, and no value.
Result<NbcConfig> read_nbc_config(std::string_view text);

}  // namespace sunup::render
