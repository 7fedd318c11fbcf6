// containerd's resource limits as one line, from which scripts create its systemd drop-in.
#pragma once

#include <string>

#include "aksnodeconfig/v1/configuration.pb.h"

namespace sunup::render {

// "[Service] LimitMEMLOCK=... LimitNOFILE=... ", with only the limits that are set; scripts turn spaces into newlines.
std::string containerd_ulimits(const aksnodeconfig::v1::UlimitConfig& ulimits);

}  // namespace sunup::render
