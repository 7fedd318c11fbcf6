#include "fleet/resolve/constraints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/resolve/test_node.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;

json in(const char* key, std::vector<std::string> values) {
  return {{"key", key}, {"operator", "In"}, {"values", std::move(values)}};
}

TestNode with_requirement(json requirement) {
  TestNode test;
  test.pool["spec"]["template"]["spec"]["requirements"].push_back(std::move(requirement));
  return test;
}

TEST(Requirements, TakeTheFirstZoneAllowedOfTheLocation) {
  const char* const kZone = "topology.kubernetes.io/zone";
  Resolution node = with_requirement(in(kZone, {"westus-1", "eastus-3", "eastus-1"})).resolve();
  EXPECT_EQ(node.zone.value, "eastus-3");
  EXPECT_EQ(*node.labels.find(kZone), "eastus-3");
  EXPECT_EQ(TestNode().resolve().zone.value, "");
  EXPECT_EQ(with_requirement(in(kZone, {"0"})).resolve().zone.value, "");  // not in any
  for (const char* none : {"westus-1", "moon", "eastus", "eastus-9", "eastus-0", "eastus-01"})
    EXPECT_THAT(with_requirement(in(kZone, {none})).try_resolve().error().what, HasSubstr("no such zone of eastus"));
  EXPECT_EQ(with_requirement(in(kZone, {"eastus-9", "eastus-2"})).resolve().zone.value, "eastus-2");
  EXPECT_THAT(with_requirement({{"key", kZone}, {"operator", "Exists"}}).resolve().warnings,
              Contains(Field(&Finding::message, HasSubstr("names no usable zone"))));
}

TEST(Requirements, LetTheListOfSkusSayWhichZonesThereAre) {
  TestNode test = with_requirement(in("topology.kubernetes.io/zone", {"eastus-4"}));
  EXPECT_THAT(test.try_resolve().error().hint, HasSubstr("numbered 1 to 3"));
  test.type = known_instance_type(test.size);
  test.type->offers = {{{"eastus", std::vector<std::string>{"1", "4"}}}};
  EXPECT_EQ(test.resolve().zone.value, "eastus-4");
}

TEST(Requirements, RefuseWhatContradictsTheNode) {
  for (const json& requirement :
       {in("topology.kubernetes.io/region", {"westus"}), in("failure-domain.beta.kubernetes.io/region", {"westus"}),
        in("kubernetes.azure.com/os-sku", {"AzureLinux"}), in("kubernetes.azure.com/fips_enabled", {"true"}),
        in("karpenter.sh/capacity-type", {"reserved"}), in("kubernetes.azure.com/ebpf-dataplane", {"azure"}),
        in("kubernetes.azure.com/cluster", {"other"}), in("karpenter.azure.com/aksnodeclass", {"other"})}) {
    TestNode test = with_requirement(requirement);
    const auto resolved = test.try_resolve();
    ASSERT_FALSE(resolved) << requirement.dump();
    EXPECT_THAT(resolved.error().what, HasSubstr("claim default: nodepool"));
  }
  for (const json& requirement :
       {in("topology.kubernetes.io/region", {"westus", "eastus"}), in("kubernetes.azure.com/os-sku", {"Ubuntu"}),
        in("kubernetes.azure.com/fips_enabled", {"false"}), in("kubernetes.azure.com/mode", {"system"}),
        in("example.com/team", {"web"})})
    EXPECT_TRUE(with_requirement(requirement).try_resolve()) << requirement.dump();
}

TEST(Requirements, LetThePriorityLabelsChooseTheCapacityType) {
  TestNode test = with_requirement(in("kubernetes.azure.com/scalesetpriority", {"spot"}));
  EXPECT_EQ(test.resolve().capacity_type.value, "spot");
  test.pool["spec"]["template"]["spec"]["requirements"].push_back(in("karpenter.sh/capacity-type", {"on-demand"}));
  EXPECT_FALSE(test.try_resolve());
  EXPECT_EQ(with_requirement({{"key", "karpenter.sh/capacity-type"}, {"operator", "NotIn"}, {"values", {"on-demand"}}})
                .resolve()
                .capacity_type.value,
            "spot");
}

TEST(Requirements, LetLabelsSayWhatToMake) {
  TestNode test;
  test.pool["spec"]["template"]["metadata"]["labels"] = {{"karpenter.sh/capacity-type", "spot"}};
  EXPECT_EQ(test.resolve().capacity_type.value, "spot");
  test.pool["spec"]["template"]["metadata"]["labels"] = {{"topology.kubernetes.io/region", "westus"}};
  EXPECT_FALSE(test.try_resolve());
}

}  // namespace
}  // namespace sunup::fleet
