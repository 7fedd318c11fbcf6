// Properties of every resolve, for any sources.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <functional>

#include "fleet/launch/test_launch.h"
#include "fleet/resolve/resolver.h"

namespace sunup::fleet {
namespace {

TEST(ResolverProperty, SameInputsGiveTheSameBytes) {
  EXPECT_TRUE(rc::check("resolve twice", [] {
    CheckedNode test;
    test.size = *rc::gen::element<std::string>("Standard_D2s_v5", "Standard_D8ps_v5", "Standard_NC4as_T4_v3");
    test.settings["kubernetes-version"] = *rc::gen::element<std::string>("1.29.7", "1.31.3", "1.33.1", "1.35.0");
    test.bootstrap = *rc::gen::element(Bootstrap::kScriptless, Bootstrap::kNodeConfig);
    const auto labels = *rc::gen::container<std::map<std::string, std::string>>(
        rc::gen::nonEmpty(rc::gen::string<std::string>()), rc::gen::string<std::string>());
    for (const auto& [key, value] : labels)
      test.pool["spec"]["template"]["metadata"]["labels"]["l" + std::to_string(std::hash<std::string>{}(key))] =
          std::to_string(value.size());
    const TestLaunch first(test);
    const TestLaunch second(test);
    RC_ASSERT(launch_template_json(first.node, first.made) == launch_template_json(second.node, second.made));
  }));
}

// How one source sets a value, and the result.
struct Voice {
  Source source;
  std::string value;
  std::function<void(CheckedNode&)> say;
};

// A value that several sources can set, from the lowest source to the highest.
struct Contest {
  const char* name;
  std::vector<Voice> voices;
  std::function<Value<std::string>(const Resolution&)> outcome;
};

void set_pool_kubelet(CheckedNode& test, const char* name, const nlohmann::json& value) {
  test.pool["apiVersion"] = "karpenter.sh/v1beta1";
  test.pool["spec"]["template"]["spec"]["kubelet"][name] = value;
}

std::function<Value<std::string>(const Resolution&)> flag(const char* name) {
  return [name](const Resolution& node) { return *node.kubelet_flags.value(name); };
}

std::vector<Contest> contests() {
  constexpr const char* kSubnet =
      "/subscriptions/s/resourceGroups/r/providers/Microsoft.Network/virtualNetworks/v/subnets/";
  return {
      {"kubernetes version",
       {{Source::kDetected, "1.31.1", [](CheckedNode& t) { t.detected.kubernetes_version = "1.31.1"; }},
        {Source::kDetected, "1.32.2", [](CheckedNode& t) { t.node_class["status"]["kubernetesVersion"] = "1.32.2"; }},
        {Source::kSettings, "1.33.3", [](CheckedNode& t) { t.settings["kubernetes-version"] = "1.33.3"; }}},
       [](const Resolution& node) { return node.kind->kubernetes_version; }},
      {"network policy",
       {{Source::kEnvironment, "calico", [](CheckedNode& t) { t.environment["NETWORK_POLICY"] = "calico"; }},
        {Source::kSettings, "cilium", [](CheckedNode& t) { t.settings["network-policy"] = "cilium"; }}},
       [](const Resolution& node) { return BootstrapVariables(node).at("NetworkPolicy"); }},
      {"cluster DNS",
       {{Source::kDetected, "10.1.0.10", [](CheckedNode& t) { t.detected.dns_service_ip = "10.1.0.10"; }},
        {Source::kEnvironment, "10.2.0.10", [](CheckedNode& t) { t.environment["DNS_SERVICE_IP"] = "10.2.0.10"; }},
        {Source::kSettings, "10.3.0.10", [](CheckedNode& t) { t.settings["dns-service-ip"] = "10.3.0.10"; }},
        {Source::kNodePool, "10.4.0.10", [](CheckedNode& t) { set_pool_kubelet(t, "clusterDNS", {"10.4.0.10"}); }}},
       flag("--cluster-dns")},
      {"max pods",
       {{Source::kNodePool, "41", [](CheckedNode& t) { set_pool_kubelet(t, "maxPods", 41); }},
        {Source::kNodeClass, "42", [](CheckedNode& t) { t.node_class["spec"]["maxPods"] = 42; }}},
       flag("--max-pods")},
      {"image GC threshold",
       {{Source::kNodePool, "91", [](CheckedNode& t) { set_pool_kubelet(t, "imageGCHighThresholdPercent", 91); }},
        {Source::kNodeClass, "92",
         [](CheckedNode& t) { t.node_class["spec"]["kubelet"]["imageGCHighThresholdPercent"] = 92; }}},
       flag("--image-gc-high-threshold")},
      {"subnet",
       {{Source::kSettings, std::string(kSubnet) + "a",
         [](CheckedNode& t) { t.settings["vnet-subnet-id"] = std::string(kSubnet) + "a"; }},
        {Source::kNodeClass, std::string(kSubnet) + "b",
         [](CheckedNode& t) {
           t.node_class["spec"]["vnetSubnetID"] = std::string(kSubnet) + "b";
           // AKS's own network has no other subnets.
           if (!t.settings["vnet-subnet-id"].get<std::string>().starts_with(kSubnet))
             t.settings["vnet-subnet-id"] = std::string(kSubnet) + "c";
         }}},
       [](const Resolution& node) { return node.kind->subnet_id; }},
      {"CA bundle",
       {{Source::kDetected, "REVU", [](CheckedNode& t) { t.detected.ca_bundle = "REVU"; }},
        {Source::kSettings, "U0VU", [](CheckedNode& t) { t.settings["ca-bundle"] = "U0VU"; }}},
       [](const Resolution& node) { return BootstrapVariables(node).at("KubeCACrt"); }},
      {"tag",
       {{Source::kSettings, "settings", [](CheckedNode& t) { t.settings["additional-tags"] = "team=settings"; }},
        {Source::kNodeClass, "class", [](CheckedNode& t) { t.node_class["spec"]["tags"] = {{"team", "class"}}; }}},
       [](const Resolution& node) {
         const Value<std::string>* team = node.kind->tags.value("team");
         return team == nullptr ? Value<std::string>() : *team;
       }},
  };
}

// A value of one source overrides every lower source, and a source without a value does not affect the others.
TEST(ResolverProperty, TheHighestSourceThatSpeaksIsHeardAndTheOthersAreRemembered) {
  const std::vector<Contest> all = contests();
  EXPECT_TRUE(rc::check([&all] {
    const Contest& contest = all[*rc::gen::inRange<size_t>(0, all.size())];
    RC_TAG(std::string(contest.name));
    CheckedNode test;
    if (std::string_view(contest.name) != "subnet")  // a node requires one
      for (const char* name : {"kubernetes-version", "network-policy", "dns-service-ip", "ca-bundle"})
        if (std::string_view(name) != "kubernetes-version" || std::string_view(contest.name) == "kubernetes version")
          test.settings.erase(name);
    std::vector<const Voice*> spoken;
    for (const Voice& voice : contest.voices)
      if (*rc::gen::arbitrary<bool>()) spoken.push_back(&voice);
    for (const Voice* voice : spoken) voice->say(test);
    RC_PRE(!spoken.empty());
    const Value<std::string> outcome = contest.outcome(test.resolve());
    RC_ASSERT(*outcome == spoken.back()->value);
    RC_ASSERT(outcome.origin().source == spoken.back()->source);
    for (size_t i = 0; i + 1 < spoken.size(); ++i) {
      const auto& beaten = outcome.beaten();
      RC_ASSERT(std::any_of(beaten.begin(), beaten.end(),
                            [&](const auto& rival) { return rival.value == spoken[i]->value; }));
    }
  }));
}

}  // namespace
}  // namespace sunup::fleet
