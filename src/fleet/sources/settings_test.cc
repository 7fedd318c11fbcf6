#include "fleet/sources/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sunup::fleet {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Settings, WarnOfANullValue) {
  const auto documents = read_documents("cluster-name: cl\nnetwork-plugin-mode: null\n", "s.yaml");
  Findings findings;
  const Settings settings = read_settings(*documents, {}, findings);
  EXPECT_EQ(settings.text(Option::kNetworkPluginMode), "overlay");
  EXPECT_THAT(describe(findings, Severity::kWarning), HasSubstr("s.yaml:2: network-plugin-mode: is null, which has"));
  Findings older;
  read_settings(*read_documents("kind: ConfigMap\ndata:\n  azure.networkPolicy:\n"), {}, older);
  EXPECT_THAT(describe(older, Severity::kWarning), HasSubstr("data.azure.networkPolicy: is null"));
}

TEST(Settings, OfTheOlderConfigMapNeedAPluginAndTakeItAtItsWord) {
  const auto read = [](const char* data, Findings& findings, const Environment& environment = {}) {
    Settings settings =
        read_settings({{{{"kind", "ConfigMap"}, {"data", json::parse(data)}}, {}, ""}}, environment, findings);
    check_settings(settings, findings);
    return settings;
  };
  Findings missing;
  read(R"({"azure.clusterName": "cl"})", missing);
  EXPECT_THAT(describe(missing, Severity::kError), HasSubstr("azure.networkPlugin: must be set"));
  Findings plain;
  const Settings azure = read(R"({"azure.networkPlugin": "azure"})", plain);
  EXPECT_FALSE(azure.cilium_node_subnet());
  EXPECT_THAT(describe(plain, Severity::kWarning), HasSubstr("without overlay and without cilium"));
  Findings named;
  EXPECT_TRUE(
      read(R"({"azure.networkPlugin": "azure"})", named, {{"NETWORK_DATAPLANE", "cilium"}}).cilium_node_subnet());
  Findings overlay;
  EXPECT_TRUE(read(R"({"azure.networkPlugin": "overlay"})", overlay).overlay());
  EXPECT_THAT(describe(overlay, Severity::kWarning), Not(HasSubstr("older ConfigMap")));
}

}  // namespace
}  // namespace sunup::fleet
