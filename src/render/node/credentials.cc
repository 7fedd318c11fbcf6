#include "render/node/credentials.h"

#include <fmt/format.h>

#include "base/json_writer.h"
#include "base/node_paths.h"
#include "base/text.h"
#include "base/url.h"
#include "contract/formats.h"
#include "render/node/decode.h"

namespace sunup::render::node {
namespace {

constexpr std::string_view kKubeconfig = R"(apiVersion: v1
kind: Config
clusters:
- name: localcluster
  cluster:
    certificate-authority: {ca}
    server: {server}
users:
- name: {user}
  user:
{credential}contexts:
- context:
    cluster: localcluster
    user: {user}
  name: {context}
current-context: {context}
)";

std::string kubeconfig(std::string_view server, std::string_view user, std::string_view credential,
                       std::string_view context) {
  return fmt::format(kKubeconfig, fmt::arg("ca", paths::kClusterCa), fmt::arg("server", server), fmt::arg("user", user),
                     fmt::arg("credential", credential), fmt::arg("context", context));
}

// The name is written unquoted to YAML and URLs, so only the characters of a host name are accepted.
Result<void> check_server_name(const Configuration& config) {
  const std::string& name = config.api_server_config().api_server_name();
  if (name.empty())
    return Error("api_server_config.api_server_name is empty").with_hint("the node has no cluster to join");
  if (contract::is_ipv6(without_brackets(name))) return {};
  for (const char c : name) {
    const bool fine = is_alphanumeric(c) || c == '.' || c == '-' || c == '_';
    if (!fine)
      return Error("api_server_config.api_server_name is not a host name")
          .with_hint("give only a name or an address, without scheme and port");
  }
  return {};
}

}  // namespace

std::string api_server_url(const Configuration& config) {
  return "https://" + url_host(config.api_server_config().api_server_name()) + ":443";
}

bool secure_tls_bootstrapping(const Configuration& config) {
  return config.bootstrapping_config().bootstrapping_auth_method() ==
         aksnodeconfig::v1::BOOTSTRAPPING_AUTH_METHOD_SECURE_TLS_BOOTSTRAPPING;
}

bool has_bootstrap_token(const Configuration& config) {
  return !config.bootstrapping_config().tls_bootstrapping_token().empty();
}

Result<NodeFiles> certificate_files(const Configuration& config, const NodeFacts&) {
  struct Source {
    const char* path;
    unsigned mode;
    const std::string& value;
    const char* field;
    bool secret;
  };
  const auto& kubelet = config.kubelet_config();
  const Source sources[] = {
      {paths::kClusterCa, 0600, config.kubernetes_ca_cert(), "kubernetes_ca_cert", false},
      {"/etc/kubernetes/certs/apiserver.crt", 0644, config.api_server_config().api_server_public_key(),
       "api_server_config.api_server_public_key", false},
      {"/etc/kubernetes/certs/client.crt", 0600, kubelet.kubelet_client_cert_content(),
       "kubelet_config.kubelet_client_cert_content", false},
      {"/etc/kubernetes/certs/client.key", 0600, kubelet.kubelet_client_key(), "kubelet_config.kubelet_client_key",
       true},
  };
  const bool client_certificate = !secure_tls_bootstrapping(config) && !has_bootstrap_token(config);
  NodeFiles files;
  for (const Source& source : sources) {
    const std::string_view path = source.path;
    if (source.value.empty() && !path.ends_with("/ca.crt")) continue;
    if (path.find("/client.") != std::string_view::npos && !client_certificate) continue;
    auto content = decode_pem_field(source.value, source.field);
    if (!content) return content.error();
    files.push_back({source.path, source.mode, *std::move(content), source.secret});
  }
  return files;
}

Result<NodeFiles> kubeconfig_files(const Configuration& config, const NodeFacts&) {
  if (auto fine = check_server_name(config); !fine) return fine.error();
  const std::string server = api_server_url(config);
  if (has_bootstrap_token(config)) {
    std::string token = "    token: ";
    // YAML's double-quoted strings accept the same escapes.
    append_json_string(token, config.bootstrapping_config().tls_bootstrapping_token(), JsonEscapes::kHtml);
    token += '\n';
    return NodeFiles{
        secret_file(paths::kBootstrapKubeconfig, kubeconfig(server, "kubelet-bootstrap", token, "bootstrap-context"))};
  }
  constexpr std::string_view kFiles =
      "    client-certificate: /etc/kubernetes/certs/client.crt\n"
      "    client-key: /etc/kubernetes/certs/client.key\n";
  // The secure bootstrap client writes the kubeconfig itself. If one already existed, the client would do nothing.
  if (secure_tls_bootstrapping(config)) return NodeFiles{};
  return NodeFiles{{paths::kKubeconfig, 0644, kubeconfig(server, "client", kFiles, "localclustercontext")}};
}

}  // namespace sunup::render::node
