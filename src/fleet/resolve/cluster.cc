#include "fleet/resolve/cluster.h"

#include <fmt/format.h>

#include "base/base64.h"
#include "base/url.h"
#include "fleet/sources/azure_cloud.h"
#include "fleet/sources/cluster_id.h"

namespace sunup::fleet {
namespace {

// The names of network security group and route table contain the cluster ID.
void decide_network_names(Cluster& cluster, const Settings& settings) {
  const Value<std::string>& given_id = settings.at(Option::kClusterId);
  const Value<std::string>& given_nsg = settings.at(Option::kNetworkSecurityGroup);
  Origin origin{Source::kComputed, "the host of cluster-endpoint"};
  std::string id = cluster_id_of_host(host_of(settings.text(Option::kClusterEndpoint)));
  if (!given_id->empty()) {
    id = *given_id;
    origin = given_id.origin();
  } else if (const auto from_nsg = cluster_id_from_nsg(*given_nsg)) {
    id = *from_nsg;
    origin = {Source::kComputed, "network-security-group"};
  }
  const auto decide = [&](Value<std::string>& name, std::string_view kind) {
    const auto named = [kind](const std::string& of) { return fmt::format("aks-agentpool-{}-{}", of, kind); };
    name.offer(origin.source, origin.where, named(id));
    remember_history(name, given_id, named);
  };
  decide(cluster.security_group, "nsg");
  decide(cluster.route_table, "routetable");
  if (!given_nsg->empty()) offer_history(cluster.security_group, given_nsg);
}

void decide_network(Cluster& cluster, const Settings& settings) {
  const bool none = settings.overlay() || settings.cilium_node_subnet() || settings.plugin_none();
  const NetworkPlugin plugin = settings.text(Option::kNetworkPlugin) == "kubenet" ? NetworkPlugin::kKubenet
                               : none                                             ? NetworkPlugin::kNone
                                                                                  : NetworkPlugin::kAzure;
  cluster.network_plugin.offer(Source::kComputed, "network-plugin, its mode and the dataplane", plugin);
  cluster.kubenet_bridge = plugin == NetworkPlugin::kKubenet && settings.text(Option::kNetworkPolicy) != "calico";
  decide_network_names(cluster, settings);
}

void decide_cloud(Cluster& cluster, const Settings& settings) {
  const std::string_view by_location = cloud_of_location(settings.text(Option::kLocation));
  if (*cluster.cloud != by_location) cluster.cloud.offer(Source::kComputed, "the location", std::string(by_location));
  if (settings.given(Option::kCloud))
    offer_history(cluster.cloud, settings.at(Option::kCloud),
                  [](const std::string& name) { return std::string(cloud_name(name)); });
}

// Empty if the text is not a list; check_settings() reports that.
std::vector<std::string> items(const std::string& text) {
  auto list = parse_list(text);
  return list ? *std::move(list) : std::vector<std::string>();
}

}  // namespace

Cluster decide_cluster(const Settings& settings, const Detected& detected) {
  Cluster cluster;
  const auto take = [&settings](Value<std::string>& into, Option option) {
    if (!settings.text(option).empty()) offer_history(into, settings.at(option));
  };
  take(cluster.admin_username, Option::kLinuxAdminUsername);
  take(cluster.tenant_id, Option::kTenantId);
  take(cluster.subscription_id, Option::kSubscriptionId);
  take(cluster.resource_group, Option::kNodeResourceGroup);
  take(cluster.location, Option::kLocation);
  take(cluster.network_policy, Option::kNetworkPolicy);
  take(cluster.kubelet_identity, Option::kKubeletIdentityClientId);
  take(cluster.bootstrap_token, Option::kKubeletBootstrapToken);
  take(cluster.http_proxy, Option::kHttpProxy);
  take(cluster.https_proxy, Option::kHttpsProxy);
  take(cluster.no_proxy, Option::kNoProxy);
  take(cluster.proxy_trusted_ca, Option::kProxyTrustedCa);
  decide_network(cluster, settings);
  decide_cloud(cluster, settings);

  const auto host = [](const std::string& endpoint) { return host_of(endpoint); };
  cluster.api_server.offer(Source::kComputed, "the host of cluster-endpoint",
                           host(settings.text(Option::kClusterEndpoint)));
  remember_history(cluster.api_server, settings.at(Option::kClusterEndpoint), host);
  if (detected.ca_bundle) cluster.ca_bundle.offer(Source::kDetected, "the API server", *detected.ca_bundle);
  if (settings.given(Option::kCaBundle))
    offer_history(cluster.ca_bundle, settings.at(Option::kCaBundle), [](const std::string& bundle) {
      return bundle.find("-----BEGIN") != bundle.npos ? base64_encode(bundle) : bundle;
    });
  if (!settings.list(Option::kCustomCaCerts).empty())
    offer_history(cluster.trusted_certificates, settings.at(Option::kCustomCaCerts), items);
  if (settings.given(Option::kMessageOfTheDay))
    offer_history(cluster.message_of_the_day, settings.at(Option::kMessageOfTheDay),
                  [](const std::string& message) { return base64_encode(message); });
  return cluster;
}

}  // namespace sunup::fleet
