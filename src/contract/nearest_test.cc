#include "contract/nearest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aksnodeconfig/v1/network.pb.h"

namespace sunup::contract {
namespace {

TEST(Nearest, FindsAFieldInTheWrongPlace) {
  EXPECT_EQ(nearest_field_hint("maxPods", configuration_fields()),
            "there is \"kubelet_config.kubelet_config_file_config.max_pods\"; is it in the wrong place?");
  EXPECT_EQ(nearest_field_hint("qqqqqq", configuration_fields()), "");
}

TEST(Nearest, KnowsAnEnumsValueWithoutItsPrefix) {
  const EnumType* type = field_at("network_config.network_plugin")->enumeration;
  EXPECT_EQ(nearest_enum_hint("azure", *type), "did you mean \"NETWORK_PLUGIN_AZURE\"?");
  EXPECT_EQ(nearest_enum_hint("None", *type), "did you mean \"NETWORK_PLUGIN_NONE\"?");
  EXPECT_THAT(nearest_enum_hint("calico", *type), testing::StartsWith("known values: "));
}

}  // namespace
}  // namespace sunup::contract
