#include "fleet/sources/node_pool_hash.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/fnv.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;

json base() {
  return json::parse(R"({
    "metadata": {"labels": {"team": "web"}, "annotations": {"a": "b"}},
    "spec": {"taints": [{"key": "k", "effect": "NoExecute"}, {"key": "l", "value": "v", "effect": "NoSchedule"}],
             "nodeClassRef": {"group": "karpenter.azure.com", "kind": "AKSNodeClass", "name": "default"},
             "terminationGracePeriod": "5m", "expireAfter": "720h",
             "requirements": [{"key": "x", "operator": "Exists"}]}})");
}

std::string hash_with(const char* change) {
  json pool = base();
  pool.merge_patch(json::parse(change));
  return *node_pool_hash(pool);
}

// Computed by hand from the description of the hash, for a template with only a lifetime.
TEST(NodePoolHash, FollowsTheDescriptionOfTheHash) {
  const auto bytes = [](uint64_t value) {
    std::string text;
    for (int i = 0; i < 8; ++i) text += static_cast<char>(value >> (8 * i));
    return text;
  };
  const auto field = [&](uint64_t record, const char* name, uint64_t value) {
    return fnv1_64(bytes(record ^ fnv1_64(bytes(fnv1_64(name)) + bytes(value))));
  };
  const uint64_t number = fnv1_64(bytes(uint64_t{720} * 3600 * 1000000000));
  const uint64_t expiry = field(fnv1_64("NillableDuration"), "Duration", number);
  const uint64_t spec = field(fnv1_64("NodeClaimTemplateSpec"), "ExpireAfter", expiry);
  const uint64_t whole = field(fnv1_64("NodeClaimTemplate"), "Spec", spec);
  EXPECT_EQ(*node_pool_hash({{"metadata", json::object()}, {"spec", {{"expireAfter", "720h"}}}}),
            std::to_string(whole));
}

TEST(NodePoolHash, ChangesWithWhatNodesAreMadeWith) {
  for (const char* change :
       {R"({"metadata": {"labels": {"team": "api"}}})", R"({"metadata": {"labels": {"more": "x"}}})",
        R"({"metadata": {"annotations": {"a": "c"}}})", R"({"spec": {"taints": []}})",
        R"({"spec": {"startupTaints": [{"key": "s", "effect": "NoSchedule"}]}})",
        R"({"spec": {"nodeClassRef": {"name": "other"}}})", R"({"spec": {"terminationGracePeriod": "6m"}})",
        R"({"spec": {"expireAfter": "1h"}})", R"({"spec": {"expireAfter": "Never"}})"})
    EXPECT_NE(hash_with(change), hash_with("{}")) << change;
}

TEST(NodePoolHash, DoesNotChangeWithRequirementsOrder_OrEmptyValues) {
  EXPECT_EQ(hash_with(R"({"spec": {"requirements": []}})"), hash_with("{}"));
  json swapped = base();
  std::swap(swapped["spec"]["taints"][0], swapped["spec"]["taints"][1]);
  EXPECT_EQ(*node_pool_hash(swapped), hash_with("{}"));
  json empty = base();
  empty["spec"]["taints"][0]["value"] = "";
  EXPECT_EQ(*node_pool_hash(empty), hash_with("{}"));
}

TEST(NodePoolHash, WritesTheSameDurationInAnyUnit) {
  EXPECT_EQ(hash_with(R"({"spec": {"expireAfter": "43200m", "terminationGracePeriod": "300s"}})"), hash_with("{}"));
}

TEST(NodePoolHash, NamesTheFieldThatHasTheWrongType) {
  json pool = base();
  pool["spec"]["taints"][0] = "k";
  EXPECT_EQ(node_pool_hash(pool).error().what, "spec.template.spec.taints[0]: must be an object");
}

}  // namespace
}  // namespace sunup::fleet
