// Node memory hardening: kubelet and containerd run in a slice of their own, so that pods cannot starve them. The
// config names the cgroups; only two names are supported, because units and accounting exist only for these.
#pragma once

#include <string>

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

struct ReservedCgroups {
  std::string kube;  // as in the config; empty if not reserved
  std::string system;
  bool any() const { return !kube.empty() || !system.empty(); }
};

// Read from kubelet's config file if there is one, otherwise from its flags.
ReservedCgroups reserved_cgroups(const Configuration& config);

// The slice in which containerd runs: "/kubereserved.slice" with hardening, otherwise "/system.slice".
std::string_view runtime_slice(const Configuration& config);

// The slice and the drop-ins that place both services in it; empty if nothing is reserved. An error (exit code 34) for
// an unsupported name and without cgroups version 2.
Result<NodeFiles> reserved_cgroup_files(const Configuration& config, const NodeFacts& facts);

}  // namespace sunup::render::node
