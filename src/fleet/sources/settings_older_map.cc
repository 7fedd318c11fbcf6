// The ConfigMap karpenter-global-settings, which said some things in fewer words than today's options do.
#include "fleet/sources/settings.h"

namespace sunup::fleet {
namespace {

bool from_older_map(const Value<std::string>& value) {
  return value.origin().source == Source::kSettings && value.origin().where.starts_with("azure.");
}

}  // namespace

void check_older_map(const Settings& settings, Findings& findings) {
  const Value<std::string>& plugin = settings.at(Option::kNetworkPlugin);
  // A cluster that is named there is described there; one of its keys among today's options is just that.
  const bool used = from_older_map(settings.at(Option::kClusterName));
  if (used && plugin.origin().source == Source::kHardcoded)
    findings.push_back({Severity::kError,
                        "required",
                        "azure.networkPlugin",
                        {},
                        "must be set: the older ConfigMap has no default for it",
                        "set azure.networkPlugin to overlay, azure, kubenet or none"});
  // It had no word for the dataplane, nor for a mode but the plugin's name.
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
