// All decisions about a node, as typed values with their history. The room `launch` renders variables, configs, launch
// templates and explanations from them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/resolve/cluster.h"
#include "fleet/resolve/constraints.h"
#include "fleet/resolve/downloads.h"
#include "fleet/resolve/image_provider.h"
#include "fleet/sources/gpu.h"
#include "fleet/sources/instance_type.h"
#include "fleet/sources/node_class.h"
#include "fleet/sources/node_pool.h"
#include "fleet/sources/patterns.h"
#include "fleet/sources/provenance.h"
#include "fleet/sources/settings.h"

namespace sunup::fleet {

// How a node gets its configuration, which depends on the generation of its image.
enum class Bootstrap {
  kScriptless,  // Node Bootstrapping Variables in a script; nothing else runs
  kNodeConfig,  // an AKSNodeConfig that aks-node-controller reads, and an extension that waits for it
};

constexpr std::string_view bootstrap_name(Bootstrap bootstrap) {
  return bootstrap == Bootstrap::kNodeConfig ? "nodeconfig" : "scriptless";
}

struct OsDisk {
  int size_gb = 128;
  bool ephemeral = false;
  std::string placement;  // of an ephemeral disk
};

// The common part of all nodes of a pool, node class and instance type. It is computed once, shared and immutable. The
// pointers refer to the objects of the request and to the resolver, which must outlive it.
struct NodeKind {
  std::string pool;
  std::string node_class;
  std::string node_class_hash;
  std::string node_pool_hash;  // empty for a claim without a pool, or an older pool
  const InstanceType* instance_type = nullptr;
  const NodeClass* from_class = nullptr;
  const NodePool* from_pool = nullptr;  // may be null
  const Settings* settings = nullptr;
  const Cluster* cluster = nullptr;
  Bootstrap bootstrap = Bootstrap::kScriptless;
  Value<std::string> bootstrap_name;
  Value<std::string> kubernetes_version;
  Value<std::string> subnet_id;
  SubnetId subnet;  // the parts of subnet_id
  Value<std::string> os_disk_size;
  OsDisk os_disk;
  Value<std::string> disk_encryption_set;  // its ID; may be empty
  Value<std::string> cluster_dns;
  NodeImage image;
  Downloads downloads;
  std::optional<GpuDriverImage> gpu_driver;  // of a size with an NVIDIA GPU, unless the class disables it
  bool local_dns = false;
  bool artifact_streaming = false;
  ValueMap kubelet_flags;  // without the taints, which depend on the claim
  ValueMap labels;
  std::vector<std::string> unfit_labels;  // labels that are invalid unless the claim replaces them
  ValueMap tags;
  std::vector<std::string> identities;
  Findings findings;  // warnings and notes
};

// A node: its kind, and the values that depend on its claim.
struct Resolution {
  std::shared_ptr<const NodeKind> kind;
  std::string claim;
  std::string vm_name;
  Origin size_origin;
  Choice capacity_type;    // "on-demand" or "spot"
  Choice zone;             // "eastus-1"; empty: no zone
  ValueMap kubelet_flags;  // extends the flags of the kind
  ValueMap labels;         // likewise
  Findings warnings;       // and notes, with those of the kind
};

// The name of a node's VM, from its claim.
inline std::string vm_name(std::string_view claim) {
  return std::string("aks-").append(claim);
}

// Whether a claim of this name can have a VM: the computer name is derived from it, and the host name label is limited
// to 63 characters.
inline bool fits_vm_name(std::string_view claim) {
  return sizeof("aks-") - 1 + claim.size() <= 63;
}

}  // namespace sunup::fleet
