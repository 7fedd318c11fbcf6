// Settings that are accepted and change nothing about a node. A controller has more to decide than what its nodes are
// told, and one list of options serves both; whoever sets such an option here should not wait for it to show.
#include "fleet/settings.h"

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

struct NoEffect {
  Option option;
  bool (*when)(const Settings&);
  const char* why;
};
constexpr const char* kMachinesOnly = "is for the machine API modes of provision-mode only";
constexpr NoEffect kNoEffect[] = {
    {Option::kNodeBootstrappingServerUrl, always, "is not contacted: bootstrap data is made here"},
    {Option::kSigAccessTokenServerUrl, always, "is not contacted: the ID of a gallery's image needs no token"},
    {Option::kSigSubscriptionId, without_sig, "is used only with use-sig"},
    {Option::kVnetGuid, without_overlay, "is used only with network-plugin azure in mode overlay"},
    {Option::kNoProxy, without_proxy, "is used only with http-proxy or https-proxy"},
    {Option::kManageExistingAksMachines, without_machine_api, kMachinesOnly},
    {Option::kAksMachinesPoolName, without_machine_api, kMachinesOnly},
    {Option::kProviderBatchIdleDuration, without_machine_api, kMachinesOnly},
    {Option::kProviderBatchMaxDuration, without_machine_api, kMachinesOnly},
    {Option::kProviderBatchMaxSize, without_machine_api, kMachinesOnly},
    {Option::kEnableAzureSdkLogging, always, "is for a controller that calls Azure"},
    {Option::kResourceGroup, always, "is the managed cluster's; nodes live in node-resource-group"},
    {Option::kSystemNamespace, always, "is where a controller finds maintenance windows; nodes are not told"},
};

}  // namespace

void warn_of_no_effect(const Settings& settings, Findings& findings) {
  for (const auto& [option, when, why] : kNoEffect) {
    const OptionRow& row = option_rows()[static_cast<size_t>(option)];
    if (settings.text(option) == row.hardcoded || !when(settings)) continue;
    findings.push_back({Severity::kWarning, "no-effect", settings.named(option), {}, std::string(why), ""});
  }
}

}  // namespace sunup::fleet
