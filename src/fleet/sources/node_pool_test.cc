#include "fleet/sources/node_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sunup::fleet {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

json full_pool() {
  return json::parse(R"({
    "apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "general"},
    "spec": {"weight": 10, "limits": {"cpu": "100"},
      "disruption": {"consolidateAfter": "30s", "consolidationPolicy": "WhenEmpty",
                     "budgets": [{"nodes": "20%", "reasons": ["Drifted"], "schedule": "0 9 * * *", "duration": "8h"}]},
      "template": {
        "metadata": {"labels": {"team": "web", "kubernetes.azure.com/mode": "system"}, "annotations": {"a": "b c"}},
        "spec": {
          "requirements": [
            {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["spot", "on-demand"], "minValues": 2},
            {"key": "karpenter.azure.com/sku-cpu", "operator": "Gt", "values": ["3"]},
            {"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]}],
          "taints": [{"key": "team", "value": "web", "effect": "NoSchedule"}],
          "startupTaints": [{"key": "example.com/starting", "effect": "NoExecute"}],
          "nodeClassRef": {"group": "karpenter.azure.com", "kind": "AKSNodeClass", "name": "default"},
          "expireAfter": "24h", "terminationGracePeriod": "1h30m"}}}})");
}

std::string errors_of(json object) {
  Findings findings;
  read_node_pool({std::move(object), {}, ""}, findings);
  return describe(findings, Severity::kError);
}

TEST(NodePool, TakesEverythingItsRulesAllow) {
  Findings findings;
  const auto pool = read_node_pool({full_pool(), {}, ""}, findings);
  EXPECT_EQ(describe(findings, Severity::kError), "");
  EXPECT_EQ(describe(findings, Severity::kWarning), "");
  ASSERT_TRUE(pool);
  EXPECT_EQ(pool->name, "general");
  EXPECT_EQ(pool->labels.at("team"), "web");
  EXPECT_EQ(pool->requirements.size(), 3u);
  EXPECT_EQ(pool->node_class.name, "default");
}

struct RuleCase {
  const char* pointer;
  json good;
  json bad;
  const char* said;
};
class NodePoolRule : public ::testing::TestWithParam<RuleCase> {};

TEST_P(NodePoolRule, AcceptsTheLastGoodValueAndNamesPathAndRuleOfTheFirstBadOne) {
  const RuleCase& rule = GetParam();
  json good = full_pool();
  good[json::json_pointer(rule.pointer)] = rule.good;
  EXPECT_THAT(errors_of(good), IsEmpty());
  json bad = full_pool();
  bad[json::json_pointer(rule.pointer)] = rule.bad;
  EXPECT_THAT(errors_of(bad), HasSubstr(rule.said));
}

json requirement(const char* key, const char* op, json values) {
  return {{"key", key}, {"operator", op}, {"values", std::move(values)}};
}
json requirements(size_t count) {
  json list = json::array();
  for (size_t i = 0; i < count; ++i) list.push_back(requirement("a", "Exists", json::array()));
  return list;
}
const std::string kLong63(63, 'v');
const std::string kKey316 = std::string(60, 'd') + "." + std::string(60, 'd') + "." + std::string(60, 'd') + "." +
                            std::string(60, 'd') + ".dddddddd/" + std::string(63, 'n');

#define LABELS "/spec/template/metadata/labels"
#define NODE "/spec/template/spec"
INSTANTIATE_TEST_SUITE_P(
    Template, NodePoolRule,
    ::testing::Values(
        RuleCase{LABELS, json{{"a", kLong63}}, json{{"a", kLong63 + "v"}}, "spec.template.metadata.labels.a: "},
        RuleCase{LABELS, json{{"a", "x-y_z.1"}}, json{{"a", "-x"}}, "(rule: pattern)"},
        RuleCase{LABELS, json{{"example.com/a", ""}}, json{{"Example.com/a", ""}}, "(rule: key)"},
        RuleCase{NODE "/requirements", requirements(100), requirements(101), "has 101 items, must have at most 100"},
        RuleCase{NODE "/requirements/0/key", kKey316, kKey316 + "n", "spec.template.spec.requirements[0].key"},
        RuleCase{NODE "/requirements/0/key", "a", "-a", "spec.template.spec.requirements[0].key"},
        RuleCase{NODE "/requirements/0/operator", "NotIn", "Is", "spec.template.spec.requirements[0].operator"},
        RuleCase{NODE "/requirements/2", requirement("a", "In", {"x"}), requirement("a", "In", json::array()),
                 "requirements with operator 'In' must have a value defined"},
        RuleCase{NODE "/requirements/2", requirement("a", "Gte", {"0"}), requirement("a", "Gte", {"-1"}),
                 "requirements[2].values[0]: '-1' does not match"},
        RuleCase{NODE "/requirements/2", requirement("a", "Lt", {"5"}), requirement("a", "Lt", {"5", "6"}),
                 "must have a single non-negative integer value"},
        RuleCase{NODE "/requirements/2", requirement("a", "Lte", {"5"}), requirement("a", "Lte", {"five"}),
                 "must have a single non-negative integer value"},
        RuleCase{NODE "/requirements/1/minValues", 1, 0, "minValues: is 0, must be 1..50"},
        RuleCase{NODE "/requirements/1/minValues", 50, 51, "minValues: is 51, must be 1..50"},
        RuleCase{NODE "/requirements/0/minValues", 2, 3, "requirements with 'minValues' must have at least that many"},
        RuleCase{NODE "/requirements/2", requirement("a", "In", {"x"}), json{{"operator", "Exists"}},
                 "requirements[2].key: must be set"},
        RuleCase{NODE "/requirements/2", requirement("a", "In", {"x"}), json{{"key", "a"}},
                 "requirements[2].operator: must be set"},
        RuleCase{NODE "/requirements/2/values", json{"x"}, json{1}, "requirements[2].values[0]"},
        RuleCase{NODE "/taints/0/value", kLong63, kLong63 + "v", "spec.template.spec.taints[0].value"},
        RuleCase{NODE "/startupTaints/0/key", "k", "", "spec.template.spec.startupTaints[0].key"},
        RuleCase{NODE "/nodeClassRef/group", "karpenter.azure.com", "", "spec.template.spec.nodeClassRef.group"},
        RuleCase{NODE "/taints/0/key", "k", "", "spec.template.spec.taints[0].key"},
        RuleCase{NODE "/taints/0/key", "example.com/k", "a b", "(rule: pattern)"},
        RuleCase{NODE "/taints/0/effect", "PreferNoSchedule", "Never", "spec.template.spec.taints[0].effect"},
        RuleCase{NODE "/startupTaints/0/effect", "NoSchedule", "", "spec.template.spec.startupTaints[0].effect"},
        RuleCase{NODE "/nodeClassRef/name", "x", "", "spec.template.spec.nodeClassRef.name"},
        RuleCase{NODE "/nodeClassRef/kind", "AKSNodeClass", "", "spec.template.spec.nodeClassRef.kind"},
        RuleCase{NODE "/nodeClassRef/group", "karpenter.azure.com", "karpenter.azure.com/v1",
                 "spec.template.spec.nodeClassRef.group"},
        RuleCase{NODE "/expireAfter", "Never", "never", "spec.template.spec.expireAfter"},
        RuleCase{NODE "/expireAfter", "1h30m", "1d", "spec.template.spec.expireAfter"},
        RuleCase{NODE "/terminationGracePeriod", "30s", "Never", "spec.template.spec.terminationGracePeriod"}));

json static_pool(json limits) {
  json spec = full_pool()["spec"];
  spec.erase("weight");
  spec["replicas"] = 0;
  spec["limits"] = std::move(limits);
  return spec;
}

json weighted_static_pool() {
  json spec = static_pool(json::object());
  spec["weight"] = 1;
  return spec;
}

INSTANTIATE_TEST_SUITE_P(
    Pool, NodePoolRule,
    ::testing::Values(RuleCase{"/apiVersion", "karpenter.sh/v1", "karpenter.sh/v2", "apiVersion: is 'karpenter.sh/v2'"},
                      RuleCase{"/spec/weight", 1, 0, "spec.weight: is 0, must be 1..100"},
                      RuleCase{"/spec/weight", 100, 101, "spec.weight: is 101, must be 1..100"},
                      RuleCase{"/spec/disruption/budgets", json(50, {{"nodes", "1"}}), json(51, {{"nodes", "1"}}),
                               "spec.disruption.budgets: has 51 items"},
                      RuleCase{"/spec/disruption/budgets/0/nodes", "100%", "101%", "spec.disruption.budgets[0].nodes"},
                      RuleCase{"/spec/disruption/budgets/0/schedule", "@daily", "xx", "budgets[0].schedule: 'xx'"},
                      RuleCase{"/spec/disruption/budgets/0/schedule", "*/5 9-17 * * MON-FRI", "0 9 * *", "schedule: '"},
                      RuleCase{"/spec/disruption/budgets/0/schedule", "@hourly", "@often", "schedule: '@often'"},
                      RuleCase{"/spec/disruption/budgets/0/reasons", {"Empty"}, {"Old"}, "reasons[0]: is 'Old'"},
                      RuleCase{"/spec/disruption/budgets/0",
                               {{"nodes", "5"}},
                               {{"nodes", "5"}, {"duration", "1h"}},
                               "'schedule' must be set with 'duration'"},
                      RuleCase{"/spec/disruption/budgets/0",
                               {{"nodes", "5"}},
                               {{"nodes", "5"}, {"schedule", "@daily"}},
                               "'schedule' must be set with 'duration'"},
                      RuleCase{"/spec/disruption/budgets/0/schedule", "@daily", "xx", "budgets[0].schedule: 'xx'"},
                      RuleCase{"/spec/disruption/budgets/0/schedule", "*/5 9-17 * * MON-FRI", "0 9 * *", "schedule: '"},
                      RuleCase{"/spec/disruption/budgets/0/schedule", "@hourly", "@often", "schedule: '@often'"},
                      RuleCase{"/spec/disruption/budgets/0/reasons", json(50, "Empty"), json(51, "Empty"),
                               "budgets[0].reasons: has 51 items"},
                      RuleCase{"/spec/disruption/budgets/0/schedule", "@daily", "", "budgets[0].schedule"},
                      RuleCase{"/spec/disruption/budgets/0/duration", "1h30m0s", "1h30s", "budgets[0].duration"},
                      RuleCase{"/spec/disruption/consolidateAfter", "Never", "1d", "spec.disruption.consolidateAfter"},
                      RuleCase{"/spec/disruption/consolidationPolicy", "WhenEmptyOrUnderutilized", "Always",
                               "spec.disruption.consolidationPolicy"},
                      RuleCase{"/spec", static_pool({{"nodes", "5"}}), static_pool({{"cpu", "5"}}),
                               "only 'limits.nodes' is supported on static NodePools"},
                      RuleCase{"/spec", static_pool({{"nodes", "5"}}), weighted_static_pool(),
                               "'weight' is not supported on static NodePools"}));

TEST(NodePool, RefusesLabelsAndRequirementsOnReservedKeys) {
  const auto errors = [](const std::string& key) {
    json labelled = full_pool();
    labelled["spec"]["template"]["metadata"]["labels"] = {{key, "x"}};
    labelled["spec"]["template"]["spec"]["requirements"] = json::array();  // a requirement could conflict with it
    json required = full_pool();
    required["spec"]["template"]["spec"]["requirements"] =
        json::array({requirement(key.c_str(), "Exists", json::array())});
    const std::string as_label = errors_of(labelled);
    EXPECT_EQ(as_label.empty(), errors_of(required).empty()) << key;
    return as_label;
  };
  for (const char* key :
       {"karpenter.sh/capacity-type", "karpenter.azure.com/sku-family", "karpenter.azure.com/placement-scope",
        "kubernetes.azure.com/mode", "kubernetes.azure.com/hostedvm", "topology.kubernetes.io/zone", "team"})
    EXPECT_EQ(errors(key), "") << key;
  for (const char* key :
       {"karpenter.sh/nodepool", "x.karpenter.sh/y", "kubernetes.io/hostname", "karpenter.azure.com/other",
        "kubernetes.azure.com/agentpool", "agentpool", "storageprofile", "storagetier", "accelerator"})
    EXPECT_THAT(errors(key), HasSubstr("restricted")) << key;
}

TEST(NodePool, NeedsAClassToMakeNodesFrom) {
  json pool = full_pool();
  pool["spec"]["template"]["spec"].erase("nodeClassRef");
  EXPECT_THAT(errors_of(pool), HasSubstr("spec.template.spec.nodeClassRef: must be set (rule: required)"));
}

TEST(NodePool, ReadsKubeletSettingsOfOlderVersions) {
  json pool = full_pool();
  pool["apiVersion"] = "karpenter.sh/v1beta1";
  pool["spec"]["template"]["spec"]["kubelet"] = json::parse(R"({"maxPods": 60, "podsPerCore": 8,
    "kubeReserved": {"cpu": "200m", "pid": 100}, "systemReserved": {"memory": "100Mi"},
    "evictionHard": {"memory.available": "5%"}, "evictionSoft": {"nodefs.available": "10%"},
    "evictionSoftGracePeriod": {"nodefs.available": "1m30s"}, "evictionMaxPodGracePeriod": 60,
    "clusterDNS": ["10.0.1.10"], "imageGCHighThresholdPercent": 85, "imageGCLowThresholdPercent": 80})");
  Findings findings;
  const auto read = read_node_pool({pool, {}, ""}, findings);
  ASSERT_TRUE(read) << describe(findings, Severity::kError);
  EXPECT_EQ(read->kubelet->max_pods, 60);
  EXPECT_EQ(read->kubelet->kube_reserved.at("pid"), "100");
  EXPECT_EQ(read->kubelet->eviction_hard.at("memory.available"), "5%");

  auto& kubelet = pool["spec"]["template"]["spec"]["kubelet"];
  const auto broken = [&](const char* name, json value, const char* said) {
    const json before = kubelet;
    kubelet[name] = std::move(value);
    EXPECT_THAT(errors_of(pool), HasSubstr(said));
    kubelet = before;
  };
  broken("evictionSoft", json::object(), "evictionSoftGracePeriod must have a matching evictionSoft");
  broken("evictionSoftGracePeriod", json::object(), "evictionSoft must have a matching evictionSoftGracePeriod");
  broken("evictionHard", {{"disk.free", "1"}}, "kubelet.evictionHard.disk.free");
  broken("kubeReserved", {{"gpu", "1"}}, "kubelet.kubeReserved.gpu");
  broken("systemReserved", {{"cpu", "-1"}}, "must not be negative");
  broken("maxPods", -1, "kubelet.maxPods: is -1, must be at least 0");
  broken("podsPerCore", -1, "kubelet.podsPerCore");
  broken("imageGCHighThresholdPercent", 80, "imageGCHighThresholdPercent must be greater than");
}

