// Rules for everything that a node needs to join: the cluster, its identity and its credential.
#include <algorithm>
#include <string>

#include "base/text.h"
#include "base/url.h"
#include "base/version_changes.h"
#include "contract/formats.h"
#include "contract/judge.h"
#include "contract/kubelet_flags.h"
#include "contract/quoted_excerpt.h"

namespace sunup::contract {
namespace {

using aksnodeconfig::v1::BootstrappingAuthMethod;

// The Kubernetes versions that the node's steps support. Older kubelets do not support the containerd settings that the
// node uses.
using versions::kNewestMinor;
using versions::kOldestMinor;

bool has_token(const Configuration& config) {
  return !config.bootstrapping_config().tls_bootstrapping_token().empty();
}
bool has_client_certificate(const Configuration& config) {
  return !config.kubelet_config().kubelet_client_key().empty() &&
         !config.kubelet_config().kubelet_client_cert_content().empty();
}
bool uses_secure_tls(const Configuration& config) {
  return config.bootstrapping_config().bootstrapping_auth_method() ==
         BootstrappingAuthMethod::BOOTSTRAPPING_AUTH_METHOD_SECURE_TLS_BOOTSTRAPPING;
}

// Methods whose credential is provided by another agent.
bool is_left_to_others(BootstrappingAuthMethod method) {
  return method == BootstrappingAuthMethod::BOOTSTRAPPING_AUTH_METHOD_ARC_MSI ||
         method == BootstrappingAuthMethod::BOOTSTRAPPING_AUTH_METHOD_AZURE_MSI;
}

void required_field(Judge& judge) {
  const auto& cluster = judge.config.cluster_config();
  const auto& network = cluster.cluster_network_config();
  const struct {
    const char* path;
    const std::string& value;
  } required[] = {
      {"$.auth_config.subscription_id", judge.config.auth_config().subscription_id()},
      {"$.cluster_config.resource_group", cluster.resource_group()},
      {"$.cluster_config.location", cluster.location()},
      {"$.cluster_config.cluster_network_config.vnet_name", network.vnet_name()},
      {"$.cluster_config.cluster_network_config.route_table", network.route_table()},
      {"$.api_server_config.api_server_name", judge.config.api_server_config().api_server_name()},
  };
  for (const auto& field : required)
    if (is_blank(field.value))
      judge.error(field.path,
                  field.value.empty() ? "this field is required and missing" : "this field is required and blank",
                  "'sunup config explain " + std::string(field.path).substr(2) + "' tells what it is");
}

void api_server_name(Judge& judge) {
  const std::string& name = judge.config.api_server_config().api_server_name();
  if (is_blank(name) || is_host(name) || is_ipv6(without_brackets(name))) return;
  judge.error("$.api_server_config.api_server_name", quoted_excerpt(name) + " is neither a host name nor an IP address",
              "give the name alone, without scheme, port and path: the port is always 443");
}

void azure_name(Judge& judge) {
  const auto& network = judge.config.cluster_config().cluster_network_config();
  const struct {
    const char* field;
    const std::string& value;
  } names[] = {{"vnet_name", network.vnet_name()},
               {"subnet", network.subnet()},
               {"route_table", network.route_table()},
               {"security_group_name", network.security_group_name()}};
  for (const auto& name : names)
    if (name.value.find('/') != std::string::npos)
      judge.error(std::string("$.cluster_config.cluster_network_config.") + name.field,
                  quoted_excerpt(name.value) + " is not a resource name",
                  "the name alone, without the path of its resource ID");
}

void azure_id(Judge& judge) {
  const auto& auth = judge.config.auth_config();
  const struct {
    const char* path;
    const std::string& value;
  } ids[] = {{"$.auth_config.subscription_id", auth.subscription_id()}, {"$.auth_config.tenant_id", auth.tenant_id()}};
  for (const auto& id : ids)
    if (!is_blank(id.value) && !is_guid(id.value))
      judge.warning(id.path, quoted_excerpt(id.value) + " does not look like an Azure ID",
                    "8-4-4-4-12 hexadecimal digits");
}

void cloud_identity(Judge& judge) {
  const auto& auth = judge.config.auth_config();
  const bool principal = !auth.service_principal_id().empty() && auth.service_principal_id() != "msi";
  if (auth.use_managed_identity_extension()) {
    if (principal)
      judge.warning("$.auth_config.service_principal_id",
                    "both a managed identity and a service principal are given; the managed identity is used",
                    "leave one out");
    return;
  }
  if (!principal) {
    judge.warning("$.auth_config", "the node has no Azure identity: images of private registries cannot be pulled",
                  "set use_managed_identity_extension, or service_principal_id and service_principal_secret");
  } else if (auth.service_principal_secret().empty()) {
    judge.error("$.auth_config.service_principal_secret", "the service principal has no secret");
  }
}

void bootstrap_credential(Judge& judge) {
  const Configuration& config = judge.config;
  const bool certificate = has_client_certificate(config);
  const auto method = config.bootstrapping_config().bootstrapping_auth_method();
  if (config.pre_provision_only()) return;  // does not join a cluster
  if (is_left_to_others(method)) return;    // reported by rule bootstrap-method
  if (!has_token(config) && !uses_secure_tls(config) && !certificate) {
    judge.error("$.bootstrapping_config", "kubelet has no credential to join the cluster with",
                "set tls_bootstrapping_token, or secure TLS bootstrapping, or kubelet_config.kubelet_client_key with "
                "kubelet_client_cert_content");
    return;
  }
  if (certificate && (has_token(config) || uses_secure_tls(config)))
    judge.warning("$.kubelet_config.kubelet_client_key",
                  "the client certificate is not used: " +
                      std::string(has_token(config) ? "the bootstrap token" : "secure TLS bootstrapping") + " wins",
                  "leave one out");
  // A flag that is present but empty is handled by rule never-joins, with or without a token.
  if (!has_token(config) && !kubelet_setting(config, "--kubeconfig"))
    judge.error(kKubeletFlagsPath,
                "without a bootstrap token kubelet gets no kubeconfig flag: it runs standalone and never joins",
                "add \"--kubeconfig\": \"/var/lib/kubelet/kubeconfig\"");
}

void bootstrap_method(Judge& judge) {
  const auto& bootstrapping = judge.config.bootstrapping_config();
  const auto method = bootstrapping.bootstrapping_auth_method();
  const std::string path = "$.bootstrapping_config.bootstrapping_auth_method";
  if (method == BootstrappingAuthMethod::BOOTSTRAPPING_AUTH_METHOD_BOOTSTRAP_TOKEN && !has_token(judge.config))
    judge.error(path, "the method is a bootstrap token, but there is no token", "set tls_bootstrapping_token");
  if (is_left_to_others(method))
    judge.warning(path,
                  "this method has no effect on the node: without a token or client certificate, kubelet's kubeconfig "
                  "must come from another source");
}

void bootstrap_token(Judge& judge) {
  const std::string& token = judge.config.bootstrapping_config().tls_bootstrapping_token();
  const auto valid = [](char c) { return is_lower(c) || is_digit(c); };
  const std::string_view view = token;
  const bool ok = view.size() == 23 && view[6] == '.' && std::all_of(view.begin(), view.begin() + 6, valid) &&
                  std::all_of(view.begin() + 7, view.end(), valid);
  if (!token.empty() && !ok)
    judge.error("$.bootstrapping_config.tls_bootstrapping_token", "this is not a valid bootstrap token",
                "six characters, a dot, sixteen characters, all lower-case letters or digits");
}

void client_certificate_pair(Judge& judge) {
  const auto& kubelet = judge.config.kubelet_config();
  const bool key = !kubelet.kubelet_client_key().empty();
  if (key == !kubelet.kubelet_client_cert_content().empty()) return;
  judge.error(key ? "$.kubelet_config.kubelet_client_cert_content" : "$.kubelet_config.kubelet_client_key",
              key ? "there is a client key but no certificate" : "there is a client certificate but no key",
              "kubelet_client_key and kubelet_client_cert_content belong together");
}

void bootstrap_timeout(Judge& judge) {
  const auto& b = judge.config.bootstrapping_config();
  const std::string base = "$.bootstrapping_config.secure_tls_bootstrapping_";
  const struct {
    const char* name;
    const std::string& value;
  } timeouts[] = {{"validate_kubeconfig_timeout", b.secure_tls_bootstrapping_validate_kubeconfig_timeout()},
                  {"get_access_token_timeout", b.secure_tls_bootstrapping_get_access_token_timeout()},
                  {"get_instance_data_timeout", b.secure_tls_bootstrapping_get_instance_data_timeout()},
                  {"get_nonce_timeout", b.secure_tls_bootstrapping_get_nonce_timeout()},
                  {"get_attested_data_timeout", b.secure_tls_bootstrapping_get_attested_data_timeout()},
                  {"get_credential_timeout", b.secure_tls_bootstrapping_get_credential_timeout()}};
  for (const auto& timeout : timeouts)
    if (!timeout.value.empty() && !is_go_duration(timeout.value))
      judge.error(base + timeout.name, quoted_excerpt(timeout.value) + " is not a duration",
                  "a number with a unit, such as 30s or 1m30s");
}

void kubernetes_version(Judge& judge) {
  const std::string& text = judge.config.kubernetes_version();
  const std::string path = "$.kubernetes_version";
  if (is_blank(text)) {
    judge.error(path, "there is no Kubernetes version: no kubelet can be chosen", "for example \"1.34.1\"");
    return;
  }
  const auto version = Version::parse(text);
  const std::string supported = "1." + std::to_string(kOldestMinor) + " to 1." + std::to_string(kNewestMinor);
  if (!version) {
    judge.error(path, quoted_excerpt(text) + " is not a version", "for example \"1.34.1\"");
  } else if (version->major != 1 || version->minor < kOldestMinor) {
    judge.error(path, "Kubernetes " + quoted_excerpt(text) + " is not supported", "supported: " + supported);
  } else if (version->minor > kNewestMinor) {
    judge.warning(path, "Kubernetes " + quoted_excerpt(text) + " is newer than any this program knows",
                  "known: " + supported);
  } else if (std::ranges::count(text.substr(0, text.find_first_of("-+")), '.') < 2) {
    // Not an error: a kubelet from the config's URL, from packages or from system extensions does start.
    judge.warning(
        path,
        quoted_excerpt(text) + " does not name a patch release: the node gets the one that the image or a URL provides",
        "all three numbers, for example \"1.34.1\"");
  }
}

void custom_cloud(Judge& judge) {
  const auto& cloud = judge.config.custom_cloud_config();
  const std::string& name = cloud.custom_cloud_env_name();
  if (name.empty()) return;
  if (!equal_ignoring_case(name, "akscustom")) {
    judge.warning("$.custom_cloud_config.custom_cloud_env_name",
                  quoted_excerpt(name) + " does not select a custom cloud", "only \"akscustom\" does");
    return;
  }
  const std::string path = "$.custom_cloud_config.custom_env_json_content";
  if (cloud.custom_env_json_content().empty())
    judge.error(path, "a custom cloud needs its endpoints",
                "a JSON object with resourceManagerEndpoint and the others");
}

void image_pull_identity(Judge& judge) {
  const auto& profile = judge.config.service_account_image_pull_profile();
  if (profile.enabled() && profile.local_authority_sni().empty())
    judge.error("$.service_account_image_pull_profile.local_authority_sni",
                "image pulls by service account need the name of the token authority");
}

constexpr Rule kRules[] = {
    {"required-field", "a field without which no node can be provisioned is missing", required_field},
    {"api-server-name", "the API server's name contains a scheme, port or path, or is not a valid name",
     api_server_name},
    {"azure-name", "a resource ID or path where the name of a resource is expected", azure_name},
    {"azure-id", "a subscription or tenant ID that is malformed", azure_id},
    {"cloud-identity", "no Azure identity, an identity without its secret, or two identities", cloud_identity},
    {"bootstrap-credential", "no credential to join the cluster with, or an unused one", bootstrap_credential},
    {"bootstrap-method", "a bootstrapping method without the settings that it needs", bootstrap_method},
    {"bootstrap-token", "a bootstrap token that no API server accepts", bootstrap_token},
    {"client-certificate-pair", "a client certificate without its key, or a key without its certificate",
     client_certificate_pair},
    {"bootstrap-timeout", "a timeout of secure TLS bootstrapping that is not a duration", bootstrap_timeout},
    {"kubernetes-version", "a Kubernetes version that is missing, malformed or not supported", kubernetes_version},
    {"custom-cloud", "a custom cloud without endpoints, or a cloud name that does not select the custom cloud",
     custom_cloud},
    {"image-pull-identity", "image pulls by service account without their authority", image_pull_identity},
};

}  // namespace

std::span<const Rule> identity_rules() {
  return kRules;
}

}  // namespace sunup::contract
