// Settings that are accepted but do not affect a node. One list of options serves both the controller and its nodes; a
// user who sets such an option here should learn that it has no effect.
#include "fleet/sources/settings.h"

namespace sunup::fleet {
namespace {

using enum Option;

using When = bool (*)(const Settings&);
constexpr When kAlways = [](const Settings&) { return true; };
constexpr When kWithSig = [](const Settings& settings) { return settings.flag(kUseSig); };
constexpr When kWithoutSig = [](const Settings& settings) { return !settings.flag(kUseSig); };
constexpr When kWithoutOverlay = [](const Settings& settings) { return !settings.overlay(); };
constexpr When kWithoutProxy = [](const Settings& settings) {
  return !settings.given(kHttpProxy) && !settings.given(kHttpsProxy);
};
constexpr When kWithoutMachineApi = [](const Settings& settings) {
  return !settings.text(kProvisionMode).starts_with("aksmachineapi");
};
constexpr When kWithBootstrappingClient = [](const Settings& settings) {
  return settings.text(kProvisionMode) == "bootstrappingclient";
};
constexpr When kWithoutBootstrappingClient = [](const Settings& settings) {
  return !kWithBootstrappingClient(settings);
};

struct NoEffect {
  Option option;
  When when;
  const char* why;
  Severity severity = Severity::kWarning;  // a note if another setting requires it, so that it cannot be omitted
};
constexpr const char* kMachinesOnly = "is only used in the machine API modes of provision-mode";
constexpr NoEffect kNoEffect[] = {
    {kNodeBootstrappingServerUrl, kWithoutBootstrappingClient,
     "is only used in mode bootstrappingclient of provision-mode"},
    {kNodeBootstrappingServerUrl, kWithBootstrappingClient, "is not contacted: bootstrap data is created locally",
     Severity::kNote},
    {kSigAccessTokenServerUrl, kWithoutSig, "is used only with use-sig"},
    {kSigAccessTokenServerUrl, kWithSig, "is not contacted: the ID of a gallery's image needs no token",
     Severity::kNote},
    {kSigSubscriptionId, kWithoutSig, "is used only with use-sig"},
    {kVnetGuid, kWithoutOverlay, "is used only with network-plugin azure in mode overlay"},
    {kNoProxy, kWithoutProxy, "is used only with http-proxy or https-proxy"},
    {kProxyTrustedCa, kWithoutProxy, "is used only with http-proxy or https-proxy"},
    {kManageExistingAksMachines, kWithoutMachineApi, kMachinesOnly},
    {kAksMachinesPoolName, kWithoutMachineApi, kMachinesOnly},
    {kProviderBatchIdleDuration, kWithoutMachineApi, kMachinesOnly},
    {kProviderBatchMaxDuration, kWithoutMachineApi, kMachinesOnly},
    {kProviderBatchMaxSize, kWithoutMachineApi, kMachinesOnly},
    {kEnableNodeHardening, kWithBootstrappingClient,
     "is not used in mode bootstrappingclient of provision-mode, in which the controller schedules without it"},
    {kEnableAzureSdkLogging, kAlways, "is for a controller that calls Azure"},
    {kAzureEnvironmentFilepath, kAlways, "is for a controller that calls Azure; nodes use cloud and location"},
    {kResourceGroup, kAlways, "belongs to the managed cluster; nodes are in node-resource-group"},
    {kSystemNamespace, kAlways, "tells a controller where to find maintenance windows; it is not passed to nodes"},
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
  const Value<std::string>& plugin = settings.at(kNetworkPlugin);
  // If the cluster name comes from the ConfigMap, the whole cluster is described there. A single key of it among
  // current options does not count.
  const bool used = from_older_map(settings.at(kClusterName));
  if (used && plugin.origin().source == Source::kHardcoded)
    findings.push_back({Severity::kError,
                        "required",
                        "azure.networkPlugin",
                        {},
                        "must be set: the older ConfigMap has no default for it",
                        "set azure.networkPlugin to overlay, azure, kubenet or none"});
  // It cannot express the dataplane, and the mode only through the plugin's name.
  const bool unsaid = settings.at(kNetworkPluginMode).origin().where == "azure.networkPlugin";
  if (from_older_map(plugin) && *plugin == "azure" && unsaid && !settings.overlay())
    warn(findings, settings.named(kNetworkPlugin), "assumed",
         "azure in the older ConfigMap means Azure CNI without overlay and without cilium: pods get addresses of the "
         "subnet, 30 per node unless maxPods of the class is set",
         "set network-plugin-mode and network-dataplane, or azure.networkPlugin: overlay");
}

}  // namespace sunup::fleet
