#include "host/network.h"

#include <strings.h>

namespace sunup::host {

std::string HttpReply::header(std::string_view name) const {
  for (const auto& [key, value] : headers)
    if (key.size() == name.size() && ::strncasecmp(key.data(), name.data(), name.size()) == 0) return value;
  return "";
}

}  // namespace sunup::host
