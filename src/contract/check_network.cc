// Rules for proxy, downloads and network plugin: mistakes that cut a node off from what it needs.
#include <algorithm>
#include <string>

#include "base/text.h"
#include "contract/formats.h"
#include "contract/judge.h"
#include "contract/quoted_excerpt.h"

namespace sunup::contract {
namespace {

using aksnodeconfig::v1::NetworkPlugin;
using aksnodeconfig::v1::NetworkPolicy;

void proxy_url(Judge& judge) {
  const auto& proxy = judge.config.http_proxy_config();
  const auto want = [&](const char* path, const std::string& url) {
    // The value may contain a password, so it is not shown.
    if (!url.empty() && !is_http_url(url)) {
      std::string without_underscores = url;
      std::ranges::replace(without_underscores, '_', '-');
      if (is_http_url(without_underscores))
        judge.warning(path, "the proxy's name has an underscore: some programs do not look up such names");
      else
        judge.error(path, "this is not the URL of a proxy",
                    "http://host:port/, special characters of a password as %XX");
    }
    if (url.find_first_of("\"$`\\") != std::string::npos)
      judge.error(path, "the URL has a character that breaks the files it is written to",
                  "write double quotes, dollars, backquotes and backslashes as %XX");
  };
  want("$.http_proxy_config.http_proxy", proxy.http_proxy());
  want("$.http_proxy_config.https_proxy", proxy.https_proxy());
}

// Whether an entry of no_proxy covers this host.
bool covers(std::string_view entry, std::string_view host) {
  if (entry == "*") return true;
  if (entry.starts_with('*')) entry.remove_prefix(1);
  if (entry.starts_with('.')) return host.ends_with(entry) || host == entry.substr(1);
  return host == entry ||
         (host.ends_with(entry) && host.size() > entry.size() && host[host.size() - entry.size() - 1] == '.');
}

void no_proxy(Judge& judge) {
  const auto& proxy = judge.config.http_proxy_config();
  const std::string path = "$.http_proxy_config.no_proxy_entries";
  for (int i = 0; i < proxy.no_proxy_entries_size(); ++i) {
    const std::string& entry = proxy.no_proxy_entries(i);
    // The last three end the double quotes in which a shell reads the value, or are expanded in them.
    if (entry.find_first_of(", \t\r\n\"$`") != std::string::npos)
      judge.error(path_of_item(path, static_cast<size_t>(i)),
                  quoted_excerpt(entry) + " is not a single host, domain or network", "use one list item for each");
  }
  if (proxy.http_proxy().empty() && proxy.https_proxy().empty()) {
    if (!proxy.no_proxy_entries().empty()) judge.warning(path, "the exceptions have no effect without a proxy");
    return;
  }
  const std::string& host = judge.config.api_server_config().api_server_name();
  // An address may be covered by a network, which cannot be determined from names.
  if (host.empty() || is_ip(host)) return;
  const auto& entries = proxy.no_proxy_entries();
  if (std::none_of(entries.begin(), entries.end(), [&](const std::string& entry) { return covers(entry, host); }))
    judge.warning(path, "the API server is reached through the proxy", "add " + quoted_excerpt(host));
}

void proxy_ca(Judge& judge) {
  const auto& proxy = judge.config.http_proxy_config();
  if (!proxy.proxy_trusted_ca().empty() && proxy.http_proxy().empty() && proxy.https_proxy().empty())
    judge.warning("$.http_proxy_config.proxy_trusted_ca", "without a proxy its CA is not installed",
                  "use custom_ca_certs for a CA that the node must trust anyway");
}

void download_url(Judge& judge) {
  const Configuration& config = judge.config;
  const auto& kube = config.kube_binary_config();
  const struct {
    const char* path;
    const std::string& value;
    bool artifact = false;  // host/path:tag is accepted, too
    bool secret = false;
  } urls[] = {
      {"$.kube_binary_config.kube_binary_url", kube.kube_binary_url(), true},
      {"$.kube_binary_config.custom_kube_binary_url", kube.custom_kube_binary_url(), true, true},
      {"$.kube_binary_config.linux_credential_provider_url", kube.linux_credential_provider_url(), true},
      {"$.containerd_config.containerd_package_url", config.containerd_config().containerd_package_url(), false, true},
      {"$.runc_config.runc_package_url", config.runc_config().runc_package_url(), false, true},
      {"$.network_config.vnet_cni_plugins_url", config.network_config().vnet_cni_plugins_url()},
      {"$.bootstrapping_config.secure_tls_bootstrapping_custom_client_download_url",
       config.bootstrapping_config().secure_tls_bootstrapping_custom_client_download_url(), false, true},
      {"$.custom_cloud_config.repo_depot_endpoint", config.custom_cloud_config().repo_depot_endpoint()},
  };
  for (const auto& url : urls) {
    if (url.value.empty() || is_http_url(url.value) || (url.artifact && is_image_reference(url.value))) continue;
    judge.warning(url.path, (url.secret ? "the value" : quoted_excerpt(url.value)) + " is not a URL",
                  "use https://host/path; if the image has no copy, the download fails");
  }
}

void pause_image(Judge& judge) {
  const std::string& image = judge.config.kube_binary_config().pod_infra_container_image_url();
  const std::string path = "$.kube_binary_config.pod_infra_container_image_url";
  if (image.empty()) {
    judge.error(path, "there is no pause image: containerd cannot start any pod",
                "for example mcr.microsoft.com/oss/v2/kubernetes/pause:3.10.1");
  } else if (!is_image_reference(image)) {
    judge.error(path, quoted_excerpt(image) + " is not the name of an image", "host/name:tag, without a scheme");
  }
}

void bootstrap_registry(Judge& judge) {
  const std::string& server = judge.config.bootstrap_profile_container_registry_server();
  const std::string path = "$.bootstrap_profile_container_registry_server";
  if (server.empty()) return;
  if (!is_image_reference(server) || !is_host_name(split(split(server, '/')[0], ':')[0]))
    judge.error(path, quoted_excerpt(server) + " is not a registry", "host or host/path, without a scheme");
  const auto& auth = judge.config.auth_config();
  if (auth.assigned_identity_id().empty() || auth.tenant_id().empty())
    judge.warning(path, "without assigned_identity_id and tenant_id the registry is used anonymously");
}

void network_plugin(Judge& judge) {
  const auto& network = judge.config.network_config();
  const auto plugin = network.network_plugin();
  const std::string path = "$.network_config";
  if (plugin == NetworkPlugin::NETWORK_PLUGIN_AZURE && network.vnet_cni_plugins_url().empty())
    judge.warning(path + ".vnet_cni_plugins_url", "Azure CNI needs the URL, which contains its version",
                  "for example https://.../azure-vnet-cni-linux-amd64-v1.6.21.tgz");
  if (network.network_policy() == NetworkPolicy::NETWORK_POLICY_AZURE && plugin != NetworkPlugin::NETWORK_PLUGIN_AZURE)
    judge.warning(path + ".network_policy", "Azure's network policies need Azure CNI");
  if (judge.config.ipv6_dual_stack_enabled() && plugin == NetworkPlugin::NETWORK_PLUGIN_KUBENET &&
      network.network_policy() == NetworkPolicy::NETWORK_POLICY_AZURE)
    judge.warning("$.ipv6_dual_stack_enabled", "Azure's network policies do not support IPv6");
  if (network.standard_secondary_nic_count() < 0)
    judge.warning(path + ".standard_secondary_nic_count", "a negative number of NICs means none");
  if (network.standard_secondary_nic_count() > 7)
    judge.warning(path + ".standard_secondary_nic_count", "no VM size has more than 8 NICs");
}

void core_dns_address(Judge& judge) {
  const std::string& address = judge.config.cluster_config().cluster_network_config().core_dns_service_ip();
  if (!address.empty() && !is_ip(address))
    judge.error("$.cluster_config.cluster_network_config.core_dns_service_ip",
                quoted_excerpt(address) + " is not an IP address");
}

void outbound_command(Judge& judge) {
  const std::string& command = judge.config.outbound_command();
  if (command.empty()) return;
  const auto words = split(command, ' ');
  const bool url = std::any_of(words.begin(), words.end(), [](std::string_view word) { return is_http_url(word); });
  if (words[0] != "curl" || !url || command.find_first_of(";|&$`<>\n") != std::string::npos)
    judge.warning("$.outbound_command", "native provisioning supports only a curl command with one URL",
                  "curl -v --insecure --proxy-insecure https://mcr.microsoft.com/v2/");
}

void imds_restriction(Judge& judge) {
  const auto& imds = judge.config.imds_restriction_config();
  if (imds.insert_imds_restriction_rule_to_mangle_table() && !imds.enable_imds_restriction())
    judge.note("$.imds_restriction_config.insert_imds_restriction_rule_to_mangle_table",
               "has no effect without enable_imds_restriction");
}

constexpr Rule kRules[] = {
    {"proxy-url", "an invalid proxy URL", proxy_url},
    {"no-proxy", "an invalid proxy exception, or a missing exception for the API server", no_proxy},
    {"proxy-ca", "a proxy CA without a proxy", proxy_ca},
    {"download-url", "an invalid download URL", download_url},
    {"pause-image", "a pause image that is missing or not a valid image name", pause_image},
    {"bootstrap-registry", "a bootstrap registry with an invalid name, or without an identity to log in with",
     bootstrap_registry},
    {"network-plugin", "a network plugin, policy or NIC count that do not fit together", network_plugin},
    {"core-dns-address", "a CoreDNS address that is not an IP address", core_dns_address},
    {"outbound-command", "an outbound check that is not a single curl command", outbound_command},
    {"imds-restriction", "a firewall table selected for a rule that is not enabled", imds_restriction},
};

}  // namespace

std::span<const Rule> network_rules() {
  return kRules;
}

}  // namespace sunup::contract
