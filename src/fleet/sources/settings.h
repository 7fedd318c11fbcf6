// Cluster-wide settings: the current options (flags or environment variables) and the older ConfigMap
// karpenter-global-settings, as one table of options with the source of each value.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "fleet/sources/crd_rules.h"
#include "fleet/sources/document.h"
#include "fleet/sources/provenance.h"

namespace sunup::fleet {

enum class Option {
  kClusterName,
  kClusterEndpoint,
  kVmMemoryOverheadPercent,
  kKubeletBootstrapToken,
  kLinuxAdminUsername,
  kSshPublicKey,
  kNetworkPlugin,
  kNetworkPluginMode,
  kNetworkPolicy,
  kNetworkDataplane,
  kDnsServiceIp,
  kVnetGuid,
  kVnetSubnetId,
  kNodeIdentities,
  kProvisionMode,
  kNodeBootstrappingServerUrl,
  kNodeResourceGroup,
  kKubeletIdentityClientId,
  kUseSig,
  kSigAccessTokenServerUrl,
  kSigSubscriptionId,
  kDiskEncryptionSetId,
  kManageExistingAksMachines,
  kAksMachinesPoolName,
  kProviderBatchIdleDuration,
  kProviderBatchMaxDuration,
  kProviderBatchMaxSize,
  kAdditionalTags,
  kEnableAzureSdkLogging,
  kEnableNodeHardening,
  // The Azure environment.
  kCloud,
  kAzureEnvironmentFilepath,
  kLocation,
  kResourceGroup,
  kTenantId,
  kSubscriptionId,
  kSystemNamespace,
  // Values that a controller detects and users may also set.
  kKubernetesVersion,
  kClusterId,
  kNetworkSecurityGroup,
  kCaBundle,
  // Settings that the original does not have.
  kHttpProxy,
  kHttpsProxy,
  kNoProxy,
  kProxyTrustedCa,
  kCustomCaCerts,
  kMessageOfTheDay,
  kCount,
};

struct OptionRow {
  Option option;
  std::string_view flag;        // "--cluster-name" without the dashes
  std::string_view env;         // "CLUSTER_NAME"; names are separated by '|', the first that is set wins
  std::string_view config_map;  // "azure.clusterName", or empty
  std::string_view type;        // string, bool, int, float, duration, list, map
  std::string_view hardcoded;
  bool required = false;
  bool secret = false;
  bool empty_counts = false;  // an empty value differs from unset
};

// All options, in the order of the enum.
const std::array<OptionRow, static_cast<size_t>(Option::kCount)>& option_rows();

class Settings {
 public:
  Settings();  // every option at its built-in value

  const Value<std::string>& at(Option option) const { return values_[static_cast<size_t>(option)]; }
  Value<std::string>& at(Option option) { return values_[static_cast<size_t>(option)]; }
  const std::string& text(Option option) const { return at(option).get(); }
  bool given(Option option) const { return at(option).set() && !text(option).empty(); }
  bool flag(Option option) const;
  double number(Option option) const;
  // Empty for a list or map that cannot be parsed; check_settings() reports the reason.
  std::vector<std::string> list(Option option) const;
  std::map<std::string, std::string> map(Option option) const;

  // "settings.yaml:12" or "environment variable VNET_GUID", for messages; empty if it is not set.
  const std::string& place(Option option) const { return places_[static_cast<size_t>(option)]; }
  void set_place(Option option, std::string place) { places_[static_cast<size_t>(option)] = std::move(place); }
  // Whether environment variables are read, too: hints name them.
  bool reads_environment() const { return reads_environment_; }
  void set_reads_environment(bool reads) { reads_environment_ = reads; }
  // The name of an option in messages: its flag after its place.
  std::string named(Option option) const;

  // Derived from network plugin, mode and dataplane.
  bool overlay() const;
  bool cilium_node_subnet() const;
  bool plugin_none() const;

 private:
  std::array<Value<std::string>, static_cast<size_t>(Option::kCount)> values_;
  std::array<std::string, static_cast<size_t>(Option::kCount)> places_;
  bool reads_environment_ = false;
};

using Environment = std::map<std::string, std::string>;

// Reads the documents over the environment over the built-in values. Keys may be flags (with or without dashes),
// environment variables or ConfigMap keys. Only keys and types are checked.
Settings read_settings(const std::vector<Document>& documents, const Environment& environment, Findings& findings);

// The items of a list option's text (a,b or a JSON array of texts) and the pairs of a map option's (k=v,k=v or a JSON
// object), in their order; the Error contains what is wrong.
Result<std::vector<std::string>> parse_list(std::string_view text);
Result<std::vector<std::pair<std::string, std::string>>> parse_pairs(std::string_view text);

// Checks all rules: required options, allowed values, and conflicts. An option that is allowed but has no effect is a
// warning.
void check_settings(const Settings& settings, Findings& findings);
void warn_of_no_effect(const Settings& settings, Findings& findings);
// The rules of the older ConfigMap, if the settings come from it.
void check_older_map(const Settings& settings, Findings& findings);

// What the cluster reported about itself.
struct Detected {
  std::optional<std::string> kubernetes_version;  // without the leading v
  std::optional<std::string> ca_bundle;           // base64 of the PEM text
  std::optional<std::string> dns_service_ip;
};

}  // namespace sunup::fleet
