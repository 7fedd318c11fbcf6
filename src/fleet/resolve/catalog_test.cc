// The choice of size and image: the class's requirements on images affect the choice of a size, and images in its
// status are used only if they meet the requirements of the class.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/resolve/catalog.h"
#include "fleet/resolve/test_node.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

void require(TestNode& test, const char* key, const char* op, std::vector<std::string> values) {
  test.pool["spec"]["template"]["spec"]["requirements"].push_back({{"key", key}, {"operator", op}, {"values", values}});
}

Result<Resolution> resolve_in_catalog(TestNode& test, Catalog& catalog) {
  test.read_resolver.emplace(test.resolver());
  Findings findings;
  catalog.add({{test.pool, {}, ""}, {test.node_class, {}, ""}}, findings);
  EXPECT_EQ(describe(findings, Severity::kError), "");
  auto claim = catalog.default_claim();
  if (!claim) return claim.error();
  return catalog.resolve(*test.read_resolver, *claim);
}

TEST(FittingSize, HasAnImageOfTheKindThatTheClassAsksFor) {
  TestNode test;
  test.node_class["spec"] =
      json::parse(R"({"imageFamily": "Ubuntu2204", "security": {"trustedLaunch": {"vtpm": true}}})");
  const std::vector<InstanceType> sizes = {*known_instance_type("Standard_D4ps_v5"),
                                           *known_instance_type("Standard_D4s_v5")};
  const auto chosen = test.try_choose(sizes);
  ASSERT_TRUE(chosen) << chosen.error().what;
  EXPECT_EQ(*chosen, "Standard_D4s_v5");
  EXPECT_THAT(test.try_choose({sizes[0]}).error().what, HasSubstr("Standard_D4ps_v5 has no Ubuntu2204 image"));
}

TEST(FittingSize, HasAnImageThatTheStatusLists) {
  TestNode test;
  test.node_class["spec"]["imageFamily"] = "Ubuntu2204";
  test.node_class["status"] = json::parse(R"({"images": [
    {"id": "/CommunityGalleries/g/images/2204gen2arm64containerd/versions/202601.01.0"}]})");
  EXPECT_EQ(*test.try_choose({*known_instance_type("Standard_D4s_v5"), *known_instance_type("Standard_D4ps_v5")}),
            "Standard_D4ps_v5");
}

TEST(StatusImages, AreNotTakenForAnotherKindOfImage) {
  TestNode test;
  test.node_class["spec"] =
      json::parse(R"({"imageFamily": "Ubuntu2204", "security": {"trustedLaunch": {"vtpm": true}}})");
  test.node_class["status"] = json::parse(R"({"images": [
    {"id": "/CommunityGalleries/g/images/2204gen2containerd/versions/202601.01.0"}]})");
  EXPECT_THAT(test.try_resolve().error().what, HasSubstr("lists no Ubuntu2204 trusted launch image"));
}

TEST(StatusImages, SayByTheirFormWhichGalleryTheyAreOf) {
  TestNode test;
  test.node_class["spec"]["imageFamily"] = "Ubuntu2204";
  const auto shared = [&](const char* id) {
    test.node_class["status"]["images"] = json::array({{{"id", id}}});
    return test.resolve().kind->image.shared;
  };
  EXPECT_TRUE(
      shared("/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/galleries/AKSUbuntu/images/"
             "2204gen2containerd/versions/202601.01.0"));
  EXPECT_FALSE(shared("/CommunityGalleries/g/images/2204gen2containerd/versions/202601.01.0"));
}

TEST(FittingSize, IsLookedForAmongTheBuiltInOnesWhereAPoolOnlyDescribesIt) {
  TestNode test;
  require(test, "karpenter.azure.com/sku-family", "In", {"E"});
  require(test, "karpenter.azure.com/sku-cpu", "Gt", {"5"});
  Catalog catalog;
  const auto node = resolve_in_catalog(test, catalog);
  ASSERT_TRUE(node) << node.error().what;
  EXPECT_EQ(node->kind->instance_type->cpus, 8);
  EXPECT_EQ(node->kind->instance_type->arch, "amd64");
  EXPECT_EQ(split_size_name(node->kind->instance_type->name).family, "E");
}

TEST(FittingSize, IsSaidToBeAssumedWhereOnlyTheArchitectureIsAskedFor) {
  TestNode test;
  require(test, "kubernetes.io/arch", "In", {"arm64"});
  Catalog catalog;
  const auto node = resolve_in_catalog(test, catalog);
  ASSERT_TRUE(node) << node.error().what;
  EXPECT_THAT(describe(node->warnings, Severity::kWarning),
              AllOf(HasSubstr("no source specifies the size"), HasSubstr("rule: assumed")));
  EXPECT_EQ(node->size_origin.where, "the smallest built-in size that fits");

  require(test, "karpenter.azure.com/sku-cpu", "In", {"4"});
  Catalog described;
  const auto meant = resolve_in_catalog(test, described);
  ASSERT_TRUE(meant) << meant.error().what;
  EXPECT_THAT(describe(meant->warnings, Severity::kWarning), Not(HasSubstr("no source specifies the size")));
  EXPECT_EQ(meant->size_origin.where, "the smallest built-in size that fits");
}

