#include "contract/nearest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aksnodeconfig/v1/network.pb.h"

namespace sunup::contract {
namespace {

TEST(Nearest, CountsSlipsOfThePen) {
  EXPECT_EQ(name_distance("vm_size", "vm_size"), 0u);
  EXPECT_EQ(name_distance("vmSize", "vm_size"), 0u);
  EXPECT_EQ(name_distance("VM-SIZE", "vm_size"), 0u);
  EXPECT_EQ(name_distance("vmsiez", "vm_size"), 1u);
  EXPECT_EQ(name_distance("subnett", "subnet"), 1u);
  EXPECT_EQ(name_distance("", "abc"), 3u);
  EXPECT_EQ(name_distance("kitten", "sitting"), 3u);
}

TEST(Nearest, SuggestsOnlyWhatCouldBeASlip) {
  EXPECT_EQ(nearest("kubelet_confg", {"kubelet_config", "kube_binary_config"}), "kubelet_config");
  EXPECT_EQ(nearest("zzz", {"kubelet_config", "vm_size"}), std::nullopt);
  EXPECT_EQ(nearest("", {"a"}), std::nullopt);
  EXPECT_EQ(nearest(std::string(10000, 'a'), {"a"}), std::nullopt);
}

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
