// The drift hash of an AKSNodeClass: the number in annotation karpenter.azure.com/aksnodeclass-hash. Two node classes
// have the same hash exactly when a node made from one need not be replaced because of the other, so live NodeClaims
// can be taken over without replacing a single node.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sunup::fleet {

inline constexpr std::string_view kNodeClassHashAnnotation = "karpenter.azure.com/aksnodeclass-hash";
inline constexpr std::string_view kNodeClassHashVersionAnnotation = "karpenter.azure.com/aksnodeclass-hash-version";
inline constexpr std::string_view kNodeClassHashVersion = "v3";

// `spec` is the object's spec as the API server holds it, that is with its defaults filled in. Tags do not count.
Result<std::string> node_class_hash(const nlohmann::json& spec);

}  // namespace sunup::fleet