TEST(FittingSize, IsNotMadeUpWhereNobodyDescribesIt) {
  TestNode test;
  Catalog catalog;
  EXPECT_THAT(resolve_in_catalog(test, catalog).error().what, HasSubstr("none is given"));
  TestNode vast;
  require(vast, "karpenter.azure.com/sku-cpu", "Gt", {"5000"});
  Catalog other;
  EXPECT_THAT(resolve_in_catalog(vast, other).error().what, HasSubstr("none of the"));
}

TEST(Catalog, RefusesTwoObjectsOfOneNameUnlessTheyAreTheSame) {
  TestNode test;
  json other = test.node_class;
  other["spec"]["osDiskSizeGB"] = 64;
  json pool = test.pool;
  pool["spec"]["weight"] = 5;
  Catalog catalog;
  Findings findings;
  catalog.add({{test.pool, {}, ""}, {test.node_class, {}, ""}, {test.node_class, {}, ""}}, findings);
  EXPECT_EQ(describe(findings, Severity::kError), "");
  catalog.add({{other, {}, ""}, {pool, {}, ""}}, findings);
  EXPECT_THAT(describe(findings, Severity::kError),
              AllOf(HasSubstr("there is another node class of this name, 'default'"),
                    HasSubstr("there is another node pool of this name")));
}

TEST(Placement, IsHeldAgainstTheZone) {
  TestNode regional;
  require(regional, "karpenter.azure.com/placement-scope", "In", {"regional"});
  EXPECT_EQ(*regional.resolve().labels.find(kPlacementScopeLabel), "regional");
  require(regional, "topology.kubernetes.io/zone", "In", {"eastus-1"});
  EXPECT_THAT(regional.try_resolve().error().what,
              HasSubstr("requires karpenter.azure.com/placement-scope In [regional], but the node has zonal"));

  TestNode zonal;
  require(zonal, "karpenter.azure.com/placement-scope", "In", {"zonal"});
  EXPECT_THAT(zonal.try_resolve().error().hint, HasSubstr("list the zones"));
  require(zonal, "topology.kubernetes.io/zone", "In", {"eastus-2"});
  EXPECT_EQ(*zonal.resolve().labels.find(kPlacementScopeLabel), "zonal");
}

TEST(Placement, InAnyZoneIsOneThatTheSizeIsOfferedIn) {
  TestNode test;
  require(test, "karpenter.azure.com/placement-scope", "In", {"zonal"});
  require(test, "topology.kubernetes.io/zone", "NotIn", {"eastus-1"});
  test.type = *known_instance_type("Standard_D4s_v5");
  test.type->offers = {{"eastus", std::vector<std::string>{"1", "3"}}};
  EXPECT_EQ(test.resolve().zone.value, "eastus-3");
}

TEST(Placement, InAnyZonePassesOverSizesThatHaveNone) {
  TestNode test;
  require(test, "karpenter.azure.com/placement-scope", "In", {"zonal"});
  InstanceType regional = *known_instance_type("Standard_D4s_v5");
  regional.offers = {{"eastus", std::vector<std::string>{}}};
  InstanceType zonal = *known_instance_type("Standard_D8s_v5");
  zonal.offers = {{"eastus", std::vector<std::string>{"2"}}};
  EXPECT_EQ(*test.try_choose({regional, zonal}), "Standard_D8s_v5");
  EXPECT_THAT(test.try_choose({regional}).error().what,
              HasSubstr("Standard_D4s_v5 is not known to have a zone of eastus"));
  require(test, "karpenter.azure.com/placement-scope", "In", {"regional"});  // not caused by any size
  EXPECT_EQ(*test.try_choose({regional}), "Standard_D4s_v5");
}

TEST(LocalDns, OnceTurnedOnStaysOn) {
  TestNode test;
  test.bootstrap = Bootstrap::kNodeConfig;
  json zone = json::parse(R"({"queryLogging": "Error", "protocol": "PreferUDP", "forwardDestination": "VnetDNS",
    "forwardPolicy": "Random", "maxConcurrent": 100, "cacheDuration": "1h", "serveStaleDuration": "1h",
    "serveStale": "Immediate"})");
  json root = zone;
  root["zone"] = ".";
  json cluster = zone;
  cluster["zone"] = "cluster.local";
  cluster["forwardDestination"] = "ClusterCoreDNS";
  const json zones = json::array({root, cluster});
  test.node_class["spec"]["localDNS"] = {
      {"mode", "Preferred"}, {"vnetDNSOverrides", zones}, {"kubeDNSOverrides", zones}};
  Findings findings;
  EXPECT_EQ(read_node_class({test.node_class, {}, ""}, findings)->local_dns, LocalDnsMode::kPreferred);
  test.node_class["status"]["localDNSState"] = "Enabled";
  EXPECT_EQ(read_node_class({test.node_class, {}, ""}, findings)->local_dns, LocalDnsMode::kRequired);
  EXPECT_EQ(describe(findings, Severity::kError), "");
}

}  // namespace
}  // namespace sunup::fleet
