#include "render/node/kubelet_unit.h"

#include <algorithm>
#include <span>

#include "base/node_paths.h"
#include "base/text.h"
#include "render/node/credentials.h"
#include "render/node/kubelet_dropins.h"
#include "render/node/unit_text.h"

namespace sunup::render::node {
namespace {

constexpr auto& kUnitPath = paths::kKubeletUnit;
std::string helper() {
  return std::string(paths::kBinary) + " kubelet-prestart";
}

// For an image without a kubelet unit of its own.
std::string own_unit() {
  UnitText text;
  text.section("Unit")
      .set("Description", "Kubelet")
      .set("ConditionPathExists", paths::kKubeletProgram)
      .set("Wants", "containerd.service")
      .set("After", "containerd.service")
      .section("Service")
      .set("Restart", "always")
      .set("RestartSec", "2")
      .set("EnvironmentFile", paths::kKubeletFlags)
      .set("SuccessExitStatus", "143")
      .set("ExecStart",
           "/opt/bin/kubelet --enable-server --node-labels=\"${KUBELET_NODE_LABELS}\" --v=2 "
           "--volume-plugin-dir=/etc/kubernetes/volumeplugins $KUBELET_TLS_BOOTSTRAP_FLAGS $KUBELET_CONFIG_FILE_FLAGS "
           "$KUBELET_CONTAINERD_FLAGS $KUBELET_CONTAINER_RUNTIME_FLAG $KUBELET_CGROUP_FLAGS $KUBELET_FLAGS")
      .section("Install")
      .set("WantedBy", "multi-user.target");
  return std::move(text).take();
}

NodeFile prestart() {
  UnitText text;
  text.section("Service").set("ExecStartPre", "").set("ExecStartPre", helper());
  return {kubelet_dropin_path("20-native-prestart.conf"), 0644, std::move(text).take()};
}

// The image's unit runs this file. If the drop-in is removed, kubelet still starts, with the same protection.
NodeFile prestart_for_image_unit() {
  return {"/opt/azure/containers/kubelet.sh", 0755, "#!/bin/sh\nexec " + helper() + "\n"};
}

NodeFile early(std::string_view unit) {
  UnitText text;
  text.section("Unit")
      .set("DefaultDependencies", "no")
      .set("After", "local-fs.target systemd-tmpfiles-setup.service systemd-sysctl.service")
      .set("Conflicts", "shutdown.target")
      .set("Before", "shutdown.target");
  return {std::string("/run/systemd/system/").append(unit).append(".d/20-first-boot.conf"), 0644,
          std::move(text).take()};
}

constexpr const char* kContainerd = "containerd.service";
// The bus is ordered after sysinit.target, and therefore, on a first boot, after cloud-init's network stage. containerd
// itself does not use it. runc uses it for pods, and communicates with systemd directly until the bus is available.
constexpr const char* kMessageBus = "dbus.service";

bool is_dependency(std::string_view key) {
  constexpr std::string_view kKeys[] = {"After", "Wants", "Requires", "Requisite", "BindsTo"};
  return std::find(std::begin(kKeys), std::end(kKeys), key) != std::end(kKeys);
}

}  // namespace

std::string without_dependency(std::string_view unit_text, std::string_view unit) {
  std::string out;
  while (!unit_text.empty()) {
    const size_t end = std::min(unit_text.find('\n'), unit_text.size() - 1);
    const std::string_view line = unit_text.substr(0, end + 1);
    unit_text.remove_prefix(end + 1);
    const size_t equals = line.find('=');
    const auto names =
        equals == std::string_view::npos ? std::vector<std::string_view>() : unicode::words(line.substr(equals + 1));
    if (!is_dependency(unicode::trimmed(line.substr(0, equals))) ||
        std::find(names.begin(), names.end(), unit) == names.end()) {
      out.append(line);
      continue;
    }
    std::string rest;
    for (const auto name : names)
      if (name != unit) rest.append(rest.empty() ? "" : " ").append(name);
    if (!rest.empty()) out.append(unicode::trimmed(line.substr(0, equals))).append("=").append(rest).append("\n");
  }
  return out;
}

Result<NodeFiles> kubelet_unit_files(const Configuration&, const NodeFacts& facts) {
  NodeFiles files = {prestart(), prestart_for_image_unit()};
  const std::string_view image = facts.text(kUnitPath);
  const std::string own = own_unit();
  if (image.empty() || image == own) {
    if (image == own || !facts.has_unit("kubelet.service")) files.push_back({kUnitPath, 0644, own});
    return files;
  }
  // At every boot the helper waits for the one address that kubelet needs, whereas the target waits for the whole
  // network.
  if (std::string edited = without_dependency(image, "network-online.target"); edited != image) {
    files.push_back(edited_file(kUnitPath, facts.mode(kUnitPath), std::move(edited)));
  }
  return files;
}

std::string containerd_unit_behind_copy(const NodeFacts& facts) {
  if (facts.has(std::string("/etc/systemd/system/") + kContainerd)) return {};  // this unit overrides any copy
  // Newer versions of systemd do not read /lib/systemd/system, which is a symbolic link there.
  for (const std::string_view folder : std::span(kUnitFolders).subspan(1)) {
    const std::string path = std::string(folder).append(kContainerd);
    const std::string_view text = facts.text(path);
    if (text.empty()) continue;
    return without_dependency(text, kMessageBus) == text ? std::string() : path;
  }
  return {};
}

Result<NodeFiles> first_boot_files(const Configuration& config, const NodeFacts& facts) {
  NodeFiles files = {early(kContainerd), early("kubelet.service")};
  if (const std::string unit = containerd_unit_behind_copy(facts); !unit.empty())
    files.push_back(
        {std::string("/run/systemd/system/") + kContainerd, 0644, without_dependency(facts.text(unit), kMessageBus)});
  // kubelet is ordered after this unit, and so after everything that this unit waits for.
  if (secure_tls_bootstrapping(config)) files.push_back(early("secure-tls-bootstrap.service"));
  return files;
}

}  // namespace sunup::render::node