TEST(NodePool, ReadsTheOlderProvisioner) {
  Findings findings;
  const auto pool = read_node_pool({json::parse(R"({
      "apiVersion": "karpenter.sh/v1alpha5", "kind": "Provisioner", "metadata": {"name": "default"},
      "spec": {"labels": {"team": "web"}, "requirements": [{"key": "a", "operator": "Exists"}],
               "taints": [{"key": "k", "effect": "NoSchedule"}], "kubeletConfiguration": {"maxPods": 40},
               "providerRef": {"name": "my-template"}, "ttlSecondsAfterEmpty": 30}})"),
                                    {},
                                    ""},
                                   findings);
  ASSERT_TRUE(pool) << describe(findings, Severity::kError);
  EXPECT_EQ(pool->labels.at("team"), "web");
  EXPECT_EQ(pool->kubelet->max_pods, 40);
  EXPECT_EQ(pool->node_class.name, "my-template");
}

TEST(NodePool, WarnsOfARuntimeThatNoNodeHas) {
  Findings findings;
  read_node_pool({json::parse(R"({"apiVersion": "karpenter.sh/v1alpha5", "kind": "Provisioner",
      "metadata": {"name": "default"}, "spec": {"kubeletConfiguration": {"containerRuntime": "dockerd"}}})"),
                  {},
                  ""},
                 findings);
  EXPECT_THAT(describe(findings, Severity::kWarning), HasSubstr("every node runs containerd (rule: no-effect)"));
}

