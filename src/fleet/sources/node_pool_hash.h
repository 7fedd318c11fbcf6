// The drift hash of a NodePool: the number in annotation karpenter.sh/nodepool-hash. It covers the properties of nodes
// (labels, annotations, taints, class, lifetime), but not their selection (requirements) or disruption.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sunup::fleet {

inline constexpr std::string_view kNodePoolHashAnnotation = "karpenter.sh/nodepool-hash";
inline constexpr std::string_view kNodePoolHashVersionAnnotation = "karpenter.sh/nodepool-hash-version";
inline constexpr std::string_view kNodePoolHashVersion = "v3";

// `spec_template` is the pool's spec.template as stored by the API server, with its defaults.
Result<std::string> node_pool_hash(const nlohmann::json& spec_template);

}  // namespace sunup::fleet
