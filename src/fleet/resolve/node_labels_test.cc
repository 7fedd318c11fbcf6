#include "fleet/resolve/node_labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/resolve/test_node.h"
#include "fleet/sources/patterns.h"

namespace sunup::fleet {
namespace {

using ::testing::HasSubstr;

TEST(NodeLabels, AValueThatNoLabelCanHaveIsLeftOutAndItsSourceNamed) {
  TestNode test;
  test.settings["vnet-subnet-id"] =
      fmt::format("/subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/virtualNetworks/v/subnets/{}",
                  std::string(80, 's'));
  test.settings["node-resource-group"] = "-rg";
  const Resolution node = test.resolve();
  node.labels.each([](const std::string& key, const Value<std::string>& value) {
    EXPECT_TRUE(contract::is_label_value(*value)) << key;
  });
  EXPECT_EQ(node.labels.find("kubernetes.azure.com/network-subnet"), nullptr);
  EXPECT_EQ(node.labels.find("kubernetes.azure.com/cluster"), nullptr);
  const std::string warnings = describe(node.warnings, Severity::kWarning);
  EXPECT_THAT(warnings, HasSubstr("label kubernetes.azure.com/network-subnet: 'sss"));
  EXPECT_THAT(warnings, HasSubstr("computed (the subnet ID)"));
  EXPECT_THAT(warnings, HasSubstr("label kubernetes.azure.com/cluster: '-rg' from settings (node-resource-group)"));
}

}  // namespace
}  // namespace sunup::fleet
