// All decisions about a node, each value with its history. Created by a resolver; launch templates, requests and
// explanations are rendered from it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/resolve/bootstrap_variables.h"
#include "fleet/resolve/image_provider.h"
#include "fleet/sources/instance_type.h"
#include "fleet/sources/node_class.h"
#include "fleet/sources/node_pool.h"
#include "fleet/sources/provenance.h"
#include "fleet/sources/requirements.h"
#include "fleet/sources/settings.h"

namespace sunup::fleet {

// How a node gets its configuration, which depends on the generation of its image.
enum class Bootstrap {
  kScriptless,  // Node Bootstrapping Variables in a script; nothing else runs
  kNodeConfig,  // an AKSNodeConfig that aks-node-controller reads, and an extension that waits for it
};

struct OsDisk {
  int size_gb = 128;
  bool ephemeral = false;
  std::string placement;  // of an ephemeral disk
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

struct NodeKind;

struct Resolution {
  std::string vm_name;
  std::string claim;
  std::string pool;
  std::string node_class;
  std::string node_class_hash;
  std::string node_pool_hash;                   // empty for a claim without a pool, or an older pool
  const InstanceType* instance_type = nullptr;  // lives as long as the request
  Origin size_origin;
  Choice capacity_type;  // "on-demand" or "spot"
  Choice zone;           // "eastus-1"; empty: no zone
  Bootstrap bootstrap = Bootstrap::kScriptless;
  Value<std::string> bootstrap_name;  // the name of its bootstrapper, and the source
  Value<std::string> kubernetes_version;
  Value<std::string> subnet_id;
  Value<std::string> os_disk_size;
  BootstrapVariables variables;
  ValueMap kubelet_flags;
  ValueMap labels;
  ValueMap tags;
  Value<std::string> cluster_dns;
  std::vector<std::string> identities;
  Value<std::string> disk_encryption_set;  // its ID; may be empty
  Image image;
  OsDisk os_disk;
  bool local_dns = false;
  bool artifact_streaming = false;
  const NodeClass* from_class = nullptr;  // for settings without a variable; likewise
  const NodePool* from_pool = nullptr;    // may be null; likewise
  const Settings* settings = nullptr;     // of the resolver
  Findings warnings;                      // and notes
  std::shared_ptr<const NodeKind> kind;   // the part shared with nodes of the same pool, class and size
};

}  // namespace sunup::fleet
