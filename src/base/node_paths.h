// Fixed paths of a node. They are a contract with scripts, units, images and the control plane. They are relative to
// the root of the node; a program that passes one to a child process or shows it adds the root (Node::on_machine).
#pragma once

namespace sunup::paths {

// Written by custom data.
inline constexpr char kHooks[] = "/etc/aks-node-controller/steps.d";
inline constexpr char kNodeConfig[] = "/opt/azure/containers/aks-node-controller-config.json";
inline constexpr char kFeatures[] = "/opt/azure/containers/enabled_features.sh";
// Where the node sends its result (render/result_service.h); not present: nowhere.
inline constexpr char kResultService[] = "/opt/azure/containers/aks-node-controller-results.json";

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
inline constexpr char kStamps[] = "/opt/m";  // start and end times of the scripts
inline constexpr char kScriptLog[] = "/var/log/azure/cluster-provision.log";
inline constexpr char kCseOutput[] = "/var/log/azure/cluster-provision-cse-output.log";
inline constexpr char kLogCollector[] = "/opt/azure/containers/aks-log-collector.sh";
inline constexpr char kLogCollectorOutput[] = "/var/log/azure/aks/cse-aks-log-collector.log";
inline constexpr char kExtensionLogs[] = "/var/log/azure/Microsoft.Azure.Extensions.CustomScript";
inline constexpr char kEvents[] = "/var/log/azure/Microsoft.Azure.Extensions.CustomScript/events";

// Files of this program: the process that is provisioning, and the result of the last run. They are beside the marker,
// so a process that can write a result can also take the lock.
inline constexpr char kLock[] = "/opt/azure/containers/.provision.lock";
inline constexpr char kRun[] = "/opt/azure/containers/.provision.run";
// Reserve disk space for the result and the marker while provisioning runs; the two may be on different disks.
inline constexpr const char* kReserves[] = {"/opt/azure/containers/.provision.reserve",
                                            "/var/log/azure/aks/.provision.reserve"};
// Exists while a success is published and deferred steps are not done; a condition of the unit names it, too.
inline constexpr char kUnfinished[] = "/opt/azure/containers/.provision.unfinished";

// Part of the image.
inline constexpr char kImageMarker[] = "/opt/azure/vhd-install.complete";
inline constexpr char kCloudTrustScript[] = "/opt/azure/containers/init-aks-cloud.sh";
inline constexpr char kLocalDnsScript[] = "/opt/azure/containers/localdns/localdns.sh";
inline constexpr char kLocalDnsCorefile[] = "/opt/azure/containers/localdns/localdns.corefile";
inline constexpr char kLocalDnsHostsSetup[] = "/opt/azure/containers/aks-localdns-hosts-setup.sh";
inline constexpr char kCniPlugins[] = "/opt/cni/bin";
inline constexpr char kCredentialProvider[] = "/var/lib/kubelet/credential-provider/acr-credential-provider";
inline constexpr char kSystemdResolvConf[] = "/run/systemd/resolve/resolv.conf";
inline constexpr char kNetworkdConfig[] = "/etc/systemd/networkd.conf";
inline constexpr char kSshdConfig[] = "/etc/ssh/sshd_config";
inline constexpr char kFstab[] = "/etc/fstab";
inline constexpr char kHostName[] = "/etc/hostname";

// Exists if the node uses version 2 of control groups.
inline constexpr char kCgroup2[] = "/sys/fs/cgroup/cgroup.controllers";

// kubelet and containerd.
inline constexpr char kKubeTools[] = "/opt/bin/";  // kubelet, kubectl, and their files with a version in the name
inline constexpr char kKubeletProgram[] = "/opt/bin/kubelet";
inline constexpr char kContainerdProgram[] = "/usr/bin/containerd";
inline constexpr char kKubeletUnit[] = "/etc/systemd/system/kubelet.service";
inline constexpr char kKubeletFlags[] = "/etc/default/kubelet";
inline constexpr char kKubeletConfig[] = "/etc/default/kubeletconfig.json";
inline constexpr char kKubeconfig[] = "/var/lib/kubelet/kubeconfig";
inline constexpr char kBootstrapKubeconfig[] = "/var/lib/kubelet/bootstrap-kubeconfig";
inline constexpr char kClientCertificate[] = "/var/lib/kubelet/pki/kubelet-client-current.pem";
inline constexpr char kServingCertificate[] = "/etc/kubernetes/certs/kubeletserver.crt";
inline constexpr char kServingKey[] = "/etc/kubernetes/certs/kubeletserver.key";
inline constexpr char kClusterCa[] = "/etc/kubernetes/certs/ca.crt";
inline constexpr char kAzureJson[] = "/etc/kubernetes/azure.json";
inline constexpr char kCredentialProviderConfig[] = "/var/lib/kubelet/credential-provider-config.yaml";
inline constexpr char kContainerdConfig[] = "/etc/containerd/config.toml";
inline constexpr char kKubenetTemplate[] = "/etc/containerd/kubenet_template.conf";
inline constexpr char kRegistryHosts[] = "/etc/containerd/certs.d";
inline constexpr char kCniConfigs[] = "/etc/cni/net.d";
inline constexpr char kAzureConflist[] = "/etc/cni/net.d/10-azure.conflist";

}  // namespace sunup::paths
