// Node memory hardening: kubelet and containerd in a slice of their own, so that pods cannot starve them. The config
// names the cgroups; only two names are supported, because units and accounting are made for these.
#pragma once

#include <string>

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

struct ReservedCgroups {
  std::string kube;  // as the config has it; empty: not reserved
  std::string system;
  bool any() const { return !kube.empty() || !system.empty(); }
};

// From the kubelet's config file if there is one, else from its flags.
ReservedCgroups reserved_cgroups(const Configuration& config);

// "/kubereserved.slice" when hardened, else "/system.slice": where containerd runs.
std::string_view runtime_slice(const Configuration& config);

// The slice and the drop-ins that put both services into it; nothing when nothing is reserved. Fails (exit code 34) on
// an unsupported name and without cgroups version 2.
Result<NodeFiles> reserved_cgroup_files(const Configuration& config, const NodeFacts& facts);

}  // namespace sunup::render::node
