// Which kubelet flag and which field of its config file are the same setting, and their effective value.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aksnodeconfig/v1/kubelet.pb.h"
#include "contract/load.h"

namespace sunup::contract {

// Paths of kubelet's settings in a config.
inline constexpr char kKubeletFlagsPath[] = "$.kubelet_config.kubelet_flags";
inline constexpr char kKubeletFilePath[] = "$.kubelet_config.kubelet_config_file_config";
std::string path_in_kubelet_file(std::string_view field);

struct FileSetting {
  std::string field;  // "max_pods", "authentication.webhook.enabled"
  std::string value;  // as the flag would be written: "110", "true", "a=b,c=d"
  // The items of a list or the entries of a map. An item of the file may contain a comma, which `value` cannot
  // represent.
  std::vector<std::string> items;
};

// The setting in the config file that corresponds to this flag; empty if it is not set or if there is none.
std::optional<FileSetting> setting_behind_flag(std::string_view flag,
                                               const aksnodeconfig::v1::KubeletConfigFileConfig& file);

// The effective value of a setting.
struct KubeletSetting {
  std::string value;               // as the flag would be written
  std::vector<std::string> items;  // as in FileSetting; for a flag, the parts between commas
  std::string path;                // where the config sets it: "$.kubelet_config.kubelet_flags[\"--max-pods\"]"
  bool from_file = false;

  // The path of this item; a flag is a single value.
  std::string path_of(size_t item) const;
};

// The value of the flag, otherwise that of the config file if kubelet uses one; empty if neither sets it.
std::optional<KubeletSetting> kubelet_setting(const Configuration& config, std::string_view flag);

// The value in the config file, regardless of flags; empty if kubelet uses no config file or it is not set.
std::optional<KubeletSetting> kubelet_file_setting(const Configuration& config, std::string_view flag);

// The path at which a missing setting would be set: in the config file if kubelet uses one, otherwise as a flag.
std::string path_for_kubelet_setting(const Configuration& config, std::string_view flag);

}  // namespace sunup::contract
