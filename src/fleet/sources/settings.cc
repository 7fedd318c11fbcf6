#include "fleet/sources/settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.h"
#include "base/text.h"
#include "fleet/sources/patterns.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;
using enum Option;

constexpr std::array<OptionRow, static_cast<size_t>(Option::kCount)> kRows{{
    {kClusterName, "cluster-name", "CLUSTER_NAME|AZURE_CLUSTER_NAME", "azure.clusterName", "string", "", true},
    {kClusterEndpoint, "cluster-endpoint", "CLUSTER_ENDPOINT", "azure.clusterEndpoint", "string", "", true},
    {kVmMemoryOverheadPercent, "vm-memory-overhead-percent", "VM_MEMORY_OVERHEAD_PERCENT",
     "azure.vmMemoryOverheadPercent", "float", "0.075"},
    {kKubeletBootstrapToken, "kubelet-bootstrap-token", "KUBELET_BOOTSTRAP_TOKEN",
     "azure.kubeletClientTLSBootstrapToken", "string", "", true, true},
    {kLinuxAdminUsername, "linux-admin-username", "LINUX_ADMIN_USERNAME", "", "string", "azureuser"},
    {kSshPublicKey, "ssh-public-key", "SSH_PUBLIC_KEY", "azure.sshPublicKey", "string", "", true},
    {kNetworkPlugin, "network-plugin", "NETWORK_PLUGIN", "azure.networkPlugin", "string", "azure"},
    {kNetworkPluginMode, "network-plugin-mode", "NETWORK_PLUGIN_MODE", "", "string", "overlay", false, false, true},
    {kNetworkPolicy, "network-policy", "NETWORK_POLICY", "azure.networkPolicy", "string", ""},
    {kNetworkDataplane, "network-dataplane", "NETWORK_DATAPLANE", "", "string", "cilium", false, false, true},
    {kDnsServiceIp, "dns-service-ip", "DNS_SERVICE_IP", "", "string", ""},
    {kVnetGuid, "vnet-guid", "VNET_GUID|AZURE_VNET_GUID", "", "string", ""},
    {kVnetSubnetId, "vnet-subnet-id", "VNET_SUBNET_ID|AZURE_SUBNET_ID", "", "string", "", true},
    {kNodeIdentities, "node-identities", "NODE_IDENTITIES", "azure.nodeIdentities", "list", ""},
    {kProvisionMode, "provision-mode", "PROVISION_MODE", "", "string", "aksscriptless"},
    {kNodeBootstrappingServerUrl, "nodebootstrapping-server-url", "NODEBOOTSTRAPPING_SERVER_URL", "", "string", ""},
    {kNodeResourceGroup, "node-resource-group", "AZURE_NODE_RESOURCE_GROUP", "", "string", "", true},
    {kKubeletIdentityClientId, "kubelet-identity-client-id", "KUBELET_IDENTITY_CLIENT_ID|ARM_USER_ASSIGNED_IDENTITY_ID",
     "", "string", ""},
    {kUseSig, "use-sig", "USE_SIG", "", "bool", "false"},
    {kSigAccessTokenServerUrl, "sig-access-token-server-url", "SIG_ACCESS_TOKEN_SERVER_URL", "", "string", ""},
    {kSigSubscriptionId, "sig-subscription-id", "SIG_SUBSCRIPTION_ID", "", "string", ""},
    {kDiskEncryptionSetId, "node-osdisk-diskencryptionset-id", "NODE_OSDISK_DISKENCRYPTIONSET_ID", "", "string", ""},
    {kManageExistingAksMachines, "manage-existing-aks-machines", "MANAGE_EXISTING_AKS_MACHINES", "", "bool", "false"},
    {kAksMachinesPoolName, "aks-machines-pool-name", "AKS_MACHINES_POOL_NAME", "", "string", ""},
    {kProviderBatchIdleDuration, "provider-batch-idle-duration", "PROVIDER_BATCH_IDLE_DURATION", "", "duration", "1s"},
    {kProviderBatchMaxDuration, "provider-batch-max-duration", "PROVIDER_BATCH_MAX_DURATION", "", "duration", "5s"},
    {kProviderBatchMaxSize, "provider-batch-max-size", "PROVIDER_BATCH_MAX_SIZE", "", "int", "50"},
    {kAdditionalTags, "additional-tags", "ADDITIONAL_TAGS", "azure.tags", "map", ""},
    {kEnableAzureSdkLogging, "enable-azure-sdk-logging", "ENABLE_AZURE_SDK_LOGGING", "", "bool", "true"},
    {kEnableNodeHardening, "enable-node-hardening", "ENABLE_NODE_HARDENING", "", "bool", "false"},
    {kCloud, "cloud", "ARM_CLOUD", "", "string", ""},
    {kAzureEnvironmentFilepath, "azure-environment-filepath", "AZURE_ENVIRONMENT_FILEPATH", "", "string", ""},
    {kLocation, "location", "LOCATION", "", "string", ""},
    {kResourceGroup, "resource-group", "ARM_RESOURCE_GROUP", "", "string", ""},
    {kTenantId, "tenant-id", "AZURE_TENANT_ID|ARM_TENANT_ID", "", "string", ""},
    {kSubscriptionId, "subscription-id", "AZURE_SUBSCRIPTION_ID|ARM_SUBSCRIPTION_ID", "", "string", "", true},
    {kSystemNamespace, "system-namespace", "SYSTEM_NAMESPACE", "", "string", ""},
    {kKubernetesVersion, "kubernetes-version", "", "", "string", ""},
    {kClusterId, "cluster-id", "", "azure.clusterID", "string", ""},
    {kNetworkSecurityGroup, "network-security-group", "", "", "string", ""},
    {kCaBundle, "ca-bundle", "", "", "string", ""},
    {kHttpProxy, "http-proxy", "", "", "string", "", false, true},
    {kHttpsProxy, "https-proxy", "", "", "string", "", false, true},
    {kNoProxy, "no-proxy", "", "", "list", ""},
    {kProxyTrustedCa, "proxy-trusted-ca", "", "", "string", ""},
    {kCustomCaCerts, "custom-ca-certs", "", "", "list", ""},
    {kMessageOfTheDay, "message-of-the-day", "", "", "string", ""},
}};

