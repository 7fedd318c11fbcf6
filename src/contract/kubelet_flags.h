// Which kubelet flag and which field of its config file are the same setting, and what kubelet makes of both.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aksnodeconfig/v1/kubelet.pb.h"
#include "contract/load.h"

namespace sunup::contract {

// Where a config says what kubelet gets.
inline constexpr char kKubeletFlagsPath[] = "$.kubelet_config.kubelet_flags";
inline constexpr char kKubeletFilePath[] = "$.kubelet_config.kubelet_config_file_config";
std::string path_in_kubelet_file(std::string_view field);

struct FileSetting {
  std::string field;  // "max_pods", "authentication.webhook.enabled"
  std::string value;  // as the flag would be written: "110", "true", "a=b,c=d"
  // Of a list its items, of a map its entries. An item of the file may have a comma in it, which `value` cannot show.
  std::vector<std::string> items;
};

// What the config file sets of what this flag sets too; nothing if it does not, or if the flag has no counterpart.
std::optional<FileSetting> setting_behind_flag(std::string_view flag,
                                               const aksnodeconfig::v1::KubeletConfigFileConfig& file);

// A setting as kubelet ends up with it.
struct KubeletSetting {
  std::string value;               // as the flag would be written
  std::vector<std::string> items;  // as in FileSetting; a flag's are what stands between its commas
  std::string path;                // where the config says it: "$.kubelet_config.kubelet_flags[\"--max-pods\"]"
  bool from_file = false;

  // Where the config says this item: a flag is one value.
  std::string path_of(size_t item) const;
};

// The flag's value, or else that of the config file, if kubelet is given one; nothing if neither says anything.
std::optional<KubeletSetting> kubelet_setting(const Configuration& config, std::string_view flag);

// What the config file says, flags or not; nothing if kubelet is given none, or it does not say.
std::optional<KubeletSetting> kubelet_file_setting(const Configuration& config, std::string_view flag);

// Where a setting would be given that is not: in the config file if kubelet is given one, else as a flag.
std::string path_for_kubelet_setting(const Configuration& config, std::string_view flag);

}  // namespace sunup::contract
