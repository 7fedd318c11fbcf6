#include "contract/kubelet_settings.h"

#include <algorithm>

#include "base/node_paths.h"
#include "base/version_changes.h"

namespace sunup::contract {
namespace {

constexpr KubeletRow flag(std::string_view name, Takes takes = Takes::kText, std::string_view choices = {}) {
  return {.flag = name, .takes = takes, .choices = choices};
}

constexpr KubeletRow number(std::string_view name, int64_t min = 0, int64_t max = KubeletRow::kMost) {
  return {.flag = name, .takes = Takes::kInteger, .choices = {}, .min = min, .max = max};
}

// Names and versions are those of the sources of Kubernetes 1.11 to 1.36 (cmd/kubelet/app/options,
// component-base/logs); tests/contract/kubelet_flags_test.py compares them with kubelets.
constexpr KubeletRow kSettings[] = {
    flag("--add-dir-header", Takes::kBool).gone(26),
    flag("--address", Takes::kAddress).file("address").aks("0.0.0.0"),
    flag("--allow-privileged", Takes::kBool).gone(15),
    flag("--allowed-unsafe-sysctls").file("allowed_unsafe_sysctls").node_class("spec.kubelet.allowedUnsafeSysctls"),
    flag("--alsologtostderr", Takes::kBool).gone(26),
    flag("--anonymous-auth", Takes::kBool).file("authentication.anonymous.enabled").aks("false"),
    number("--application-metrics-count-limit"),
    flag("--authentication-token-webhook", Takes::kBool).file("authentication.webhook.enabled").aks("true"),
    flag("--authentication-token-webhook-cache-ttl", Takes::kDuration).file("authentication.webhook.cache_ttl"),
    flag("--authorization-mode", Takes::kOneOf, "AlwaysAllow|Webhook").file("authorization.mode").aks("Webhook"),
    flag("--authorization-webhook-cache-authorized-ttl", Takes::kDuration)
        .file("authorization.webhook.cache_authorized_ttl"),
    flag("--authorization-webhook-cache-unauthorized-ttl", Takes::kDuration)
        .file("authorization.webhook.cache_unauthorized_ttl"),
    flag("--azure-container-registry-config"),
    flag("--boot-id-file"),
    flag("--bootstrap-checkpoint-path").gone(19),
    flag("--bootstrap-kubeconfig"),
    number("--cadvisor-port", 0, 65535).gone(12),
    flag("--cert-dir"),
    flag("--cgroup-driver", Takes::kOneOf, "cgroupfs|systemd"),
    flag("--cgroup-root"),
    flag("--cgroups-per-qos", Takes::kBool).file("cgroups_per_qos").aks("true"),
    flag("--chaos-chance").gone(22),
    flag("--client-ca-file").file("authentication.x509.client_ca_file").aks(paths::kClusterCa),
    flag("--cloud-config").gone(versions::kNoCloudConfig.minor).aks(paths::kAzureJson),
    flag("--cloud-provider").aks("external"),
    flag("--cluster-dns", Takes::kAddresses).file("cluster_dns").aks("10.0.0.10").pool("kubelet.clusterDNS"),
    flag("--cluster-domain").file("cluster_domain").aks("cluster.local"),
    flag("--cni-bin-dir").gone(24),
    flag("--cni-cache-dir").since(16).gone(24),
    flag("--cni-conf-dir").gone(24),
    flag("--config"),
    flag("--config-dir").since(28),
    flag("--container-hints"),
    number("--container-log-max-files", 2)
        .file("container_log_max_files")
        .node_class("spec.kubelet.containerLogMaxFiles"),
    flag("--container-log-max-size", Takes::kQuantity)
        .file("container_log_max_size")
        .node_class("spec.kubelet.containerLogMaxSize"),
    flag("--container-runtime", Takes::kOneOf, "docker|remote").gone(27),
    flag("--container-runtime-endpoint"),
    flag("--containerd"),
    flag("--containerd-namespace").since(20),
    flag("--containerized", Takes::kBool).gone(16),
    flag("--contention-profiling", Takes::kBool),
    flag("--cpu-cfs-quota", Takes::kBool)
        .file("cpu_cfs_quota")
        .pool("kubelet.cpuCFSQuota")
        .node_class("spec.kubelet.cpuCFSQuota"),
    flag("--cpu-cfs-quota-period", Takes::kDuration)
        .file("cpu_cfs_quota_period")
        .node_class("spec.kubelet.cpuCFSQuotaPeriod"),
    flag("--cpu-manager-policy", Takes::kOneOf, "none|static")
        .file("cpu_manager_policy")
        .node_class("spec.kubelet.cpuManagerPolicy"),
    flag("--cpu-manager-policy-options", Takes::kOptions).since(22),
    flag("--cpu-manager-reconcile-period", Takes::kDuration),
    flag("--docker").gone(24),
    flag("--docker-endpoint").gone(24),
    flag("--docker-env-metadata-whitelist").gone(24),
    flag("--docker-only", Takes::kBool).gone(24),
    flag("--docker-root").gone(24),
    flag("--docker-tls", Takes::kBool).gone(24),
    flag("--docker-tls-ca").gone(24),
    flag("--docker-tls-cert").gone(24),
    flag("--docker-tls-key").gone(24),
    flag("--dynamic-config-dir").gone(24),
    flag("--enable-cadvisor-json-endpoints", Takes::kBool).gone(21),
    flag("--enable-controller-attach-detach", Takes::kBool),
    flag("--enable-debugging-handlers", Takes::kBool),
    flag("--enable-load-reader", Takes::kBool),
    flag("--enable-server", Takes::kBool),
    flag("--enforce-node-allocatable", Takes::kListOf,
         "none|pods|system-reserved|kube-reserved|system-reserved-compressible|kube-reserved-compressible")
        .file("enforce_node_allocatable")
        .aks("pods"),
    number("--event-burst"),
    number("--event-qps").file("event_record_qps").aks("0"),
    flag("--event-storage-age-limit"),
    flag("--event-storage-event-limit"),
    flag("--eviction-hard", Takes::kThresholds)
        .file("eviction_hard", "<")
        .aks("memory.available<750Mi,nodefs.available<10%,nodefs.inodesFree<5%")
        .pool("kubelet.evictionHard"),
    number("--eviction-max-pod-grace-period", -1)
        .file("eviction_max_pod_grace_period")
        .pool("kubelet.evictionMaxPodGracePeriod"),
    flag("--eviction-minimum-reclaim", Takes::kReclaim),
    flag("--eviction-pressure-transition-period", Takes::kDuration),
    flag("--eviction-soft", Takes::kThresholds).file("eviction_soft", "<").pool("kubelet.evictionSoft"),
    flag("--eviction-soft-grace-period", Takes::kGracePeriods)
        .file("eviction_soft_grace_period")
        .pool("kubelet.evictionSoftGracePeriod"),
    flag("--exit-on-lock-contention", Takes::kBool),
    flag("--experimental-allocatable-ignore-eviction", Takes::kBool),
    flag("--experimental-bootstrap-kubeconfig").gone(23),
    flag("--experimental-check-node-capabilities-before-mount", Takes::kBool).gone(24),
    flag("--experimental-dockershim", Takes::kBool).gone(19),
    flag("--experimental-dockershim-root-directory").gone(24),
    flag("--experimental-kernel-memcg-notification", Takes::kBool).gone(25),
    flag("--experimental-logging-sanitization", Takes::kBool).since(20).gone(24),
    flag("--experimental-mounter-path"),
    flag("--fail-cgroupv1", Takes::kBool).since(31),
    flag("--fail-swap-on", Takes::kBool).file("fail_swap_on").node_class("spec.kubelet.failSwapOn"),
    flag("--feature-gates").file("feature_gates"),
    flag("--file-check-frequency", Takes::kDuration),
    flag("--global-housekeeping-interval", Takes::kDuration),
    flag("--hairpin-mode", Takes::kOneOf, "promiscuous-bridge|hairpin-veth|none"),
    flag("--healthz-bind-address", Takes::kAddress),
    number("--healthz-port", 0, 65535),
    flag("--hostname-override"),
    flag("--housekeeping-interval", Takes::kDuration),
    flag("--http-check-frequency", Takes::kDuration),
    flag("--image-credential-provider-bin-dir").since(20),
    flag("--image-credential-provider-config").since(20),
    number("--image-gc-high-threshold", 0, 100)
        .file("image_gc_high_threshold_percent")
        .aks("85")
        .pool("kubelet.imageGCHighThresholdPercent")
        .node_class("spec.kubelet.imageGCHighThresholdPercent"),
    number("--image-gc-low-threshold", 0, 100)
        .file("image_gc_low_threshold_percent")
        .aks("80")
        .pool("kubelet.imageGCLowThresholdPercent")
        .node_class("spec.kubelet.imageGCLowThresholdPercent"),
    flag("--image-pull-progress-deadline", Takes::kDuration).gone(24),
    flag("--image-service-endpoint"),
    number("--iptables-drop-bit", 0, 31).gone(31),
    number("--iptables-masquerade-bit", 0, 31).gone(31),
    flag("--keep-terminated-pod-volumes", Takes::kBool).gone(versions::kNoTerminatedVolumes.minor),
    flag("--kernel-memcg-notification", Takes::kBool).since(19),
    number("--kube-api-burst"),
    flag("--kube-api-content-type"),
    number("--kube-api-qps", -1),
    flag("--kube-reserved", Takes::kReserved).file("kube_reserved").pool("kubelet.kubeReserved"),
    flag("--kube-reserved-cgroup").file("kube_reserved_cgroup"),
    flag("--kubeconfig").aks(paths::kKubeconfig),
    flag("--kubelet-cgroups"),
    flag("--local-storage-capacity-isolation", Takes::kBool).since(25),
    flag("--lock-file"),
    flag("--log-backtrace-at").gone(26),
    flag("--log-cadvisor-usage", Takes::kBool),
    flag("--log-dir").gone(26),
    flag("--log-file").gone(26),
    number("--log-file-max-size").gone(26),
    flag("--log-flush-frequency", Takes::kDuration),
    flag("--log-json-info-buffer-size", Takes::kQuantity).since(23),
    flag("--log-json-split-stream", Takes::kBool).since(23),
    flag("--log-text-info-buffer-size", Takes::kQuantity).since(30),
    flag("--log-text-split-stream", Takes::kBool).since(30),
    flag("--logging-format", Takes::kOneOf, "text|json").since(19),
    flag("--logtostderr", Takes::kBool).gone(26),
    flag("--machine-id-file"),
    flag("--make-iptables-util-chains", Takes::kBool),
    flag("--manifest-url"),
    flag("--manifest-url-header", Takes::kHeaders),
    flag("--master-service-namespace").gone(27),
    number("--max-open-files"),
    number("--max-pods").file("max_pods").aks("110").pool("kubelet.maxPods"),
    number("--maximum-dead-containers", -1),
    number("--maximum-dead-containers-per-container", -1),
    flag("--memory-manager-policy", Takes::kOneOf, "None|Static").since(21),
    flag("--minimum-container-ttl-duration", Takes::kDuration),
    flag("--minimum-image-ttl-duration", Takes::kDuration),
    flag("--network-plugin").gone(24),
    number("--network-plugin-mtu").gone(24),
    flag("--node-ip"),
    flag("--node-labels"),
    number("--node-status-max-images", -1),
    flag("--node-status-update-frequency", Takes::kDuration).file("node_status_update_frequency").aks("10s"),
    flag("--non-masquerade-cidr").gone(24),
    flag("--one-output", Takes::kBool).gone(26),
    number("--oom-score-adj", -1000, 1000),
    flag("--pod-cidr"),
    flag("--pod-infra-container-image")
        .gone(versions::kNoPauseImageFlag.minor)
        .aks("mcr.microsoft.com/oss/kubernetes/pause:3.6"),
    flag("--pod-manifest-path").file("static_pod_path").aks("/etc/kubernetes/manifests"),
    number("--pod-max-pids", -1, std::numeric_limits<int64_t>::max())
        .file("pod_pids_limit")
        .aks("-1")
        .node_class("spec.kubelet.podPidsLimit"),
    number("--pods-per-core").pool("kubelet.podsPerCore"),
    number("--port", 1, 65535),
    flag("--protect-kernel-defaults", Takes::kBool).file("protect_kernel_defaults").aks("true"),
    flag("--provider-id"),
    flag("--qos-reserved", Takes::kOptions),
    number("--read-only-port", 0, 65535).file("read_only_port").aks("0"),
    flag("--really-crash-for-testing", Takes::kBool).gone(24),
    flag("--redirect-container-streaming", Takes::kBool).gone(20),
    flag("--register-node", Takes::kBool),
    flag("--register-schedulable", Takes::kBool).gone(34),
    flag("--register-with-taints"),
    number("--registry-burst"),
    number("--registry-qps"),
    flag("--reserved-cpus", Takes::kCpus).since(17),
    flag("--reserved-memory", Takes::kMemory).since(21),
    flag("--resolv-conf").file("resolv_conf").aks(paths::kSystemdResolvConf),
    flag("--root-dir"),
    flag("--rotate-certificates", Takes::kBool).file("rotate_certificates").aks("true"),
    flag("--rotate-server-certificates", Takes::kBool).file("server_tls_bootstrap"),
    flag("--runonce", Takes::kBool),
    flag("--runtime-cgroups"),
    flag("--runtime-request-timeout", Takes::kDuration),
    flag("--seccomp-default", Takes::kBool).since(22).file("seccomp_default"),
    flag("--seccomp-profile-root").gone(23),
    flag("--serialize-image-pulls", Takes::kBool).file("serialize_image_pulls"),
    flag("--skip-headers", Takes::kBool).gone(26),
    flag("--skip-log-headers", Takes::kBool).gone(26),
    flag("--stderrthreshold").gone(26),
    flag("--storage-driver-buffer-duration", Takes::kDuration),
    flag("--storage-driver-db"),
    flag("--storage-driver-host"),
    flag("--storage-driver-password"),
    flag("--storage-driver-secure", Takes::kBool),
    flag("--storage-driver-table"),
    flag("--storage-driver-user"),
    flag("--streaming-connection-idle-timeout", Takes::kDuration).file("streaming_connection_idle_timeout").aks("4h"),
    flag("--sync-frequency", Takes::kDuration),
    flag("--system-cgroups"),
    flag("--system-reserved", Takes::kReserved).file("system_reserved").pool("kubelet.systemReserved"),
    flag("--system-reserved-cgroup").file("system_reserved_cgroup"),
    flag("--tls-cert-file").file("tls_cert_file").aks(paths::kServingCertificate),
    flag("--tls-cipher-suites")
        .file("tls_cipher_suites")
        .aks("TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,"
             "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305,TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,"
             "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305,TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,"
             "TLS_RSA_WITH_AES_256_GCM_SHA384,TLS_RSA_WITH_AES_128_GCM_SHA256"),
    flag("--tls-min-version", Takes::kOneOf, "VersionTLS10|VersionTLS11|VersionTLS12|VersionTLS13"),
    flag("--tls-private-key-file").file("tls_private_key_file").aks(paths::kServingKey),
    flag("--topology-manager-policy", Takes::kOneOf, "none|best-effort|restricted|single-numa-node")
        .since(16)
        .file("topology_manager_policy")
        .node_class("spec.kubelet.topologyManagerPolicy"),
    flag("--topology-manager-policy-options", Takes::kOptions).since(26),
    flag("--topology-manager-scope", Takes::kOneOf, "container|pod").since(20),
    number("--v"),
    flag("--version"),
    flag("--vmodule", Takes::kModules),
    flag("--volume-plugin-dir"),
    flag("--volume-stats-agg-period", Takes::kDuration),
};
static_assert(std::ranges::is_sorted(kSettings, {}, &KubeletRow::flag));

}  // namespace

std::span<const KubeletRow> kubelet_settings() {
  return kSettings;
}

const KubeletRow* find_kubelet_row(std::string_view flag) {
  const auto found = std::ranges::lower_bound(kSettings, flag, {}, &KubeletRow::flag);
  return found != std::end(kSettings) && found->flag == flag ? found : nullptr;
}

}  // namespace sunup::contract
