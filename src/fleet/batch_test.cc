#include "fleet/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "fleet/test_node.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class BatchTest : public ::testing::Test {
 protected:
  TestNode test;
  Resolver resolver = test.resolver();
  Catalog catalog;
  Findings findings;

  void SetUp() override { catalog.add({{test.pool, {}, ""}, {test.node_class, {}, ""}}, findings); }

  static std::string line(Batch& batch, const json& claim, bool expect_ok = true) {
    std::string out;
    EXPECT_EQ(batch.resolve(claim.is_string() ? claim.get<std::string>() : claim.dump(), out), expect_ok) << out;
    return out;
  }
  // The way of a claim that comes alone.
  std::string alone(const json& claim) {
    Findings warnings;
    const auto read = read_node_claim({claim, {}, ""}, warnings);
    auto node = catalog.resolve(resolver, *read);
    node->warnings.insert(node->warnings.end(), warnings.begin(), warnings.end());
    return launch_template_json(*node, *make_launch_template(*node));
  }
  static json claim(const std::string& name, const std::string& size) {
    return {
        {"metadata", {{"name", name}}},
        {"spec",
         {{"requirements", {{{"key", "node.kubernetes.io/instance-type"}, {"operator", "In"}, {"values", {size}}}}}}}};
  }
};

TEST_F(BatchTest, ResolvesEachLineByItself) {
  Batch batch(resolver, catalog);
  const json good = json::parse(line(batch, claim("default-1", "Standard_D4s_v5")));
  EXPECT_EQ(good["name"], "aks-default-1");
  EXPECT_EQ(good["vmSize"], "Standard_D4s_v5");
  const json bad = json::parse(line(batch, R"({"metadata": {"name": "x"}, "spec": {"taints": [{}]}})", false));
  EXPECT_EQ(bad["nodeClaim"], "x");
  EXPECT_THAT(bad["error"].get<std::string>(), HasSubstr("spec.taints[0].key: must be set"));
  for (const char* broken : {"{", "[]", R"({"spec": {}})"}) line(batch, broken, false);
  EXPECT_THAT(line(batch, R"({"metadata": {"name": "y"}})", false), HasSubstr("no instance type fits"));
}

// Whatever claims differ in, in any order: what was remembered of one never shows in another.
TEST_F(BatchTest, GivesEveryClaimTheBytesItGetsAlone) {
  EXPECT_TRUE(rc::check([this] {
    Batch batch(resolver, catalog);
    const int count = *rc::gen::inRange(1, 12);
    for (int i = 0; i < count; ++i) {
      json one = claim("c-" + std::to_string(*rc::gen::inRange(0, 3)),
                       *rc::gen::element<std::string>("Standard_D4s_v5", "Standard_D8ps_v5"));
      if (*rc::gen::arbitrary<bool>()) one["metadata"]["labels"]["team"] = *rc::gen::element<std::string>("a", "b");
      if (*rc::gen::arbitrary<bool>())
        one["metadata"]["annotations"]["note"] = *rc::gen::element<std::string>("a", "b");
      if (*rc::gen::arbitrary<bool>())
        one["spec"]["requirements"].push_back({{"key", "karpenter.sh/capacity-type"},
                                               {"operator", "In"},
                                               {"values", {*rc::gen::element<std::string>("spot", "on-demand")}}});
      if (*rc::gen::arbitrary<bool>())
        one["spec"]["taints"] = {{{"key", "k"}, {"effect", *rc::gen::element<std::string>("NoSchedule", "NoExecute")}}};
      if (*rc::gen::arbitrary<bool>()) one["stray"] = *rc::gen::inRange(0, 2);             // a warning
      if (*rc::gen::arbitrary<bool>()) one["spec"]["nonsense"] = *rc::gen::inRange(0, 2);  // a warning
      RC_ASSERT(line(batch, one) == alone(one));
    }
  }));
}

TEST_F(BatchTest, ForgetsBeforeItGrows) {
  Batch batch(resolver, catalog);
  for (int i = 0; i < 1100; ++i) {
    json one = claim("c", "Standard_D4s_v5");
    one["metadata"]["labels"]["own"] = std::to_string(i);
    ASSERT_THAT(line(batch, one), HasSubstr("aks-c"));
    ASSERT_LE(batch.remembered(), Batch::kRemembered);
  }
}

TEST_F(BatchTest, GoesOnAfterALineThatIsNestedTooDeeply) {
  Batch batch(resolver, catalog);
  std::string deep;
  for (int i = 0; i < 50000; ++i) deep += "{\"a\":[";
  EXPECT_THAT(line(batch, deep, false), HasSubstr("nested more than 100 deep"));
  EXPECT_THAT(line(batch, claim("c", "Standard_D4s_v5")), HasSubstr("aks-c"));
}

TEST_F(BatchTest, JudgesEveryNameAlsoThoseOfAClaimLikeOneSeenBefore) {
  Batch batch(resolver, catalog);
  line(batch, claim("good", "Standard_D4s_v5"));
  EXPECT_THAT(line(batch, claim("Bad_Name", "Standard_D4s_v5"), false), HasSubstr("metadata.name: is 'Bad_Name'"));
  EXPECT_THAT(line(batch, claim(std::string(60, 'a'), "Standard_D4s_v5"), false), HasSubstr("has 60 characters"));
}

TEST_F(BatchTest, HoldsClaimsToWhatTheirPoolAsksFor) {
  test.pool["spec"]["template"]["spec"]["requirements"] = {
      {{"key", "karpenter.azure.com/sku-cpu"}, {"operator", "Lt"}, {"values", {"8"}}}};
  Catalog strict;
  strict.add({{test.pool, {}, ""}, {test.node_class, {}, ""}}, findings);
  Batch batch(resolver, strict);
  for (const bool named : {false, true}) {
    json small = claim("c", "Standard_D4s_v5");
    json large = claim("c", "Standard_D8s_v5");
    if (named)
      for (json* one : {&small, &large}) (*one)["metadata"]["labels"]["karpenter.sh/nodepool"] = "default";
    line(batch, small);
    EXPECT_THAT(line(batch, large, false), HasSubstr("does not meet the requirement on karpenter.azure.com/sku-cpu"));
  }
}

}  // namespace
}  // namespace sunup::fleet
