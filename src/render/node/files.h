// All files that native provisioning writes. A concern is one topic (containerd, the proxy, GPUs ...) and belongs to
// one of the two phases of provisioning, or to both. The first phase makes what can be part of an image; the second
// makes what depends on a cluster or a machine.
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

// Whether this run performs that phase. A run that only prepares an image stops before the second phase; a node that
// boots from such an image skips the first.
bool runs_phase(Phase phase, const Configuration& config, const NodeFacts& facts);

// Sorted by path. If a concern cannot be rendered, the result is the first such error, with the concern's name.
Result<NodeFiles> node_files(const Configuration& config, const NodeFacts& facts);

// A file of kubelet's system extension that starts kubelet (DistroTraits::extension_starts_kubelet).
inline constexpr char kExtensionAutostart[] = "/etc/systemd/system/multi-user.target.d/10-kubelet-kubelet.conf";

// Symbolic links to create, and paths to remove (files or whole directories), sorted.
std::vector<NodeLink> node_links(const Configuration& config, const NodeFacts& facts);
std::vector<std::string> node_removals(const Configuration& config, const NodeFacts& facts);

}  // namespace sunup::render::node