TEST(NodeClaim, WarnsOfKubeletSettingsOfItsOwn) {
  Findings findings;
  EXPECT_TRUE(read_node_claim(
      {json::parse(R"({"metadata": {"name": "a"}, "spec": {"kubelet": {"maxPods": 5}}})"), {}, ""}, findings));
  EXPECT_THAT(describe(findings, Severity::kWarning), HasSubstr("spec.kubelet: is accepted, but"));
}

TEST(NodeClaim, InheritsEverythingFromItsPool) {
  Findings findings;
  const auto pool = read_node_pool({full_pool(), {}, ""}, findings);
  const NodeClaim claim = claim_of(*pool);
  EXPECT_EQ(claim.labels.at("karpenter.sh/nodepool"), "general");
  EXPECT_EQ(claim.labels.at("team"), "web");
  EXPECT_THAT(claim.taints, ElementsAre(Taint{"team", "web", "NoSchedule"}));
  EXPECT_EQ(claim.node_class.name, "default");
}

TEST(NodeClaim, NeedsAName) {
  Findings findings;
  EXPECT_FALSE(read_node_claim({json::parse(R"({"kind": "NodeClaim", "spec": {}})"), {}, ""}, findings));
  EXPECT_TRUE(read_node_claim({json::parse(R"({"metadata": {"name": "a-1"}})"), {}, ""}, findings));
}

