#include "fleet/launch/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "azure/test_custom_data.h"
#include "base/node_paths.h"
#include "fleet/launch/test_launch.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class BatchTest : public ::testing::Test {
 protected:
  CheckedNode test;
  Resolver resolver = test.resolver();
  Catalog catalog;
  Findings findings;

  void SetUp() override { catalog.add({{test.pool, {}, ""}, {test.node_class, {}, ""}}, findings); }

  static std::string line(Batch& batch, const json& claim, bool expect_ok = true) {
    std::string out;
    EXPECT_EQ(batch.resolve(claim.is_string() ? claim.get<std::string>() : claim.dump(), out), expect_ok) << out;
    return out;
  }
  // Resolves a single claim: returns its launch template, or the error.
  std::string alone(const json& claim) {
    Findings warnings;
    const auto read = read_node_claim({claim, {}, ""}, warnings);
    if (!read) {
      std::string errors = describe(warnings, Severity::kError);
      errors.erase(errors.find_last_not_of('\n') + 1);
      return errors;
    }
    auto node = catalog.resolve(resolver, *read);
    if (!node) return node.error().what;
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

TEST_F(BatchTest, TellsEveryNodeWhereToSendItsResult) {
  CheckedNode with_config;
  with_config.bootstrap = Bootstrap::kNodeConfig;
  const Resolver reads_config = with_config.resolver();
  const render::ResultService results{.url = "https://sunup.example", .ca = ""};
  Batch batch(reads_config, catalog, results);
  for (const char* name : {"default-1", "default-2", "default-3"}) {  // the third one is remembered
    const json made = json::parse(line(batch, claim(name, "Standard_D4s_v5")));
    EXPECT_EQ(azure::content_at(paths::kResultService, made["customData"].get<std::string>()),
              render::to_json(results));
  }
}

template <class... Words>
std::string any(Words... words) {
  return *rc::gen::element<std::string>(words...);
}

bool perhaps() {
  return *rc::gen::arbitrary<bool>();
}

// A claim with random values, valid or invalid, in every part in which claims can differ.
json any_claim() {
  const auto wish = [](const char* key, std::vector<std::string> values) {
    return json{{"key", key}, {"operator", "In"}, {"values", std::move(values)}};
  };
  json one = {{"metadata", {{"name", any("c-0", "c-1", "c-2")}}},
              {"spec",
               {{"requirements",
                 {wish("node.kubernetes.io/instance-type",
                       {any("Standard_D4s_v5", "Standard_D8ps_v5"), any("Standard_E4s_v5", "Standard_NC6")})}}}}};
  json& labels = one["metadata"]["labels"];
  json& spec = one["spec"];
  labels["karpenter.sh/nodepool"] = any("default", "other");
  if (perhaps()) labels["team"] = any("a", "b");
  if (perhaps()) labels[any("kubernetes.io/own", "example.com/own", "kubernetes.azure.com/mode")] = any("a", "b");
  if (perhaps()) one["metadata"]["annotations"]["note"] = any("a", "b");
  if (*rc::gen::inRange(0, 5) == 0) one["metadata"]["annotations"] = {1};  // refused
  if (perhaps()) spec["requirements"].push_back(wish("karpenter.sh/capacity-type", {any("spot", "on-demand")}));
  if (perhaps())
    spec["requirements"].push_back(wish("topology.kubernetes.io/zone", {any("eastus-1", "eastus-3", "0")}));
  if (perhaps()) spec["requirements"].push_back(wish("example.com/shard", {any("1", "2")}));
  if (perhaps()) spec["requirements"].push_back(wish("topology.kubernetes.io/region", {any("eastus", "westus")}));
  if (perhaps()) spec["taints"] = {{{"key", "k"}, {"effect", any("NoSchedule", "NoExecute")}}};
  if (perhaps()) spec["startupTaints"] = {{{"key", "k"}, {"value", any("", "v")}, {"effect", "NoExecute"}}};
  if (perhaps()) spec["resources"]["requests"]["cpu"] = any("1", "6");
  if (perhaps()) one["stray"] = *rc::gen::inRange(0, 2);      // a warning
  if (perhaps()) spec["nonsense"] = *rc::gen::inRange(0, 2);  // a warning
  return one;
}

// For claims that differ in any part, in any order: a memo of one claim never affects another.
TEST_F(BatchTest, GivesEveryClaimTheBytesItGetsAlone) {
  json other = test.pool;
  other["metadata"]["name"] = "other";
  other["spec"]["template"]["metadata"]["labels"] = {{"team", "other"}, {"kubernetes.io/own", "pool"}};
  other["spec"]["template"]["spec"]["taints"] = {{{"key", "k"}, {"value", "v"}, {"effect", "NoExecute"}}};
  catalog.add({{other, {}, ""}}, findings);
  for (const Bootstrap bootstrap : {Bootstrap::kScriptless, Bootstrap::kNodeConfig}) {
    resolver.set_bootstrap(bootstrap);
    EXPECT_TRUE(rc::check([this] {
      Batch batch(resolver, catalog);
      for (int left = *rc::gen::inRange(1, 12); left > 0; --left) {
        const json one = any_claim();
        std::string out;
        if (batch.resolve(one.dump(), out))
          RC_ASSERT(out == alone(one));
        else
          RC_ASSERT(json::parse(out)["error"] == alone(one));
      }
    }));
  }
}

TEST_F(BatchTest, RefusesAnnotationsThatAreNoMapAlsoOfAClaimLikeOneSeenBefore) {
  Batch batch(resolver, catalog);
  json one = claim("c", "Standard_D4s_v5");
  for (int times = 0; times < 3; ++times) line(batch, one);
  ASSERT_EQ(batch.remembered(), 1u);
  one["metadata"]["annotations"] = {{"note", "a"}};
  line(batch, one);
  one["metadata"]["annotations"] = {1};
  EXPECT_THAT(line(batch, one, false), HasSubstr("metadata.annotations: must be a map"));
}

TEST_F(BatchTest, RemembersNoMoreKindsThanItMay) {
  KindCache kinds;
  const auto read = read_node_claim({claim("c", "Standard_D4s_v5"), {}, ""}, findings);
  std::vector<std::unique_ptr<InstanceType>> types;
  const NodeClass node_class = *read_node_class({test.node_class, {}, ""}, findings);
  for (size_t i = 0; i <= KindCache::kRemembered; ++i) {
    types.push_back(std::make_unique<InstanceType>(*known_instance_type("Standard_D4s_v5")));
    const auto made = kinds.find(resolver, {nullptr, &node_class, &*read, types.back().get()});
    ASSERT_TRUE(made);
    EXPECT_EQ((*made)->instance_type, types.back().get());
    ASSERT_LE(kinds.remembered(), KindCache::kRemembered);
  }
}

TEST_F(BatchTest, RefusesALineWithTheColumnOfWhatIsWrongInIt) {
  Batch batch(resolver, catalog);
  EXPECT_THAT(line(batch, R"({"metadata": {"name": "a" "x"}})", false), HasSubstr("(column 27)"));
  EXPECT_THAT(line(batch, R"({"spec": {}, "spec": {}})", false), HasSubstr("'spec' is given twice (column 14)"));
}

TEST_F(BatchTest, ForgetsBeforeItGrows) {
  Batch batch(resolver, catalog);
  for (int i = 0; i < 1100; ++i) {
    json one = claim("c", "Standard_D4s_v5");
    one["metadata"]["labels"]["own"] = std::to_string(i);
    const size_t before = batch.remembered();
    const std::string first = line(batch, one);
    EXPECT_EQ(batch.remembered(), before);  // it may never be repeated
    for (int again = 0; again < 2; ++again) ASSERT_EQ(line(batch, one), first);
    ASSERT_GT(batch.remembered(), 0u);
    ASSERT_LE(batch.remembered(), Batch::kRemembered);
  }
}

TEST_F(BatchTest, GoesOnAfterALineThatIsNestedTooDeeply) {
  Batch batch(resolver, catalog);
  std::string deep;
  for (int i = 0; i < 50000; ++i) deep += "{\"a\":[";
  EXPECT_THAT(line(batch, deep, false), HasSubstr("nested more than 100 levels deep"));
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
