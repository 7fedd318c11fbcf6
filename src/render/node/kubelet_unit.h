// How kubelet is started, now and at every later start: the image's unit, with its shell scripts before kubelet
// replaced by one native helper. docs/decisions/0003-kubelet-prestart.md says why it is made like this.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

// The helper finds this when the same boot's provisioning has just done its work, and uses it up: the first start only
// waits for containerd's socket, every later one does the whole work. Below /run, so that a reboot takes it away.
inline constexpr std::string_view kPrestartDone = "/run/aks-node-controller/kubelet-prestart.done";

// A unit's text without any ordering on, or wish for, `unit`. Dependencies cannot be taken back by a drop-in.
std::string without_dependency(std::string_view unit_text, std::string_view unit);

// kubelet's unit and the drop-in that replaces what runs before it. Persistent.
Result<NodeFiles> kubelet_unit_files(const Configuration& config, const NodeFacts& facts);

// Files for the boot that provisions the node, below /run: containerd, kubelet and what kubelet comes after are ordered
// behind what they need, and not behind the whole of early boot, which waits for cloud-init. Drop-ins, and where the
// unit of containerd's package is ordered after the message bus, a copy of it without that.
Result<NodeFiles> first_boot_files(const Configuration& config, const NodeFacts& facts);

// The unit that the first boot has such a copy of; empty: none. It is enabled by this path: by its name systemd would
// link the copy, which the next boot does not have.
std::string containerd_unit_behind_copy(const NodeFacts& facts);

}  // namespace sunup::render::node
