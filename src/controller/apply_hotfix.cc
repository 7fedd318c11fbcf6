#include "controller/apply_hotfix.h"

#include <fmt/format.h>

#include "base/node_paths.h"
#include "controller/hotfix_pointer.h"
#include "controller/node_custom_data.h"
#include "render/distro.h"

namespace sunup::controller {
namespace {

// The list of the package for this system; empty if there is none.
std::string list_for(const std::string& os_release) {
  const std::string_view name = render::traits(render::identify({os_release}).distro).hotfix_list;
  return name.empty() ? "" : fmt::format("{}/{}", paths::kPackagedHotfixes, name);
}

Result<bool> apply_packaged_list(Node& node) {
  const auto os_release = node.files.read("/etc/os-release");
  if (!os_release) return os_release.error();
  const std::string list = list_for(*os_release);
  if (list.empty()) return false;
  const auto text = node.files.read_if_there(list);
  if (!text) return text.error();
  if (!*text) return false;
  if (auto kept = node.files.write(paths::kEmbeddedCustomData, **text, 0600); !kept) return std::move(kept).error();
  auto applied = apply_custom_data(node, paths::kEmbeddedCustomData, {paths::kStartScript});
  if (!applied) return std::move(applied).error();
  return true;
}

}  // namespace

bool apply_scripts_hotfix(Node& node) {
  const auto text = node.files.read_if_there(paths::kHotfixPointer);
  const auto pointer = !text ? text.error() : *text ? parse_pointer(**text) : Result<HotfixPointer>(HotfixPointer());
  if (!pointer) {
    node.log.warn("failed to read hotfix config, skipping the scripts hotfix", {{"error", pointer.error().what}});
    return false;
  }
  if (!passes_gate(node, pointer->scripts_version, "scripts")) return true;
  if (const auto applied = apply_custom_data(node, paths::kNodeCustomData); !applied) {
    node.log.warn("failed to apply the scripts hotfix", {{"error", applied.error().what}});
    return false;
  }
  node.log.info("scripts hotfix applied", {{"wanted", pointer->scripts_version}});
  return true;
}

bool apply_embedded_hotfix(Node& node) {
  const auto applied = apply_packaged_list(node);
  if (!applied)
    node.log.warn("failed to apply the scripts hotfix of the package", {{"error", applied.error().what}});
  else if (*applied)
    node.log.info("scripts hotfix of the package applied", {{"path", paths::kEmbeddedCustomData}});
  else
    node.log.info("the package has no scripts hotfix for this system");
  return applied.ok();
}

}  // namespace sunup::controller
