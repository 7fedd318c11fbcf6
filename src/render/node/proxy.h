// HTTP proxies: the files that tell services, package tools and logins about them. Written so that a second run changes
// nothing. A proxy URL may carry a password; then the files are readable by root only.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

// Is there a proxy to be used at all? Names without a proxy do not count.
bool has_proxy(const Configuration& config);

// Does one of its URLs carry credentials?
bool proxy_has_credentials(const Configuration& config);

// /etc/environment with our variables in place of older ones of the same names; everything else as it was.
std::string environment_with_proxy(std::string_view etc_environment, const Configuration& config);

// The proxy to go through to this URL; empty: none. Entries of the list of exceptions are host names, domains with or
// without a dot before them, addresses, or "*".
std::string proxy_for(const Configuration& config, std::string_view url);

Result<NodeFiles> proxy_files(const Configuration& config, const NodeFacts& facts);

}  // namespace sunup::render::node
