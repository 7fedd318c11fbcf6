// Container registries: where images of the Microsoft registry are pulled from, and how kubelet gets credentials.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

inline constexpr std::string_view kMicrosoftRegistry = "mcr.microsoft.com";

// containerd's /etc/containerd/certs.d/*/hosts.toml: a network-isolated cluster pulls from its own registry, and in
// China the old registry name is redirected to the current one. Empty elsewhere.
Result<NodeFiles> registry_host_files(const Configuration& config, const NodeFacts& facts);

// "abc.azurecr.io/def" -> "https://abc.azurecr.io/v2/def"
std::string registry_api_url(std::string_view server);

// Whether kubelet's flags configure a credential provider. Both flags are necessary.
bool has_credential_provider(const Configuration& config);

// /var/lib/kubelet/credential-provider-config.yaml, if kubelet's flags configure a credential provider.
Result<NodeFiles> credential_provider_files(const Configuration& config, const NodeFacts& facts);

}  // namespace sunup::render::node
