// NodePool and NodeClaim: the Kubernetes settings of nodes, and one requested node. Also read from the older
// Provisioner and Machine.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fleet/sources/crd_rules.h"
#include "fleet/sources/document.h"

namespace sunup::fleet {

struct Taint {
  std::string key;
  std::string value;
  std::string effect;

  std::string text() const;  // "key=value:effect"; empty parts are omitted with their separator
  auto operator<=>(const Taint&) const = default;
};

struct Requirement {
  std::string key;
  std::string op;  // In, NotIn, Exists, DoesNotExist, Gt, Lt, Gte, Lte; the key is the current name of the label
  std::vector<std::string> values;

  // Whether a node with the label `key`=`value` meets this. Names of VM sizes are compared case-insensitively.
  bool allows(const std::optional<std::string>& value) const;
  bool operator==(const Requirement&) const = default;
};

// "karpenter.sh/capacity-type In [spot]"
std::string describe(const Requirement& requirement);

struct NodeClassRef {
  std::string group;
  std::string kind;
  std::string name;
};

// The kubelet settings of older NodePools and Provisioners; current ones have them in the node class.
struct PoolKubelet {
  std::vector<std::string> cluster_dns;
  std::optional<int> max_pods;
  std::optional<int> pods_per_core;
  std::map<std::string, std::string> system_reserved;
  std::map<std::string, std::string> kube_reserved;
  std::map<std::string, std::string> eviction_hard;
  std::map<std::string, std::string> eviction_soft;
  std::map<std::string, std::string> eviction_soft_grace_period;
  std::optional<int> eviction_max_pod_grace_period;
  std::optional<int> image_gc_high_threshold_percent;
  std::optional<int> image_gc_low_threshold_percent;
  std::optional<bool> cpu_cfs_quota;
};

struct NodePool {
  std::string name;
  std::map<std::string, std::string> labels;
  std::vector<Requirement> requirements;
  std::vector<Taint> taints;
  std::vector<Taint> startup_taints;
  NodeClassRef node_class;
  std::optional<PoolKubelet> kubelet;
  std::string hash;  // of the template with its defaults; an older pool has none
};

struct NodeClaim {
  std::string name;
  std::string pool;  // the label karpenter.sh/nodepool
  std::map<std::string, std::string> labels;
  std::vector<Requirement> requirements;
  std::vector<Taint> taints;
  std::vector<Taint> startup_taints;
  NodeClassRef node_class;
  std::map<std::string, std::string> requests;  // resource requests of the pending pods, as quantities
};

std::optional<NodePool> read_node_pool(const Document& doc, Findings& findings);
std::optional<NodeClaim> read_node_claim(const Document& doc, Findings& findings);

// The default claim of a pool. It has the pool's name; a controller gives each claim its own name.
NodeClaim claim_of(const NodePool& pool);

}  // namespace sunup::fleet
