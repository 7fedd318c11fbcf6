#include "render/node/huge_pages.h"

#include <algorithm>

#include "base/exit_code.h"
#include "base/text.h"
#include "render/node/unit_text.h"

namespace sunup::render::node {
namespace {

constexpr std::string_view kSysfs = "/sys/kernel/mm/transparent_hugepage/";
constexpr std::string_view kSysfsConfName = "kernel/mm/transparent_hugepage/";
constexpr std::string_view kValueFolder = "/opt/azure/containers/aks-transparent-hugepage/";

struct Setting {
  const char* name;
  const std::string& value;
};

std::vector<Setting> settings(const Configuration& config) {
  const auto& os = config.custom_linux_os_config();
  std::vector<Setting> found;
  if (!os.transparent_hugepage_support().empty()) found.push_back({"enabled", os.transparent_hugepage_support()});
  if (!os.transparent_defrag().empty()) found.push_back({"defrag", os.transparent_defrag()});
  return found;
}

std::string path(std::string_view folder, const char* name) {
  return std::string(folder) + name;
}

// Existing lines for the same settings are replaced, so that a second run adds nothing.
std::string sysfs_conf(std::string_view before, const std::vector<Setting>& ours) {
  std::string out;
  while (!before.empty()) {
    const std::string_view line = take_until(before, '\n');
    const std::string_view name = unicode::trimmed(line.substr(0, line.find('=')));
    const bool replaced = std::any_of(
        ours.begin(), ours.end(), [&](const Setting& setting) { return name == path(kSysfsConfName, setting.name); });
    if (!replaced) out.append(line).append("\n");
  }
  for (const Setting& setting : ours) out += path(kSysfsConfName, setting.name) + "=" + setting.value + "\n";
  return out;
}

std::string unit(const std::vector<Setting>& ours) {
  UnitText text;
  text.section("Unit")
      .set("Description", "Transparent huge pages as this node's config wants them")
      .set("After", "systemd-sysctl.service")
      .set("Before", "kubelet.service")
      .set("ConditionPathExists", "/sys/kernel/mm/transparent_hugepage")
      .section("Service")
      .set("Type", "oneshot");
  for (const Setting& setting : ours)
    text.set("ExecStart", "/usr/bin/cp " + path(kValueFolder, setting.name) + " " + path(kSysfs, setting.name));
  text.section("Install").set("WantedBy", "multi-user.target");
  return std::move(text).take();
}

Result<void> check(const std::vector<Setting>& ours) {
  for (const Setting& setting : ours) {
    bool known = false;
    for (const std::string_view word : {"always", "madvise", "never"}) known |= setting.value == word;
    if (std::string_view(setting.name) == "defrag")
      for (const std::string_view word : {"defer", "defer+madvise"}) known |= setting.value == word;
    if (known) continue;
    return Error("the transparent huge page setting \"" + std::string(setting.name) +
                 "\" is not a value that the kernel knows")
        .with_hint("one of always, madvise, never; for defrag also defer, defer+madvise")
        .with_code(exit_code::kSysctlReload);
  }
  return {};
}

}  // namespace

Result<std::vector<KernelSetting>> huge_page_settings(const Configuration& config) {
  const auto ours = settings(config);
  if (auto checked = check(ours); !checked) return checked.error();
  std::vector<KernelSetting> found;
  for (const Setting& setting : ours) found.push_back({path(kSysfs, setting.name), setting.value});
  return found;
}

Result<NodeFiles> huge_page_files(const Configuration& config, const NodeFacts& facts) {
  const auto ours = settings(config);
  if (ours.empty()) return NodeFiles{};
  if (auto checked = check(ours); !checked) return checked.error();
  NodeFiles files = {edited_file("/etc/sysfs.conf", 0644, sysfs_conf(facts.text("/etc/sysfs.conf"), ours))};
  if (!traits(facts.distro).huge_page_unit) return files;
  files.push_back({"/etc/systemd/system/aks-transparent-hugepage.service", 0644, unit(ours)});
  for (const Setting& setting : ours) files.push_back({path(kValueFolder, setting.name), 0644, setting.value + "\n"});
  return files;
}

std::vector<std::string> stale_huge_page_files(const Configuration& config, const NodeFacts& facts) {
  std::vector<std::string> stale;
  const auto ours = settings(config);
  for (const char* name : {"enabled", "defrag"}) {
    const bool set = std::any_of(ours.begin(), ours.end(),
                                 [name](const Setting& setting) { return std::string_view(setting.name) == name; });
    if (!set && facts.has(path(kValueFolder, name))) stale.push_back(path(kValueFolder, name));
  }
  return stale;
}

}  // namespace sunup::render::node