// Options of the controller's core that do not affect nodes.
constexpr std::string_view kCoreOptions[] = {"karpenter-service",
                                             "webhook-port",
                                             "metrics-port",
                                             "webhook-metrics-port",
                                             "health-probe-port",
                                             "kube-client-qps",
                                             "kube-client-burst",
                                             "enable-profiling",
                                             "disable-leader-election",
                                             "memory-limit",
                                             "log-level",
                                             "log-output-paths",
                                             "log-error-output-paths",
                                             "batch-max-duration",
                                             "batch-idle-duration",
                                             "feature-gates",
                                             "leader-election-name",
                                             "leader-election-namespace",
                                             "preference-policy",
                                             "min-values-policy"};

// Variables of the first controllers that are no longer read.
struct Retired {
  std::string_view name;
  std::string_view why;
};
constexpr Retired kRetired[] = {
    {"ARM_VM_TYPE", "belongs to an older controller; nodes are single VMs of type standard"},
    {"AZURE_SUBNET_NAME", "belongs to an older controller; the subnet's name is part of vnet-subnet-id"},
    {"AZURE_VNET_NAME", "belongs to an older controller; the network's name is part of vnet-subnet-id"},
    {"ARM_USE_MANAGED_IDENTITY_EXTENSION", "belongs to an older controller; nodes always use managed identities"},
};

// Names are compared without dashes, underscores, dots and case, so that flags, variables and field names match:
// --cluster-name, CLUSTER_NAME and clusterName are the same option.
std::string folded(std::string_view name) {
  std::string key;
  for (const char c : lowered(name))
    if (c != '-' && c != '_' && c != '.') key += c;
  return key;
}

struct Names {
  std::map<std::string, const OptionRow*, std::less<>> by_name;
  std::vector<std::string_view> flags;
};

