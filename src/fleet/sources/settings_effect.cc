// Settings that are accepted but do not affect a node. One list of options serves both the controller and its nodes; a
// user who sets such an option here should learn that it has no effect.
#include "fleet/sources/settings.h"

namespace sunup::fleet {
namespace {

bool always(const Settings&) {
  return true;
}
bool without_sig(const Settings& settings) {
  return !settings.flag(Option::kUseSig);
}
bool without_overlay(const Settings& settings) {
  return !settings.overlay();
}
bool without_proxy(const Settings& settings) {
  return !settings.given(Option::kHttpProxy) && !settings.given(Option::kHttpsProxy);
}
bool without_machine_api(const Settings& settings) {
  return !settings.text(Option::kProvisionMode).starts_with("aksmachineapi");
}

bool with_sig(const Settings& settings) {
  return settings.flag(Option::kUseSig);
}
bool with_bootstrapping_client(const Settings& settings) {
  return settings.text(Option::kProvisionMode) == "bootstrappingclient";
}
bool without_bootstrapping_client(const Settings& settings) {
  return !with_bootstrapping_client(settings);
}

struct NoEffect {
  Option option;
  bool (*when)(const Settings&);
  const char* why;
  Severity severity = Severity::kWarning;  // a note if another setting requires it, so that it cannot be omitted
};
constexpr const char* kMachinesOnly = "is only used in the machine API modes of provision-mode";
constexpr NoEffect kNoEffect[] = {
    {Option::kNodeBootstrappingServerUrl, without_bootstrapping_client,
     "is only used in mode bootstrappingclient of provision-mode"},
    {Option::kNodeBootstrappingServerUrl, with_bootstrapping_client,
     "is not contacted: bootstrap data is created locally", Severity::kNote},
    {Option::kSigAccessTokenServerUrl, without_sig, "is used only with use-sig"},
    {Option::kSigAccessTokenServerUrl, with_sig, "is not contacted: the ID of a gallery's image needs no token",
     Severity::kNote},
    {Option::kSigSubscriptionId, without_sig, "is used only with use-sig"},
    {Option::kVnetGuid, without_overlay, "is used only with network-plugin azure in mode overlay"},
    {Option::kNoProxy, without_proxy, "is used only with http-proxy or https-proxy"},
    {Option::kProxyTrustedCa, without_proxy, "is used only with http-proxy or https-proxy"},
    {Option::kManageExistingAksMachines, without_machine_api, kMachinesOnly},
    {Option::kAksMachinesPoolName, without_machine_api, kMachinesOnly},
    {Option::kProviderBatchIdleDuration, without_machine_api, kMachinesOnly},
    {Option::kProviderBatchMaxDuration, without_machine_api, kMachinesOnly},
    {Option::kProviderBatchMaxSize, without_machine_api, kMachinesOnly},
    {Option::kEnableNodeHardening, with_bootstrapping_client,
     "is not used in mode bootstrappingclient of provision-mode, in which the controller schedules without it"},
    {Option::kEnableAzureSdkLogging, always, "is for a controller that calls Azure"},
    {Option::kAzureEnvironmentFilepath, always, "is for a controller that calls Azure; nodes use cloud and location"},
    {Option::kResourceGroup, always, "belongs to the managed cluster; nodes are in node-resource-group"},
    {Option::kSystemNamespace, always,
     "tells a controller where to find maintenance windows; it is not passed to nodes"},
};

bool from_older_map(const Value<std::string>& value) {
  return value.origin().source == Source::kSettings && value.origin().where.starts_with("azure.");
}

}  // namespace

void warn_of_no_effect(const Settings& settings, Findings& findings) {
  for (const auto& [option, when, why, severity] : kNoEffect) {
    const OptionRow& row = option_rows()[static_cast<size_t>(option)];
    if (settings.text(option) == row.hardcoded || !when(settings)) continue;
    findings.push_back({severity, "no-effect", settings.named(option), {}, std::string(why), ""});
  }
}

// The ConfigMap karpenter-global-settings has fewer options than the current settings.
void check_older_map(const Settings& settings, Findings& findings) {
  const Value<std::string>& plugin = settings.at(Option::kNetworkPlugin);
  // If the cluster name comes from the ConfigMap, the whole cluster is described there. A single key of it among
  // current options does not count.
  const bool used = from_older_map(settings.at(Option::kClusterName));
  if (used && plugin.origin().source == Source::kHardcoded)
    findings.push_back({Severity::kError,
                        "required",
                        "azure.networkPlugin",
                        {},
                        "must be set: the older ConfigMap has no default for it",
                        "set azure.networkPlugin to overlay, azure, kubenet or none"});
  // It cannot express the dataplane, and the mode only through the plugin's name.
  const bool unsaid = settings.at(Option::kNetworkPluginMode).origin().where == "azure.networkPlugin";
  if (from_older_map(plugin) && *plugin == "azure" && unsaid && !settings.overlay())
    findings.push_back({Severity::kWarning,
                        "assumed",
                        settings.named(Option::kNetworkPlugin),
                        {},
                        "azure in the older ConfigMap means Azure CNI without overlay and without cilium: pods get "
                        "addresses of the subnet, 30 per node unless maxPods of the class is set",
                        "set network-plugin-mode and network-dataplane, or azure.networkPlugin: overlay"});
}

}  // namespace sunup::fleet