TEST(Taint, DropsEmptyPartsWithTheirSeparator) {
  EXPECT_EQ((Taint{"k", "v", "NoSchedule"}.text()), "k=v:NoSchedule");
  EXPECT_EQ((Taint{"k", "", "NoSchedule"}.text()), "k:NoSchedule");
  EXPECT_EQ((Taint{"k", "v", ""}.text()), "k=v:");
  EXPECT_EQ((Taint{"k", "", ""}.text()), "k");
}

TEST(Requirement, DecidesAboutALabelsValue) {
  EXPECT_TRUE((Requirement{"a", "In", {"x", "y"}}.allows("y")));
  EXPECT_FALSE((Requirement{"a", "In", {"x"}}.allows(std::nullopt)));
  EXPECT_TRUE((Requirement{"a", "NotIn", {"x"}}.allows(std::nullopt)));
  EXPECT_FALSE((Requirement{"a", "NotIn", {"x"}}.allows("x")));
  EXPECT_TRUE((Requirement{"a", "Exists", {}}.allows("")));
  EXPECT_TRUE((Requirement{"a", "DoesNotExist", {}}.allows(std::nullopt)));
  EXPECT_TRUE((Requirement{"a", "Gt", {"3"}}.allows("4")));
  EXPECT_FALSE((Requirement{"a", "Gt", {"3"}}.allows("3")));
  EXPECT_TRUE((Requirement{"a", "Gte", {"3"}}.allows("3")));
  EXPECT_TRUE((Requirement{"a", "Lt", {"3"}}.allows("2")));
  EXPECT_TRUE((Requirement{"a", "Lte", {"3"}}.allows("3")));
  EXPECT_FALSE((Requirement{"a", "Lte", {"3"}}.allows("many")));
}

