// Container registries: where images of the Microsoft registry really come from, and how kubelet gets credentials.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

inline constexpr std::string_view kMicrosoftRegistry = "mcr.microsoft.com";

// containerd's /etc/containerd/certs.d/*/hosts.toml: a network-isolated cluster pulls through its own registry; in
// China the old registry name leads to the current one. Nothing elsewhere.
Result<NodeFiles> registry_host_files(const Configuration& config, const NodeFacts& facts);

// "abc.azurecr.io/def" -> "https://abc.azurecr.io/v2/def"
std::string registry_api_url(std::string_view server);

// Do kubelet's flags name a credential provider? Without both flags none is set up.
bool has_credential_provider(const Configuration& config);

// /var/lib/kubelet/credential-provider-config.yaml, if kubelet's flags ask for a credential provider.
Result<NodeFiles> credential_provider_files(const Configuration& config, const NodeFacts& facts);

}  // namespace sunup::render::node
