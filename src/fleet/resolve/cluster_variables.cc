#include "fleet/resolve/cluster_variables.h"

#include <fmt/format.h>

#include "base/base64.h"
#include "base/url.h"
#include "fleet/resolve/bootstrap_script.h"
#include "fleet/sources/azure_cloud.h"
#include "fleet/sources/cluster_id.h"
#include "fleet/sources/history.h"

namespace sunup::fleet {
namespace {

void offer_option(BootstrapVariables& variables, Var var, const Settings& settings, Option option) {
  if (!settings.text(option).empty()) offer_history(variables.at(var), settings.at(option));
}

// A list as one variable holds it; of a text that is no list, check_settings() has spoken.
std::string joined(const Result<std::vector<std::string>>& items) {
  std::string text;
  if (items)
    for (const std::string& item : *items) text.append(text.empty() ? "" : std::string(1, kItemSeparator)).append(item);
  return text;
}

// Cluster ID, network security group and route table hang together by their names.
void offer_network_names(BootstrapVariables& variables, const Settings& settings) {
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
  const auto group_name = [](const std::string& of) { return fmt::format("aks-agentpool-{}-nsg", of); };
  const auto table_name = [](const std::string& of) { return fmt::format("aks-agentpool-{}-routetable", of); };
  variables.offer(Var::kNetworkSecurityGroup, origin.source, origin.where, group_name(id));
  variables.offer(Var::kRouteTable, origin.source, origin.where, table_name(id));
  remember_history(variables.at(Var::kNetworkSecurityGroup), given_id, group_name);
  remember_history(variables.at(Var::kRouteTable), given_id, table_name);
  offer_option(variables, Var::kNetworkSecurityGroup, settings, Option::kNetworkSecurityGroup);
}

// Nodes are told the cloud they are in twice, by two names of the same.
void offer_cloud(BootstrapVariables& variables, const Settings& settings) {
  const std::string_view by_location = cloud_of_location(settings.text(Option::kLocation));
  for (const Var var : {Var::kTargetCloud, Var::kTargetEnvironment}) {
    if (variables.text(var) != by_location)
      variables.offer(var, Source::kComputed, "the location", std::string(by_location));
    if (settings.given(Option::kCloud))
      offer_history(variables.at(var), settings.at(Option::kCloud),
                    [](const std::string& name) { return std::string(cloud_name(name)); });
  }
}

void offer_proxy_and_certificates(BootstrapVariables& variables, const Settings& settings) {
  offer_option(variables, Var::kHTTPProxyURLs, settings, Option::kHttpProxy);
  offer_option(variables, Var::kHTTPSProxyURLs, settings, Option::kHttpsProxy);
  offer_option(variables, Var::kNoProxyURLs, settings, Option::kNoProxy);
  offer_option(variables, Var::kHTTPProxyTrustedCA, settings, Option::kProxyTrustedCa);
  if (settings.given(Option::kHttpProxy) || settings.given(Option::kHttpsProxy))
    variables.offer(Var::kShouldConfigureHTTPProxy, Source::kComputed, "http-proxy or https-proxy is set", "true");
  if (settings.given(Option::kProxyTrustedCa))
    variables.offer(Var::kShouldConfigureHTTPProxyCA, Source::kComputed, "proxy-trusted-ca is set", "true");
  if (!settings.list(Option::kCustomCaCerts).empty()) {
    offer_history(variables.at(Var::kCustomCATrustConfigCerts), settings.at(Option::kCustomCaCerts),
                  [](const std::string& text) { return joined(parse_list(text)); });
    variables.offer(Var::kShouldConfigureCustomCATrust, Source::kComputed, "custom-ca-certs is set", "true");
  }
  if (settings.given(Option::kMessageOfTheDay))
    offer_history(variables.at(Var::kMessageOfTheDay), settings.at(Option::kMessageOfTheDay),
                  [](const std::string& message) { return base64_encode(message); });
}

}  // namespace

BootstrapVariables cluster_variables(const Settings& settings, const Detected& detected) {
  BootstrapVariables variables;
  offer_option(variables, Var::kAdminUsername, settings, Option::kLinuxAdminUsername);
  offer_option(variables, Var::kTenantID, settings, Option::kTenantId);
  offer_option(variables, Var::kSubscriptionID, settings, Option::kSubscriptionId);
  offer_option(variables, Var::kResourceGroup, settings, Option::kNodeResourceGroup);
  offer_option(variables, Var::kLocation, settings, Option::kLocation);
  offer_option(variables, Var::kNetworkPolicy, settings, Option::kNetworkPolicy);
  offer_option(variables, Var::kUserAssignedIdentityID, settings, Option::kKubeletIdentityClientId);
  offer_option(variables, Var::kTLSBootstrapToken, settings, Option::kKubeletBootstrapToken);
  offer_network_names(variables, settings);
  offer_cloud(variables, settings);

  const std::string& plugin = settings.text(Option::kNetworkPlugin);
  const bool none = settings.overlay() || settings.cilium_node_subnet() || settings.plugin_none();
  const std::string shown = plugin == "kubenet" ? "kubenet" : none ? "none" : "azure";
  variables.offer(Var::kNetworkPlugin, Source::kComputed, "network-plugin, its mode and the dataplane", shown);
  const bool bridge = shown == "kubenet" && settings.text(Option::kNetworkPolicy) != "calico";
  if (bridge) variables.offer(Var::kEnsureNoDupePromiscuousBridge, Source::kComputed, "kubenet without calico", "true");

  variables.offer(Var::kAPIServerName, Source::kComputed, "the host of cluster-endpoint",
                  host_of(settings.text(Option::kClusterEndpoint)));
  remember_history(variables.at(Var::kAPIServerName), settings.at(Option::kClusterEndpoint),
                   [](const std::string& endpoint) { return host_of(endpoint); });
  if (detected.ca_bundle) variables.offer(Var::kKubeCACrt, Source::kDetected, "the API server", *detected.ca_bundle);
  if (settings.given(Option::kCaBundle))
    offer_history(variables.at(Var::kKubeCACrt), settings.at(Option::kCaBundle), [](const std::string& bundle) {
      return bundle.find("-----BEGIN") != bundle.npos ? base64_encode(bundle) : bundle;
    });
  offer_proxy_and_certificates(variables, settings);
  return variables;
}

}  // namespace sunup::fleet