const Names& names() {
  static const Names kNames = [] {
    Names result;
    for (const OptionRow& row : kRows) {
      result.by_name.emplace(folded(row.flag), &row);
      if (!row.config_map.empty()) result.by_name.emplace(folded(row.config_map), &row);
      for (std::string_view env = row.env; !env.empty();) {
        result.by_name.emplace(folded(take_until(env, '|')), &row);
      }
      result.flags.push_back(row.flag);
    }
    return result;
  }();
  return kNames;
}

std::string scalar_text(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// The text of a value as written: 1.30 is a version, not the number 1.3.
std::string written_text(const json& value, const std::string& path, const Document& doc) {
  if (const auto it = doc.as_written.find(path); it != doc.as_written.end()) return it->second;
  if (!value.is_array()) return scalar_text(value);
  std::string joined;
  for (size_t i = 0; i < value.size(); ++i)
    joined += (i == 0 ? "" : ",") + written_text(value[i], fmt::format("{}[{}]", path, i), doc);
  return joined;
}

// The problem with the type of an option's value; empty if there is none.
std::string_view wrong_type(const OptionRow& row, const json& value) {
  const auto plain = [](const json& item) { return item.is_string() || item.is_number(); };
  if (row.type == "list")
    return value.is_string() || (value.is_array() && std::all_of(value.begin(), value.end(), plain))
               ? ""
               : "must be a list of strings, or a string with commas";
  if (row.type == "map")
    return value.is_string() || (value.is_object() &&
                                 std::none_of(value.begin(), value.end(),
                                              [](const json& item) { return item.is_structured() || item.is_null(); }))
               ? ""
               : "must be a map of strings, or a string such as k=v,k=v";
  if (row.type == "bool") return value.is_structured() ? "must be true or false" : "";
  return plain(value) ? "" : "must be a string or a number";
}

// The options that a document sets and where, to refuse an option that is set under two names.
using Given = std::map<Option, std::string>;

void take_key(Settings& settings, const std::string& key, const json& value, const std::string& path,
              const Document& doc, Given& given, Findings& findings) {
  const auto it = names().by_name.find(folded(key));
  if (it == names().by_name.end()) {
    for (const Retired& retired : kRetired)
      if (folded(retired.name) == folded(key))
        return report(findings, Severity::kWarning, doc, path, "no-effect", std::string(retired.why));
    if (std::ranges::find(kCoreOptions, folded(key), folded) != std::end(kCoreOptions))
      return report(findings, Severity::kWarning, doc, path, "no-effect", "affects only the controller, not its nodes");
    const auto near = nearest(key, names().flags);
    report(findings, Severity::kWarning, doc, path, "unknown-setting", "there is no such setting; it has no effect",
           near ? "did you mean " + *near + "?" : "");
    return;
  }
  const OptionRow& row = *it->second;
  if (value.is_null())
    return report(findings, Severity::kWarning, doc, path, "no-effect", "is null, which has no effect");
  if (const std::string_view wrong = wrong_type(row, value); !wrong.empty())
    return report(findings, Severity::kError, doc, path, "type", std::string(wrong));
  if (const auto [first, is_first] = given.emplace(row.option, path); !is_first)
    return report(findings, Severity::kError, doc, path, "duplicate",
                  fmt::format("is option {}, which {} already sets", row.flag, first->second), "leave one out");
  if (row.type == "string" && value.is_number_float() && doc.lines.empty() && !doc.as_written.contains(path))
    return report(findings, Severity::kError, doc, path, "type", "a number may have lost digits when it was parsed",
                  "put it in quotes");
  const bool legacy = !row.config_map.empty() && key == row.config_map;
  settings.set_place(row.option, doc.where(path));
  if (legacy && row.option == kNetworkPlugin) {
    // The ConfigMap has one word per plugin: "overlay" is azure with overlay, and no other word implies a mode.
    const std::string plugin = written_text(value, path, doc);
    settings.at(kNetworkPluginMode).offer(Source::kSettings, row.config_map, plugin == "overlay" ? "overlay" : "");
    settings.at(row.option).offer(Source::kSettings, row.config_map, plugin == "overlay" ? "azure" : plugin);
    // The ConfigMap does not contain the dataplane, so another source that sets it has priority.
    if (plugin == "azure" || plugin == "kubenet")
      settings.at(kNetworkDataplane).offer(Source::kHardcoded, row.config_map, "");
    return;
  }
  settings.at(row.option)
      .offer(Source::kSettings, legacy ? row.config_map : row.flag,
             value.is_object() ? value.dump() : written_text(value, path, doc));
}

// One entry in the environment of a container.
void take_variable(Settings& settings, const json& item, const std::string& path, const Document& doc, Given& given,
                   Findings& findings) {
  if (!item.is_object() || !item.contains("name") || !item["name"].is_string())
    return report(findings, Severity::kError, doc, path, "type", "must have a name that is a string, and a value");
  const std::string& name = item["name"].get_ref<const std::string&>();
  if (item.contains("valueFrom"))
    return report(findings, Severity::kWarning, doc, path + ".valueFrom", "no-effect",
                  fmt::format("{} comes from another object, which is not read here", name), "give its value");
  take_key(settings, name, item.value("value", json("")), path + ".value", doc, given, findings);
}

// ConfigMaps contain settings below data, Helm values below settings; environment lists are lists of name and value.
void take_object(Settings& settings, const json& object, const std::string& path, const Document& doc, Given& given,
                 Findings& findings) {
  for (const auto& [key, value] : object.items()) {
    const std::string at = path.empty() ? key : path + "." + key;
    if (path.empty() && (key == "apiVersion" || key == "kind" || key == "metadata")) continue;
    if (value.is_object() && (key == "data" || key == "settings" || key == "controller")) {
      take_object(settings, value, at, doc, given, findings);
    } else if (value.is_array() && key == "env") {
      for (size_t i = 0; i < value.size(); ++i)
        take_variable(settings, value[i], fmt::format("{}[{}]", at, i), doc, given, findings);
    } else {
      take_key(settings, key, value, at, doc, given, findings);
    }
  }
  for (const auto& [at, null] : doc.nulls)
    if (null.parent == path) take_key(settings, null.key, nullptr, at, doc, given, findings);
}

}  // namespace

