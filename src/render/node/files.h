// Everything native provisioning writes, together. A concern is one subject (containerd, the proxy, GPUs ...) and
// belongs to one of the two phases of provisioning, or to both: what an image may carry is made in the first; what
// belongs to a cluster or a machine in the second.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

enum class Phase : uint8_t { kBasePrep, kNodePrep, kBoth };

struct Concern {
  std::string_view name;
  Phase phase;
  Result<NodeFiles> (*files)(const Configuration& config, const NodeFacts& facts);
};

std::span<const Concern> concerns();

// Does this run do that phase? A run that only prepares an image stops before the second; a node that boots from such
// an image has the first behind it.
bool runs_phase(Phase phase, const Configuration& config, const NodeFacts& facts);

// Sorted by path. The error of the first concern that cannot be made, with its name.
Result<NodeFiles> node_files(const Configuration& config, const NodeFacts& facts);

// A file of kubelet's system extension that starts kubelet (DistroTraits::extension_starts_kubelet).
inline constexpr char kExtensionAutostart[] = "/etc/systemd/system/multi-user.target.d/10-kubelet-kubelet.conf";

// Symbolic links that are made, and paths that are removed (files or whole folders), sorted.
std::vector<NodeLink> node_links(const Configuration& config, const NodeFacts& facts);
std::vector<std::string> node_removals(const Configuration& config, const NodeFacts& facts);

}  // namespace sunup::render::node
