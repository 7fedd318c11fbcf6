// Kernel modules: the ones a node needs at every boot, and the ones it must not load because its kernel has a hole
// there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

// To be loaded now, in this order: containerd's snapshots need overlay, the settings of /etc/sysctl.d the others.
std::vector<std::string_view> modules_to_load(const Configuration& config);

Result<NodeFiles> module_load_files(const Configuration& config, const NodeFacts& facts);

enum class Mitigation : uint8_t { kApply, kRemove, kNone };

// Deny the vulnerable modules, allow them again because the kernel is fixed, or leave things as the image has them.
Mitigation module_mitigation(const NodeFacts& facts);

// Modules to unload, if they are loaded, when the mitigation is applied.
const std::vector<std::string_view>& vulnerable_modules();

// `text` of a file of /etc/modprobe.d without the rules that deny these modules; everything else stays byte for byte.
std::string without_deny_rules(std::string_view text);

// The deny rules when they apply; when they are to go, every file of /etc/modprobe.d that loses lines.
Result<NodeFiles> module_mitigation_files(const Configuration& config, const NodeFacts& facts);

}  // namespace sunup::render::node
