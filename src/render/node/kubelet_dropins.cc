#include "render/node/kubelet_dropins.h"

#include <fmt/format.h>

#include "base/node_paths.h"
#include "base/version_changes.h"
#include "render/node/credentials.h"
#include "render/node/reserved_cgroups.h"
#include "render/node/unit_text.h"

namespace sunup::render::node {
namespace {

NodeFile variable(std::string_view file, unsigned mode, std::string_view name, std::string_view value) {
  UnitText text;
  text.section("Service").environment(name, value);
  return {kubelet_dropin_path(file), mode, std::move(text).take()};
}

NodeFile bind_mount() {
  UnitText text;
  text.section("Unit").set("Requires", "bind-mount.service").set("After", "bind-mount.service");
  return {kubelet_dropin_path("10-bindmount.conf"), 0644, std::move(text).take()};
}

NodeFile watchdog() {
  UnitText text;
  text.section("Service").set("WatchdogSec", "60s");
  return {kubelet_dropin_path("10-watchdog.conf"), 0644, std::move(text).take()};
}

// The parameters of the bootstrap token check.
NodeFile credential_validation(const Configuration& config) {
  UnitText text;
  text.section("Service")
      .environment("CREDENTIAL_VALIDATION_KUBE_CA_FILE", paths::kClusterCa)
      .environment("CREDENTIAL_VALIDATION_APISERVER_URL", api_server_url(config));
  return {kubelet_dropin_path("10-credential-validation.conf"), 0600, std::move(text).take()};
}

// Read by the pre-start: whether access to the metadata service is restricted, and the node's primary address.
NodeFile metadata_restriction(const Configuration& config, const NodeFacts& facts) {
  const auto& restriction = config.imds_restriction_config();
  const auto word = [](bool value) { return value ? "true" : "false"; };
  UnitText text;
  text.section("Service")
      .environment("PRIMARY_NIC_IP", facts.primary_ipv4())
      .environment("ENABLE_IMDS_RESTRICTION", word(restriction.enable_imds_restriction()))
      .environment("INSERT_IMDS_RESTRICTION_RULE_TO_MANGLE_TABLE",
                   word(restriction.insert_imds_restriction_rule_to_mangle_table()));
  return {kubelet_dropin_path("10-ensure-imds-restriction.conf"), 0600, std::move(text).take()};
}

}  // namespace

std::string kubelet_dropin_path(std::string_view name) {
  return fmt::format("/etc/systemd/system/kubelet.service.d/{}", name);
}

NodeFiles kubelet_base_dropins(const Configuration& config, const NodeFacts&) {
  NodeFiles files;
  if (config.needs_cgroupv2()) {
    files.push_back(variable("10-cgroupv2.conf", 0644, "KUBELET_CGROUP_FLAGS", "--cgroup-driver=systemd"));
  }
  files.push_back(variable(
      "10-containerd-base-flag.conf", 0644, "KUBELET_CONTAINERD_FLAGS",
      fmt::format("--runtime-request-timeout=15m --container-runtime-endpoint=unix:///run/containerd/containerd.sock "
                  "--runtime-cgroups={}/containerd.service",
                  runtime_slice(config))));
  if (!package_at_least(config.kubernetes_version(), versions::kRemoteRuntimeOnly)) {
    files.push_back(variable("10-container-runtime-flag.conf", 0644, "KUBELET_CONTAINER_RUNTIME_FLAG",
                             "--container-runtime=remote"));
  }
  if (config.kubelet_config().kubelet_disk_type() == aksnodeconfig::v1::KUBELET_DISK_TEMP_DISK) {
    files.push_back(bind_mount());
  }
  return files;
}

NodeFiles kubelet_node_dropins(const Configuration& config, const NodeFacts& facts) {
  NodeFiles files;
  if (config.kubelet_config().enable_kubelet_config_file()) {
    files.push_back(variable("10-componentconfig.conf", 0600, "KUBELET_CONFIG_FILE_FLAGS",
                             fmt::format("--config {}", paths::kKubeletConfig)));
  }
  if (has_bootstrap_token(config)) {
    files.push_back(credential_validation(config));
    files.push_back(variable(
        "10-tlsbootstrap.conf", 0600, "KUBELET_TLS_BOOTSTRAP_FLAGS",
        fmt::format("--kubeconfig {} --bootstrap-kubeconfig {}", paths::kKubeconfig, paths::kBootstrapKubeconfig)));
  }
  files.push_back(metadata_restriction(config, facts));
  if (package_at_least(config.kubernetes_version(), versions::kWatchdog)) files.push_back(watchdog());
  return files;
}

}  // namespace sunup::render::node
