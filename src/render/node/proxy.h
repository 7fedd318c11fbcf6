// HTTP proxies: the files that configure them for services, package tools and login sessions. A second run changes
// nothing. A proxy URL may contain a password; the files are then readable by root only.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

// Whether a proxy is configured. A list of exceptions alone does not count.
bool has_proxy(const Configuration& config);

// Whether one of its URLs contains credentials.
bool proxy_has_credentials(const Configuration& config);

// /etc/environment with the config's variables in place of older ones of the same names. Everything else is preserved.
std::string environment_with_proxy(std::string_view etc_environment, const Configuration& config);

// The proxy to use for this URL; empty if none. The list of exceptions contains host names, domains with or without a
// leading dot, addresses, or "*".
std::string proxy_for(const Configuration& config, std::string_view url);

Result<NodeFiles> proxy_files(const Configuration& config, const NodeFacts& facts);

}  // namespace sunup::render::node
