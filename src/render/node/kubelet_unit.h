// The units that start kubelet, in the first boot and later: the image's unit, with one native helper in place of the
// shell scripts that it runs before kubelet. docs/decisions/0003-kubelet-prestart.md gives the reasons.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

// Provisioning leaves this mark when it has just done the helper's work, and the helper removes it: the first start
// then only waits for containerd's socket, and every later one does all the work. It is below /run, so a reboot removes
// it.
inline constexpr std::string_view kPrestartDone = "/run/aks-node-controller/kubelet-prestart.done";

// A unit's text without any ordering or dependency on `unit`. A drop-in cannot remove dependencies.
std::string without_dependency(std::string_view unit_text, std::string_view unit);

// kubelet's unit and the drop-in that replaces its pre-start commands. Persistent.
Result<NodeFiles> kubelet_unit_files(const Configuration& config, const NodeFacts& facts);

// Files below /run for the boot that provisions the node. They order containerd, kubelet and the units that kubelet
// follows only after the units they need, and not after all of early boot, which waits for cloud-init. They are
// drop-ins; if the unit of containerd's package is ordered after the message bus, also a copy of that unit without this
// ordering.
Result<NodeFiles> first_boot_files(const Configuration& config, const NodeFacts& facts);

// The unit that the first boot has such a copy of; empty if there is none. The unit is enabled by this path, because by
// its name systemd would link to the copy, which does not exist in the next boot.
std::string containerd_unit_behind_copy(const NodeFacts& facts);

}  // namespace sunup::render::node
