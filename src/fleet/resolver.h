// From configuration sources to everything one node needs to know, each value with its history. The same inputs give
// the same resolution, always.
//
//   Resolver resolver(settings, detected, image_provider);
//   auto node = resolver.resolve({&pool, &node_class, &claim, &instance_type});
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "fleet/bootstrap_variables.h"
#include "fleet/detected.h"
#include "fleet/image_provider.h"
#include "fleet/instance_type.h"
#include "fleet/node_class.h"
#include "fleet/node_pool.h"
#include "fleet/provenance.h"
#include "fleet/requirements.h"
#include "fleet/settings.h"

namespace sunup::fleet {

// How a node is told what it is: which generation of images it starts from.
enum class Bootstrap {
  kScriptless,  // Node Bootstrapping Variables in a script; nothing else runs
  kNodeConfig,  // an AKSNodeConfig that aks-node-controller reads, and an extension that waits for it
};

struct Request {
  const NodePool* pool = nullptr;  // may be null: a claim can stand alone
  const NodeClass* node_class = nullptr;
  const NodeClaim* claim = nullptr;
  const InstanceType* instance_type = nullptr;
};

struct OsDisk {
  int size_gb = 128;
  bool ephemeral = false;
  std::string placement;  // of an ephemeral disk
};

// A node's VM is called by its claim.
inline std::string vm_name(std::string_view claim) {
  return std::string("aks-").append(claim);
}

// May a claim of this name have a VM? The computer is called like it, and the label that holds a host's name takes 63
// characters.
inline bool fits_vm_name(std::string_view claim) {
  return sizeof("aks-") - 1 + claim.size() <= 63;
}

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
  Choice zone;           // "eastus-1"; empty: wherever there is room
  Bootstrap bootstrap = Bootstrap::kScriptless;
  Value<std::string> bootstrap_name;  // as its bootstrapper is called, and who chose it
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
  const NodeClass* from_class = nullptr;  // for what the variables have no field for; likewise
  const NodePool* from_pool = nullptr;    // may be null; likewise
  const Settings* settings = nullptr;     // the resolver's
  Findings warnings;                      // and notes
};

class Resolver {
 public:
  Resolver(Settings settings, Detected detected, ImageProvider images);

  const Settings& settings() const { return settings_; }
  Bootstrap bootstrap() const { return bootstrap_; }
  // Overrides what provision-mode says; `where` names who does.
  void set_bootstrap(Bootstrap bootstrap, std::string_view where = "--bootstrap");

  Result<Resolution> resolve(const Request& request) const;
  // Why there is no image for a node of this size; empty when there is one, and when the reason is not the size.
  std::string why_no_image(const NodeClass& node_class, const InstanceType& type) const;

 private:
  ImageQuery image_query(const NodeClass& node_class, const InstanceType& type, std::string_view version) const;

  Settings settings_;
  Detected detected_;
  ImageProvider images_;
  Bootstrap bootstrap_;
  Value<std::string> bootstrap_name_;
  BootstrapVariables cluster_variables_;  // what is the same for every node of the cluster
  std::vector<std::string> identities_;
};

}  // namespace sunup::fleet
