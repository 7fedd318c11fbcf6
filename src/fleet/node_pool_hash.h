// The drift hash of a NodePool: the number in annotation karpenter.sh/nodepool-hash. It covers what nodes are made with
// (labels, annotations, taints, class, lifetime) and not which ones are made (requirements) or when they go.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sunup::fleet {

inline constexpr std::string_view kNodePoolHashAnnotation = "karpenter.sh/nodepool-hash";
inline constexpr std::string_view kNodePoolHashVersionAnnotation = "karpenter.sh/nodepool-hash-version";
inline constexpr std::string_view kNodePoolHashVersion = "v3";

// `spec_template` is the pool's spec.template as the API server holds it, that is with its defaults filled in.
Result<std::string> node_pool_hash(const nlohmann::json& spec_template);

}  // namespace sunup::fleet
