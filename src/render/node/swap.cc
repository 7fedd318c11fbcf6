#include "render/node/swap.h"

#include <algorithm>

#include "base/exit_code.h"
#include "base/node_paths.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "render/node/unit_text.h"

namespace sunup::render::node {
namespace {

constexpr char kSwapScript[] = "/opt/azure/containers/aks-swapfile.sh";

// Blanks in a path as fstab and mountinfo escape them.
std::string fstab_path(std::string_view path) {
  std::string out;
  for (const char c : path) {
    if (c == ' ') {
      out += "\\040";
    } else if (c == '\t') {
      out += "\\011";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

bool wants_swap(const Configuration& config) {
  const auto& os = config.custom_linux_os_config();
  return os.enable_swap_config() && os.swap_file_size() > 0;
}

Result<SwapFile> choose_swap_file(const Configuration& config, const DiskSpace& space) {
  const uint64_t size = static_cast<uint64_t>(std::max(config.custom_linux_os_config().swap_file_size(), 0)) * 1000;
  if (space.temp_disk_mount && space.temp_disk_free_kib && *space.temp_disk_free_kib > size) {
    const std::string& mount = *space.temp_disk_mount;
    return SwapFile{(mount.ends_with('/') ? mount : mount + "/") + "swapfile", size};
  }
  if (space.root_free_kib && *space.root_free_kib > size) return SwapFile{"/swapfile", size};
  return Error("no disk has room for a swap file of " + std::to_string(size / 1000) + " MB")
      .with_hint("use a larger OS disk, or a smaller custom_linux_os_config.swap_file_size")
      .with_code(exit_code::kSwapCreateInsufficientDiskSpace);
}

std::string fstab_with_swap(std::string_view fstab, std::string_view path) {
  const std::string entry = fstab_path(path);
  std::string out;
  while (!fstab.empty()) {
    const std::string_view line = take_until(fstab, '\n');
    const auto fields = unicode::words(line);
    if (fields.empty() || fields[0] != entry) out.append(line).append("\n");
  }
  return out.append(entry).append(" none swap noauto,nofail 0 0\n");
}

NodeFiles swap_files(const SwapFile& swap, const NodeFacts& facts) {
  const std::string folder = swap.path.substr(0, std::max<size_t>(swap.path.rfind('/'), 1));
  UnitText text;
  text.section("Unit")
      .set("Description", "Swap file of this node's config")
      .set("After", "local-fs.target")
      .set("Before", "kubelet.service")
      .set("RequiresMountsFor", "\"" + unit_quoted(folder) + "\"")
      .set("ConditionPathExists", swap.path)
      .section("Service")
      .set("Type", "oneshot")
      .set("RemainAfterExit", "yes")
      .set("ExecStart", kSwapScript)
      .section("Install")
      .set("WantedBy", "multi-user.target");
  // swapon fails if the file is already active, and the unit would then be reported as failed.
  std::string script = "#!/bin/sh\n# Turns this node's swap file on, unless it is on already.\n";
  script += "while read -r file rest; do\n  [ \"$file\" = ";
  append_shell_word(script, fstab_path(swap.path), ShellQuoting::kSingle);
  script += " ] && exit 0\ndone </proc/swaps\nexec swapon ";
  append_shell_word(script, swap.path, ShellQuoting::kSingle);
  script += '\n';
  return {edited_file(paths::kFstab, facts.mode(paths::kFstab), fstab_with_swap(facts.text(paths::kFstab), swap.path)),
          {kSwapScript, 0755, std::move(script)},
          {"/etc/systemd/system/aks-swapfile.service", 0644, std::move(text).take()}};
}

Result<NodeFiles> swap_persistence_files(const Configuration& config, const NodeFacts& facts) {
  if (!wants_swap(config)) return NodeFiles{};
  if (!facts.disks) return swap_files({"/swapfile", 0}, facts);
  auto chosen = choose_swap_file(config, *facts.disks);
  if (!chosen) return chosen.error();
  return swap_files(*chosen, facts);
}

bool is_active_swap(std::string_view swaps, std::string_view path) {
  while (!swaps.empty()) {
    const auto fields = unicode::words(take_until(swaps, '\n'));
    if (!fields.empty() && fields[0] == path) return true;
  }
  return false;
}

}  // namespace sunup::render::node