TEST(NodePool, RefusesRequirementValuesThatCannotBeLabels) {
  for (const std::string& value : {std::string("x,evil=1"), std::string("x y"), std::string(64, 'a')}) {
    json pool = full_pool();
    pool["spec"]["template"]["spec"]["requirements"][2]["values"] = {value};
    EXPECT_THAT(errors_of(pool), HasSubstr("spec.template.spec.requirements[2].values[0]: '"));
    Findings findings;
    EXPECT_FALSE(
        read_node_claim({json{{"metadata", {{"name", "a"}, {"labels", {{"team", value}}}}}}, {}, ""}, findings));
    EXPECT_THAT(describe(findings, Severity::kError), HasSubstr("metadata.labels.team: "));
  }
}

TEST(NodePool, RefusesAClassOfAnotherCloud) {
  json pool = full_pool();
  pool["spec"]["template"]["spec"]["nodeClassRef"]["kind"] = "EC2NodeClass";
  EXPECT_THAT(errors_of(pool), HasSubstr("nodeClassRef.kind: is 'EC2NodeClass'"));
  pool = full_pool();
  pool["spec"]["template"]["spec"]["nodeClassRef"]["group"] = "karpenter.k8s.aws";
  EXPECT_THAT(errors_of(pool), HasSubstr("nodeClassRef.group: is 'karpenter.k8s.aws'"));
  Findings findings;
  EXPECT_FALSE(read_node_claim(
      {json{{"metadata", {{"name", "a"}}},
            {"spec",
             {{"nodeClassRef", {{"group", "karpenter.k8s.aws"}, {"kind", "AKSNodeClass"}, {"name", "default"}}}}}},
       {},
       ""},
      findings));
}

