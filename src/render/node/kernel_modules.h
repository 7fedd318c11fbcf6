// Kernel modules: those that a node needs at every boot, and those that it must not load because of a vulnerability in
// its kernel.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

// The modules to load now, in this order: containerd's snapshotter needs overlay, the settings of /etc/sysctl.d need
// the others.
std::vector<std::string_view> modules_to_load(const Configuration& config);

Result<NodeFiles> module_load_files(const Configuration& config, const NodeFacts& facts);

enum class Mitigation : uint8_t { kApply, kRemove, kNone };

// Whether to deny the vulnerable modules, to allow them again because the kernel is fixed, or to keep the image's
// state.
Mitigation module_mitigation(const NodeFacts& facts);

// Modules to unload, if they are loaded, when the mitigation is applied.
const std::vector<std::string_view>& vulnerable_modules();

// `text` of a file of /etc/modprobe.d without the rules that deny these modules. Everything else is preserved byte for
// byte.
std::string without_deny_rules(std::string_view text);

// The deny rules if they apply. If they are to be removed: every file of /etc/modprobe.d that contains them, without
// them.
Result<NodeFiles> module_mitigation_files(const Configuration& config, const NodeFacts& facts);

}  // namespace sunup::render::node