const std::array<OptionRow, static_cast<size_t>(Option::kCount)>& option_rows() {
  return kRows;
}

Settings::Settings() {
  for (const OptionRow& row : kRows)
    at(row.option) = Value<std::string>(Source::kHardcoded, row.flag, std::string(row.hardcoded));
}

std::string Settings::named(Option option) const {
  const std::string_view flag = option_rows()[static_cast<size_t>(option)].flag;
  return place(option).empty() ? std::string(flag) : fmt::format("{}: {}", place(option), flag);
}

Settings read_settings(const std::vector<Document>& documents, const Environment& environment, Findings& findings) {
  Settings settings;
  settings.set_reads_environment(!environment.empty());
  for (const OptionRow& row : kRows) {
    for (std::string_view env = row.env; !env.empty();) {
      const std::string_view name = take_until(env, '|');
      const auto it = environment.find(std::string(name));
      if (it == environment.end()) continue;
      const std::string value(trimmed(it->second));
      if (value.empty() && !row.empty_counts) continue;
      if (settings.at(row.option).origin().source == Source::kEnvironment) {
        settings.at(row.option).remember(Source::kEnvironment, name, value);
        continue;
      }
      settings.at(row.option).offer(Source::kEnvironment, name, value);
      settings.set_place(row.option, fmt::format("environment variable {}", name));
    }
  }
  for (const Retired& retired : kRetired)
    if (environment.contains(std::string(retired.name)))
      warn(findings, fmt::format("environment variable {}", retired.name), "no-effect", std::string(retired.why));
  for (const Document& doc : documents) {
    Given given;
    if (doc.value.is_object())
      take_object(settings, doc.value, "", doc, given, findings);
    else
      report(findings, Severity::kError, doc, "", "type", "settings must be a map of names to values");
  }
  return settings;
}

}  // namespace sunup::fleet
