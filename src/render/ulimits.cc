#include "render/ulimits.h"

namespace sunup::render {

std::string containerd_ulimits(const aksnodeconfig::v1::UlimitConfig& ulimits) {
  std::string out = "[Service] ";
  if (ulimits.has_max_locked_memory()) out.append("LimitMEMLOCK=").append(ulimits.max_locked_memory()).append(" ");
  if (ulimits.has_no_file()) out.append("LimitNOFILE=").append(ulimits.no_file()).append(" ");
  return out;
}

}  // namespace sunup::render
