// From configuration sources to everything one node needs to know, each value with its history. The same inputs give
// the same resolution, always.
//
//   Resolver resolver(settings, detected, image_provider);
//   auto node = resolver.resolve({&pool, &node_class, &claim, &instance_type});
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "fleet/bootstrap_variables.h"
#include "fleet/image_provider.h"
#include "fleet/instance_type.h"
#include "fleet/node_class.h"
#include "fleet/node_pool.h"
#include "fleet/provenance.h"
#include "fleet/settings.h"

namespace sunup::fleet {

// What was found out by asking the cluster.
struct Detected {
  std::optional<std::string> kubernetes_version;  // without the leading v
  std::optional<std::string> ca_bundle;           // base64 of the PEM text
  std::optional<std::string> dns_service_ip;
};

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

struct Resolution {
  std::string vm_name;  // aks-{claim}
  std::string claim;
  std::string pool;
  std::string node_class;
  std::string node_class_hash;
  InstanceType instance_type;
  std::string capacity_type;
  Bootstrap bootstrap = Bootstrap::kScriptless;
  Value<std::string> kubernetes_version;
  Value<std::string> subnet_id;
  Value<std::string> os_disk_size;
  BootstrapVariables variables;
  ValueMap kubelet_flags;
  ValueMap labels;
  ValueMap tags;
  Value<std::string> cluster_dns;
  std::vector<std::string> identities;
  Image image;
  OsDisk os_disk;
  bool local_dns = false;
  bool artifact_streaming = false;
  const NodeClass* from_class = nullptr;  // for what the variables have no field for; lives as long as the request
  Findings warnings;
};

class Resolver {
 public:
  Resolver(Settings settings, Detected detected, ImageProvider images);

  const Settings& settings() const { return settings_; }
  Bootstrap bootstrap() const { return bootstrap_; }
  // Overrides what provision-mode says.
  void set_bootstrap(Bootstrap bootstrap) { bootstrap_ = bootstrap; }

  Result<Resolution> resolve(const Request& request) const;

  // Which of `types` the claim can be made of: the first that meets its requirements; the Error says why none does.
  Result<const InstanceType*> choose(const Request& request, const std::vector<InstanceType>& types) const;

 private:
  Result<Value<std::string>> kubernetes_version(const NodeClass& node_class) const;

  Settings settings_;
  Detected detected_;
  ImageProvider images_;
  Bootstrap bootstrap_;
  BootstrapVariables cluster_variables_;  // what is the same for every node of the cluster
};

}  // namespace sunup::fleet
