// The swap file: its place, and the unit that activates it after a reboot.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

bool wants_swap(const Configuration& config);

struct SwapFile {
  std::string path;
  uint64_t size_kib = 0;
  bool operator==(const SwapFile&) const = default;
};

// The temporary disk if it has enough space, otherwise the OS disk; exit code 131 if neither has.
Result<SwapFile> choose_swap_file(const Configuration& config, const DiskSpace& space);

// /etc/fstab with exactly one entry for the file, at the end.
std::string fstab_with_swap(std::string_view fstab, std::string_view path);

// The unit with a script that activates it at boot, before kubelet; and the edited fstab.
NodeFiles swap_files(const SwapFile& swap, const NodeFacts& facts);

// The same for the place that follows from `facts`; the OS disk if the facts do not contain the disks.
Result<NodeFiles> swap_persistence_files(const Configuration& config, const NodeFacts& facts);

// Whether /proc/swaps lists exactly this file.
bool is_active_swap(std::string_view swaps, std::string_view path);

}  // namespace sunup::render::node
