// The drift hash of an AKSNodeClass: the number in annotation karpenter.azure.com/aksnodeclass-hash. Two node classes
// have the same hash exactly if a node of one need not be replaced for the other, so existing NodeClaims can be adopted
// without replacing nodes.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sunup::fleet {

inline constexpr std::string_view kNodeClassHashAnnotation = "karpenter.azure.com/aksnodeclass-hash";
inline constexpr std::string_view kNodeClassHashVersionAnnotation = "karpenter.azure.com/aksnodeclass-hash-version";
inline constexpr std::string_view kNodeClassHashVersion = "v3";

// `spec` is the spec as stored by the API server, with its defaults. Tags are ignored.
Result<std::string> node_class_hash(const nlohmann::json& spec);

}  // namespace sunup::fleet
