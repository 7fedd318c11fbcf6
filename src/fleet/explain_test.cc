#include "fleet/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/test_node.h"

namespace sunup::fleet {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Explain, ShowsWhoWonAndWhatItBeat) {
  TestNode test;
  test.node_class["spec"]["maxPods"] = 60;
  const auto rows = explain(test.resolve());
  const auto it =
      std::find_if(rows.begin(), rows.end(), [](const Explanation& row) { return row.name == "--max-pods"; });
  ASSERT_NE(it, rows.end());
  EXPECT_EQ(it->value, "60");
  EXPECT_EQ(it->source, "nodeclass");
  EXPECT_EQ(it->where, "spec.maxPods");
  ASSERT_EQ(it->beat.size(), 2u);
  EXPECT_EQ(it->beat[0].value, "110");
  EXPECT_EQ(it->beat[1].value, "250");
  EXPECT_EQ(it->beat[1].source, "computed");
}

TEST(Explain, NeverShowsTheToken) {
  const auto rows = explain(TestNode().resolve());
  EXPECT_THAT(explain_text(rows, 0), Not(HasSubstr("0123456789abcdef")));
  EXPECT_THAT(explain_json(rows).dump(), Not(HasSubstr("0123456789abcdef")));
}

const Explanation* row_of(const std::vector<Explanation>& rows, const std::string& name) {
  const auto it = std::find_if(rows.begin(), rows.end(), [&](const Explanation& row) { return row.name == name; });
  return it == rows.end() ? nullptr : &*it;
}

TEST(Explain, NeverShowsTheProxysPassword) {
  TestNode test;
  test.settings["http-proxy"] = "http://user:hunter2@proxy:3128";
  test.settings["https-proxy"] = "https://user:hunter2@proxy:3128";
  const auto rows = explain(test.resolve());
  EXPECT_THAT(explain_text(rows, 0), Not(HasSubstr("hunter2")));
  EXPECT_THAT(explain_json(rows).dump(), Not(HasSubstr("hunter2")));
}

TEST(Explain, HasARowForEverythingThatWasDecided) {
  TestNode test;
  test.settings["node-identities"] = "id-1";
  test.node_class["spec"]["security"] = {{"encryptionAtHost", true}};
  const auto rows = explain(test.resolve());
  for (const char* name : {"vmSize", "capacityType", "location", "zone", "osDiskSizeGB", "osDisk.type",
                           "osDisk.diskEncryptionSetID", "security.encryptionAtHost", "security.vtpm",
                           "security.secureBoot", "identities", "bootstrap", "image", "MCR_REPOSITORY_BASE",
                           "ENABLE_IMDS_RESTRICTION", "INSERT_IMDS_RESTRICTION_RULE_TO_MANGLE_TABLE", "CSE_TIMEOUT"})
    EXPECT_NE(row_of(rows, name), nullptr) << name;
  EXPECT_EQ(row_of(rows, "security.encryptionAtHost")->source, "nodeclass");
  EXPECT_EQ(row_of(rows, "security.vtpm")->source, "hardcoded");
  EXPECT_EQ(row_of(rows, "identities")->value, "id-1");
  EXPECT_EQ(row_of(rows, "location")->source, "settings");
  EXPECT_EQ(row_of(rows, "bootstrap")->value, "scriptless");
  EXPECT_EQ(row_of(rows, "CSE_TIMEOUT")->value, "15m");
}

TEST(Explain, SaysWhoseWordASizeACapacityTypeAndAZoneAre) {
  TestNode test;
  test.pool["spec"]["template"]["spec"]["requirements"] = nlohmann::json::parse(R"([
    {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["Standard_D2s_v5"]},
    {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["spot"]},
    {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["eastus-2", "eastus-3"]}])");
  const auto rows = explain(test.resolve());
  for (const char* name : {"vmSize", "capacityType", "zone"}) EXPECT_EQ(row_of(rows, name)->source, "nodepool") << name;
  EXPECT_EQ(row_of(rows, "zone")->value, "eastus-2");
}

TEST(Explain, DoesNotBlameTheUserForWhatNobodyWrote) {
  TestNode test;
  test.node_class["spec"]["kubelet"] = {{"cpuManagerPolicy", "static"}};
  const auto rows = explain(test.resolve());
  EXPECT_EQ(row_of(rows, "--cpu-manager-policy")->source, "nodeclass");
  EXPECT_EQ(row_of(rows, "--container-log-max-files")->source, "hardcoded");
  EXPECT_EQ(row_of(rows, "karpenter.azure.com_cluster")->source, "settings");
  EXPECT_EQ(row_of(rows, "karpenter.azure.com_cluster")->where, "cluster-name");
}

}  // namespace
}  // namespace sunup::fleet
