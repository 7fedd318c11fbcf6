#include "render/node/reserved_cgroups.h"

#include "base/exit_code.h"
#include "base/node_paths.h"
#include "render/node/unit_text.h"

namespace sunup::render::node {
namespace {

std::string flag(const Configuration& config, const char* name) {
  const auto& flags = config.kubelet_config().kubelet_flags();
  const auto found = flags.find(name);
  return found == flags.end() ? std::string() : found->second;
}

bool is(std::string_view value, std::string_view slice) {
  return value == slice || (value.starts_with('/') && value.substr(1) == slice);
}

Error unsupported(std::string_view which, const std::string& value, std::string_view only) {
  return Error(std::string(which) + " reserved cgroup \"" + value + "\" is not supported")
      .with_hint("only " + std::string(only) + " is")
      .with_code(exit_code::kKubeletStartFail);
}

NodeFile slice() {
  UnitText text;
  text.section("Unit")
      .set("Description", "Slice of the services that Kubernetes needs on this node")
      .set("Before", "slices.target")
      .set("DefaultDependencies", "no")
      .section("Slice")
      .section("Install")
      .set("WantedBy", "slices.target");
  return {"/etc/systemd/system/kubereserved.slice", 0644, std::move(text).take()};
}

NodeFile membership(const char* unit) {
  UnitText text;
  text.section("Unit")
      .set("Wants", "kubereserved.slice")
      .set("After", "kubereserved.slice")
      .section("Service")
      .set("Slice", "kubereserved.slice");
  return {std::string("/etc/systemd/system/") + unit + ".d/10-kubereserved-slice.conf", 0644, std::move(text).take()};
}

}  // namespace

ReservedCgroups reserved_cgroups(const Configuration& config) {
  const auto& kubelet = config.kubelet_config();
  if (kubelet.enable_kubelet_config_file() && kubelet.has_kubelet_config_file_config()) {
    const auto& file = kubelet.kubelet_config_file_config();
    return {file.kube_reserved_cgroup(), file.system_reserved_cgroup()};
  }
  return {flag(config, "--kube-reserved-cgroup"), flag(config, "--system-reserved-cgroup")};
}

std::string_view runtime_slice(const Configuration& config) {
  return is(reserved_cgroups(config).kube, "kubereserved.slice") ? "/kubereserved.slice" : "/system.slice";
}

Result<NodeFiles> reserved_cgroup_files(const Configuration& config, const NodeFacts& facts) {
  const ReservedCgroups reserved = reserved_cgroups(config);
  if (!reserved.any()) return NodeFiles{};
  if (!facts.has(paths::kCgroup2)) {
    return Error("reserved cgroups need cgroup v2, which this node does not use")
        .with_hint("use an image that boots with the unified hierarchy, or reserve nothing")
        .with_code(exit_code::kKubeletStartFail);
  }
  if (!reserved.kube.empty() && !is(reserved.kube, "kubereserved.slice")) {
    return unsupported("kube", reserved.kube, "/kubereserved.slice");
  }
  if (!reserved.system.empty() && !is(reserved.system, "system.slice")) {
    return unsupported("system", reserved.system, "/system.slice");
  }
  if (reserved.kube.empty()) return NodeFiles{};
  return NodeFiles{slice(), membership("kubelet.service"), membership("containerd.service")};
}

}  // namespace sunup::render::node
