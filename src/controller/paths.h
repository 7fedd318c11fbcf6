// The fixed places of a node: scripts, units and the control plane know them, so they are a contract. They are paths
// below the root; whoever hands one to a child process or shows it prefixes the root (Node::on_machine).
#pragma once

#include "render/node_files.h"

namespace sunup::controller::paths {

// What custom data puts there: it names them too.
inline constexpr auto& kNodeConfig = render::kNodeConfigFile;
inline constexpr auto& kFeatures = render::kFeaturesFile;

inline constexpr char kContainers[] = "/opt/azure/containers";
inline constexpr char kComplete[] = "/opt/azure/containers/provision.complete";
inline constexpr char kBasePrepComplete[] = "/opt/azure/containers/base_prep.complete";
inline constexpr char kNbcCommand[] = "/opt/azure/containers/aks-node-controller-nbc-cmd.sh";
inline constexpr char kScriptlessOverrides[] = "/opt/azure/containers/scriptless-cse-overrides.txt";
inline constexpr char kStartScript[] = "/opt/azure/containers/provision_start.sh";
inline constexpr char kComponents[] = "/opt/azure/components.json";

inline constexpr char kHotfixPointer[] = "/opt/azure/containers/aks-node-controller-hotfix.json";
inline constexpr char kHotfixBinary[] = "/opt/azure/containers/aks-node-controller-hotfix";
inline constexpr char kBinary[] = "/opt/azure/containers/aks-node-controller";
inline constexpr char kPackagedBinary[] = "/usr/bin/aks-node-controller";
inline constexpr char kNodeCustomData[] = "/opt/azure/containers/nodecustomdata.yml";
inline constexpr char kEmbeddedCustomData[] = "/opt/azure/containers/embedded-nodecustomdata.yml";
// In the package of a hotfix: ubuntu.yml, mariner.yml.
inline constexpr char kPackagedHotfixes[] = "/usr/share/aks-node-controller/hotfix";

inline constexpr char kResult[] = "/var/log/azure/aks/provision.json";
inline constexpr char kLogDirectory[] = "/var/log/azure";
inline constexpr char kLog[] = "/var/log/azure/aks-node-controller.log";
inline constexpr char kLogName[] = "aks-node-controller.log";
inline constexpr char kStamps[] = "/opt/m";  // when scripts began and ended
inline constexpr char kScriptLog[] = "/var/log/azure/cluster-provision.log";
inline constexpr char kCseOutput[] = "/var/log/azure/cluster-provision-cse-output.log";
inline constexpr char kLogCollector[] = "/opt/azure/containers/aks-log-collector.sh";
inline constexpr char kLogCollectorOutput[] = "/var/log/azure/aks/cse-aks-log-collector.log";
inline constexpr char kExtensionLogs[] = "/var/log/azure/Microsoft.Azure.Extensions.CustomScript";
inline constexpr char kEvents[] = "/var/log/azure/Microsoft.Azure.Extensions.CustomScript/events";

// Ours: who provisions right now, and how the last run ended. Beside the marker, so that whoever can leave a result can
// also take the lock.
inline constexpr char kLock[] = "/opt/azure/containers/.provision.lock";
inline constexpr char kRun[] = "/opt/azure/containers/.provision.run";
// Takes up room while a provision runs, for its result and for the marker: they may be on different disks.
inline constexpr const char* kReserves[] = {"/opt/azure/containers/.provision.reserve",
                                            "/var/log/azure/aks/.provision.reserve"};
// There while a success is published but steps that nobody waits for are not done; our unit looks at it too.
inline constexpr char kUnfinished[] = "/opt/azure/containers/.provision.unfinished";

}  // namespace sunup::controller::paths
