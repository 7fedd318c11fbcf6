#include "fleet/launch/launch_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "azure/test_custom_data.h"
#include "base/base64.h"
#include "base/node_paths.h"
#include "fleet/launch/test_launch.h"
#include "fleet/sources/node_pool_hash.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(LaunchTemplate, NamesEverythingAVmIsMadeOf) {
  CheckedNode test;
  test.node_class["spec"]["tags"] = {{"a/b", "1<2"}};
  test.settings["node-identities"] = "/subscriptions/s/id1";
  const json made = TestLaunch(test).to_json();
  EXPECT_EQ(made["name"], "aks-default");
  EXPECT_EQ(made["vmSize"], "Standard_D2s_v5");
  EXPECT_EQ(made["tags"]["a_b"], "1<2");
  EXPECT_EQ(made["tags"]["karpenter.azure.com_cluster"], "cl");
  EXPECT_EQ(made["tags"]["compute.aks.billing"], "linux");
  EXPECT_EQ(made["tags"]["karpenter.sh_nodepool"], "default");
  EXPECT_EQ(made["osDisk"]["type"], "ManagedDisks");
  EXPECT_EQ(made["cse"], nullptr);
  EXPECT_EQ(made["hashes"]["nodePool"], *node_pool_hash(json::parse(R"({"spec": {"expireAfter": "720h",
    "nodeClassRef": {"group": "karpenter.azure.com", "kind": "AKSNodeClass", "name": "default"}}})")));
  EXPECT_THAT(*base64_decode(made["customData"].get<std::string>()), StartsWith("#!/bin/bash\n"));
}

TEST(LaunchTemplate, CarriesAnAksNodeConfigAndItsCommandToImagesThatReadOne) {
  CheckedNode test;
  test.bootstrap = Bootstrap::kNodeConfig;
  const json made = TestLaunch(test).to_json();
  EXPECT_EQ(made["cse"], "/opt/azure/containers/aks-node-controller provision-wait");
  EXPECT_THAT(azure::content_at(paths::kNodeConfig, made["customData"].get<std::string>()),
              HasSubstr("cl-rg-123456-abcdef01.hcp.eastus.azmk8s.io"));
}

TEST(LaunchTemplate, TellsOnlyNodesThatReadAConfigWhereToSendTheirResults) {
  const render::ResultService results{.url = "https://sunup.example:8443", .ca = ""};
  CheckedNode test;
  test.bootstrap = Bootstrap::kNodeConfig;
  const auto made = make_launch_template(test.resolve(), results);
  ASSERT_TRUE(made) << made.error().what;
  EXPECT_EQ(azure::content_at(paths::kResultService, made->custom_data), render::to_json(results));
  test.bootstrap = Bootstrap::kScriptless;
  EXPECT_EQ(make_launch_template(test.resolve(), results)->custom_data,
            make_launch_template(test.resolve())->custom_data);
}

TEST(LaunchTemplate, LetsNoUserTagPassForAFixedOne) {
  CheckedNode test;
  test.settings["additional-tags"] = "team=a,compute.aks.billing=windows";
  test.node_class["spec"]["tags"] = {{"team", "b"}, {"karpenter.sh/nodepool", "other"}};
  const TestLaunch launch(test);
  const json tags = launch.to_json()["tags"];
  EXPECT_EQ(tags["compute.aks.billing"], "linux");
  EXPECT_EQ(tags["karpenter.sh_nodepool"], "default");
  EXPECT_EQ(tags["team"], "b");
  EXPECT_THAT(launch.node.warnings, Contains(Field(&Finding::path, "tag compute.aks.billing")));
  EXPECT_THAT(launch.node.warnings, Contains(Field(&Finding::path, "tag karpenter.sh_nodepool")));
}

TEST(InPlaceUpdateHash, IsWhatIsPublished) {
  EXPECT_EQ(in_place_update_hash({}, {}), "1415952421");
  EXPECT_EQ(
      in_place_update_hash({{"compute.aks.billing", "linux"}, {"karpenter.azure.com_cluster", "test-cluster"}}, {}),
      "2544860859");
  EXPECT_EQ(in_place_update_hash({{"a", "1<2"}}, {"/subscriptions/s/id1"}), "2490787097");
  // The results of json.Marshal and fnv.New32a of Go 1.26: encoding/json escapes U+2028 and U+2029, and bytes that are
  // not UTF-8 become \ufffd.
  EXPECT_EQ(in_place_update_hash({{"a\u2028b", "c\u2029d"}}, {}), "3319689861");
  EXPECT_EQ(in_place_update_hash({{"bad", "\xff"}}, {}), "1564651854");
  EXPECT_EQ(in_place_update_hash({{"ctl", "\b\f\x01"}}, {}), "1852411931");
}

}  // namespace
}  // namespace sunup::fleet
