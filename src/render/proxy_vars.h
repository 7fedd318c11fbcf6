// The shell text that exports a config's proxies, for scripts to evaluate.
#pragma once

#include <string>

#include "aksnodeconfig/v1/configuration.pb.h"

namespace sunup::render {

// Values are not quoted for the shell, because the scripts expect this. Do not use it for anything else.
std::string proxy_vars(const aksnodeconfig::v1::HttpProxyConfig& proxy);

}  // namespace sunup::render
