// Which kubelet flag and which field of its config file are the same setting.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "aksnodeconfig/v1/kubelet.pb.h"

namespace sunup::contract {

struct FileSetting {
  std::string field;  // "max_pods", "authentication.webhook.enabled"
  std::string value;  // as the flag would be written: "110", "true", "a=b,c=d"
};

// What the config file sets of what this flag sets too; nothing if it does not, or if the flag has no counterpart.
std::optional<FileSetting> setting_behind_flag(std::string_view flag,
                                               const aksnodeconfig::v1::KubeletConfigFileConfig& file);

}  // namespace sunup::contract
