// The values that are the same for every node of a cluster. They are decided once, from the settings and from what the
// cluster reported about itself.
#pragma once

#include <string>
#include <vector>

#include "fleet/sources/provenance.h"
#include "fleet/sources/settings.h"

namespace sunup::fleet {

enum class NetworkPlugin { kAzure, kKubenet, kNone };

struct Cluster {
  Value<std::string> admin_username{Source::kHardcoded, "", "azureuser"};
  Value<std::string> tenant_id;
  Value<std::string> subscription_id;
  Value<std::string> resource_group;  // of the nodes
  Value<std::string> location;
  Value<std::string> cloud{Source::kHardcoded, "", "AzurePublicCloud"};
  Value<std::string> kubelet_identity;  // its client ID
  Value<std::string> bootstrap_token;
  Value<std::string> api_server;  // a host name
  Value<std::string> ca_bundle;   // base64 of the PEM text

  Value<NetworkPlugin> network_plugin;
  Value<std::string> network_policy;
  bool kubenet_bridge = false;  // pods use kubenet's bridge, and no Calico replaces it
  Value<std::string> security_group;
  Value<std::string> route_table;

  Value<std::string> http_proxy;
  Value<std::string> https_proxy;
  Value<std::string> no_proxy;  // separated by commas
  Value<std::string> proxy_trusted_ca;
  Value<std::vector<std::string>> trusted_certificates;
  Value<std::string> message_of_the_day;  // base64
};

Cluster decide_cluster(const Settings& settings, const Detected& detected);

}  // namespace sunup::fleet
