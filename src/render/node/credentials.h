// kubelet's credentials: the cluster's CA, and either a bootstrap token or a client certificate. Files with a token or
// a key are readable by root only, whereas the scripts leave them world-readable.
#pragma once

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

bool secure_tls_bootstrapping(const Configuration& config);
bool has_bootstrap_token(const Configuration& config);

// "https://NAME:443".
std::string api_server_url(const Configuration& config);

// /etc/kubernetes/certs/*: always the cluster CA; the API server's certificate if the config has it; the client
// certificate and key if nothing else identifies the node.
Result<NodeFiles> certificate_files(const Configuration& config, const NodeFacts& facts);

// With a token: /var/lib/kubelet/bootstrap-kubeconfig. Otherwise: the kubeconfig itself.
Result<NodeFiles> kubeconfig_files(const Configuration& config, const NodeFacts& facts);

}  // namespace sunup::render::node
