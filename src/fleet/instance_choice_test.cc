#include "fleet/instance_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/test_node.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(ChooseInstanceType, TakesTheFirstThatMeetsTheRequirementsAndSaysWhyOthersDoNot) {
  TestNode test;
  test.pool["spec"]["template"]["spec"]["requirements"] = json::parse(R"([
    {"key": "karpenter.azure.com/sku-cpu", "operator": "Gt", "values": ["3"]},
    {"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]},
    {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["eastus-1"]}])");
  std::vector<InstanceType> types = {*known_instance_type("Standard_D2s_v5"), *known_instance_type("Standard_D8ps_v5")};
  EXPECT_THAT(test.try_choose(types).error().what,
              AllOf(HasSubstr("Standard_D2s_v5 does not meet the requirement on karpenter.azure.com/sku-cpu"),
                    HasSubstr("Standard_D8ps_v5 does not meet the requirement on kubernetes.io/arch")));
  types.push_back(*known_instance_type("Standard_D4s_v5"));
  EXPECT_EQ(test.try_choose(types).value(), "Standard_D4s_v5");
}

}  // namespace
}  // namespace sunup::fleet
