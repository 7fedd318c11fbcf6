// NodePool and NodeClaim: the Kubernetes side of what a user wants nodes to be, and one node asked for. Also read from
// the older Provisioner and Machine.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/document.h"
#include "fleet/schema.h"

namespace sunup::fleet {

struct Taint {
  std::string key;
  std::string value;
  std::string effect;

  std::string text() const;  // "key=value:effect"; empty parts fall away with their separator
  bool operator==(const Taint&) const = default;
};

struct Requirement {
  std::string key;
  std::string op;  // In, NotIn, Exists, DoesNotExist, Gt, Lt, Gte, Lte; the key is today's name of the label
  std::vector<std::string> values;

  // Would a node whose label `key` is `value` meet this? Names of VM sizes are compared without their letter case.
  bool allows(const std::optional<std::string>& value) const;
  bool operator==(const Requirement&) const = default;
};

struct NodeClassRef {
  std::string group;
  std::string kind;
  std::string name;
};

// What older NodePools and Provisioners let users say about kubelet; today's have it in the node class.
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
  std::string expire_after;
  std::string termination_grace_period;
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
  std::map<std::string, std::string> requests;  // resources that the pods to come ask for, as quantities
};

std::optional<NodePool> read_node_pool(const Document& doc, Findings& findings);
std::optional<NodeClaim> read_node_claim(const Document& doc, Findings& findings);

// The claim a pool makes when nothing more is asked for. It has the pool's name; a controller gives each its own.
NodeClaim claim_of(const NodePool& pool);

}  // namespace sunup::fleet
