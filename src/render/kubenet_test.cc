#include "render/kubenet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "base/text.h"

namespace sunup::render {
namespace {

using namespace aksnodeconfig::v1;  // NOLINT(google-build-using-namespace): enum names

TEST(KubenetBridge, IsForKubenetUnlessCalicoDoesThePolicy) {
  NetworkConfig network;
  network.set_network_plugin(NETWORK_PLUGIN_KUBENET);
  EXPECT_TRUE(needs_kubenet_bridge(network));
  network.set_network_policy(NETWORK_POLICY_AZURE);
  EXPECT_TRUE(needs_kubenet_bridge(network));
  network.set_network_policy(NETWORK_POLICY_CALICO);
  EXPECT_FALSE(needs_kubenet_bridge(network));
  network.set_network_plugin(NETWORK_PLUGIN_AZURE);
  network.set_network_policy(NETWORK_POLICY_NONE);
  EXPECT_FALSE(needs_kubenet_bridge(network));
}

TEST(KubenetTemplate, HasTheKnownLengthWithoutWhiteSpace) {
  EXPECT_EQ(unicode::without_white_space(kubenet_template()).size(), 483U);
}

TEST(KubenetTemplate, IsJsonOnceTheTemplatePartsAreFilledIn) {
  std::string filled(kubenet_template());
  const auto replace = [&](std::string_view part, std::string_view by) {
    for (size_t at = filled.find(part); at != std::string::npos; at = filled.find(part, at + by.size()))
      filled.replace(at, part.size(), by);
  };
  replace("{{range $i, $range := .PodCIDRRanges}}", "");
  replace("{{range $i, $route := .Routes}}", "");
  replace("{{if $i}}, {{end}}", "");
  replace("{{$range}}", "10.244.0.0/24");
  replace("{{$route}}", "0.0.0.0/0");
  replace("{{end}}", "");
  const auto json = nlohmann::json::parse(filled);
  EXPECT_EQ(json["plugins"][0]["ipam"]["ranges"].dump(), R"([[{"subnet":"10.244.0.0/24"}]])");
  EXPECT_EQ(json["plugins"][0]["ipam"]["routes"].dump(), R"([{"dst":"0.0.0.0/0"}])");
}

}  // namespace
}  // namespace sunup::render