TEST(NodeClaim, NamesItsClassWhenItIsAWholeObject) {
  Findings findings;
  json claim = {{"apiVersion", "karpenter.sh/v1"},
                {"kind", "NodeClaim"},
                {"metadata", {{"name", "a"}}},
                {"spec", json::object()}};
  EXPECT_FALSE(read_node_claim({claim, {}, ""}, findings));
  EXPECT_THAT(describe(findings, Severity::kError), HasSubstr("spec.nodeClassRef: must be set (rule: required)"));
  claim["spec"]["nodeClassRef"] = {{"group", "karpenter.azure.com"}, {"kind", "AKSNodeClass"}, {"name", "default"}};
  EXPECT_TRUE(read_node_claim({claim, {}, ""}, findings));
}

TEST(NodePool, SaysInOneNoteWhatIsForTheAutoscaler) {
  Findings findings;
  read_node_pool({full_pool(), {}, ""}, findings);
  EXPECT_EQ(describe(findings, Severity::kNote),
            "spec.template.metadata.annotations, spec.template.spec.expireAfter, "
            "spec.template.spec.terminationGracePeriod, spec.disruption, spec.limits, spec.weight, "
            "spec.template.spec.requirements[0].minValues: are handled "
            "by the autoscaler; they are not part of a launch template (rule: lifecycle)\n");
  findings.clear();
  read_node_claim({json{{"metadata", {{"name", "a"}}}, {"spec", {{"expireAfter", "1h"}}}}, {}, ""}, findings);
  EXPECT_THAT(describe(findings, Severity::kNote), HasSubstr("spec.expireAfter: is handled by the autoscaler"));
}

TEST(NodePool, NamesTheFieldAndTheRuleOfACondition) {
  json pool = full_pool();
  pool["spec"]["disruption"]["budgets"][0].erase("duration");
  EXPECT_EQ(errors_of(pool),
            "spec.disruption.budgets[0].schedule: 'schedule' must be set with 'duration' (rule: "
            "x-kubernetes-validations)\n");
}

json pool_with(const char* labels, const char* requirements) {
  json object = json::parse(R"({"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "p"},
    "spec": {"template": {"metadata": {}, "spec": {
      "nodeClassRef": {"group": "karpenter.azure.com", "kind": "AKSNodeClass", "name": "default"}}}}})");
  object["spec"]["template"]["metadata"]["labels"] = json::parse(labels);
  object["spec"]["template"]["spec"]["requirements"] = json::parse(requirements);
  return object;
}

std::string said_of_pool(const json& object, Severity severity) {
  Findings findings;
  read_node_pool({object, {}, ""}, findings);
  return describe(findings, severity);
}

std::string errors_of_claim(const char* text) {
  Findings findings;
  read_node_claim({json::parse(text), {}, ""}, findings);
  return describe(findings, Severity::kError);
}

TEST(NodePool, RefusesALabelThatARequirementRulesOut) {
  EXPECT_THAT(said_of_pool(pool_with(R"({"team": "web"})", R"([{"key": "team", "operator": "In", "values": ["db"]}])"),
                           Severity::kError),
              HasSubstr("requirements[0]: label team: web is not what requirement team In [db] allows"));
  EXPECT_EQ(
      said_of_pool(pool_with(R"({"team": "web"})", R"([{"key": "team", "operator": "In", "values": ["db", "web"]}])"),
                   Severity::kError),
      "");
}

TEST(NodePool, NotesThatMinValuesHaveNoEffect) {
  EXPECT_THAT(said_of_pool(pool_with("{}", R"([{"key": "karpenter.azure.com/sku-family", "operator": "In",
                                           "values": ["D", "E"], "minValues": 2}])"),
                           Severity::kNote),
              HasSubstr("requirements[0].minValues: is handled by the autoscaler"));
}

TEST(NodeClaim, HasLabelsThatAreAMapAndAVersionThatExists) {
  EXPECT_THAT(errors_of_claim(R"({"metadata": {"name": "a", "labels": []}})"),
              HasSubstr("metadata.labels: must be a map"));
  EXPECT_THAT(errors_of_claim(R"({"metadata": {"name": "a", "labels": "x"}})"), HasSubstr("metadata.labels"));
  EXPECT_THAT(errors_of_claim(R"({"apiVersion": "karpenter.sh/v9", "metadata": {"name": "a"}})"),
              HasSubstr("apiVersion: is 'karpenter.sh/v9'"));
}

TEST(NodeClaim, MayNotRequireReservedKeysButItsPool) {
  const auto with_key = [](const std::string& key) {
    return errors_of_claim(
        (R"({"metadata": {"name": "a"}, "spec": {"requirements": [{"key": ")" + key + R"(", "operator": "Exists"}]}})")
            .c_str());
  };
  EXPECT_THAT(with_key("kubernetes.io/hostname"), HasSubstr("spec.requirements[0].key"));
  EXPECT_THAT(with_key("karpenter.azure.com/mine"), HasSubstr("is restricted"));
  EXPECT_EQ(with_key("karpenter.sh/nodepool"), "");
  EXPECT_EQ(with_key("karpenter.azure.com/sku-cpu"), "");
  EXPECT_THAT(with_key("karpenter.sh/provisioner-name"), HasSubstr("is not allowed"));
  EXPECT_EQ(errors_of_claim(R"({"apiVersion": "karpenter.sh/v1alpha5", "kind": "Machine", "metadata": {"name": "a"},
    "spec": {"requirements": [{"key": "karpenter.sh/provisioner-name", "operator": "In", "values": ["default"]}]}})"),
            "");
}

}  // namespace
}  // namespace sunup::fleet
