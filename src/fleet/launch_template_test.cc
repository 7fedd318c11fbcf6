#include "fleet/launch_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/base64.h"
#include "contract/check.h"
#include "fleet/bootstrap_script.h"
#include "fleet/catalog.h"
#include "fleet/drift_state.h"
#include "fleet/explain.h"
#include "fleet/node_config.h"
#include "fleet/tags.h"
#include "fleet/test_node.h"
#include "render/custom_data.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct Made {
  TestNode test;
  Resolution node;
  LaunchTemplate made;

  explicit Made(TestNode from) : test(std::move(from)), node(test.resolve()) {
    auto result = make_launch_template(node);
    if (!result) ADD_FAILURE() << result.error().what;
    made = *std::move(result);
  }
  json to_json() const { return json::parse(launch_template_json(node, made)); }
};

TEST(LaunchTemplate, NamesEverythingAVmIsMadeOf) {
  TestNode test;
  test.node_class["spec"]["tags"] = {{"a/b", "1<2"}};
  test.settings["node-identities"] = "/subscriptions/s/id1";
  const json made = Made(test).to_json();
  EXPECT_EQ(made["name"], "aks-default");
  EXPECT_EQ(made["vmSize"], "Standard_D2s_v5");
  EXPECT_EQ(made["tags"]["a_b"], "1<2");
  EXPECT_EQ(made["tags"]["karpenter.azure.com_cluster"], "cl");
  EXPECT_EQ(made["tags"]["compute.aks.billing"], "linux");
  EXPECT_EQ(made["tags"]["karpenter.sh_nodepool"], "default");
  EXPECT_EQ(made["osDisk"]["type"], "ManagedDisks");
  EXPECT_EQ(made["cse"], nullptr);
  EXPECT_THAT(*base64_decode(made["customData"].get<std::string>()), StartsWith("#!/bin/bash\n"));
}

TEST(LaunchTemplate, CarriesAnAksNodeConfigAndItsCommandToImagesThatReadOne) {
  TestNode test;
  test.bootstrap = Bootstrap::kNodeConfig;
  const json made = Made(test).to_json();
  EXPECT_EQ(made["cse"], "/opt/azure/containers/aks-node-controller provision-wait");
  const auto content = render::read_custom_data(*base64_decode(made["customData"].get<std::string>()));
  ASSERT_TRUE(content);
  EXPECT_THAT(content->files.config_json, HasSubstr("cl-rg-123456-abcdef01.hcp.eastus.azmk8s.io"));
}

TEST(LaunchTemplate, LetsNoUserTagPassForAFixedOne) {
  TestNode test;
  test.settings["additional-tags"] = "team=a,compute.aks.billing=windows";
  test.node_class["spec"]["tags"] = {{"team", "b"}, {"karpenter.sh/nodepool", "other"}};
  const json tags = Made(test).to_json()["tags"];
  EXPECT_EQ(tags["compute.aks.billing"], "linux");
  EXPECT_EQ(tags["karpenter.sh_nodepool"], "default");
  EXPECT_EQ(tags["team"], "b");
}

TEST(InPlaceUpdateHash, IsWhatIsPublished) {
  EXPECT_EQ(in_place_update_hash({}, {}), "1415952421");
  EXPECT_EQ(
      in_place_update_hash({{"compute.aks.billing", "linux"}, {"karpenter.azure.com_cluster", "test-cluster"}}, {}),
      "2544860859");
  EXPECT_EQ(in_place_update_hash({{"a", "1<2"}}, {"/subscriptions/s/id1"}), "2490787097");
}

TEST(AzureRequest, MakesASpotVmWithTrustedLaunchAndEncryption) {
  TestNode test;
  test.pool["spec"]["template"]["spec"]["requirements"] = {
      {{"key", "karpenter.sh/capacity-type"}, {"operator", "In"}, {"values", {"spot"}}}};
  test.node_class["spec"]["security"] = {{"encryptionAtHost", true}, {"trustedLaunch", {{"vtpm", true}}}};
  test.settings["linux-admin-username"] = "ops";
  Made made(test);
  const json request = virtual_machine_request(made.node, made.made, made.test.resolver().settings());
  const json& properties = request["virtualMachine"]["properties"];
  EXPECT_EQ(properties["priority"], "Spot");
  EXPECT_EQ(properties["evictionPolicy"], "Delete");
  EXPECT_EQ(properties["billingProfile"]["maxPrice"], -1);
  EXPECT_EQ(properties["securityProfile"]["securityType"], "TrustedLaunch");
  EXPECT_EQ(properties["securityProfile"]["uefiSettings"]["secureBootEnabled"], false);
  EXPECT_EQ(properties["osProfile"]["customData"], made.made.custom_data);
  EXPECT_EQ(properties["osProfile"]["linuxConfiguration"]["ssh"]["publicKeys"][0]["path"],
            "/home/ops/.ssh/authorized_keys");
  EXPECT_EQ(properties["storageProfile"]["osDisk"]["deleteOption"], "Delete");
  EXPECT_EQ(request["extensions"].size(), 1u);
  EXPECT_EQ(request["extensions"][0]["name"], "computeAksLinuxBilling");
  EXPECT_EQ(made.node.variables.text(Var::kAdminUsername), "ops");  // the same user in both places
}

TEST(AzureRequest, GivesPodsAddressesOfTheSubnetWithoutOverlay) {
  TestNode test;
  EXPECT_EQ(
      virtual_machine_request(Made(test).node, {},
                              TestNode().resolver().settings())["networkInterface"]["properties"]["ipConfigurations"]
          .size(),
      1u);
  test.settings["network-plugin-mode"] = "";
  test.node_class["spec"]["maxPods"] = 20;
  Made made(test);
  const json request = virtual_machine_request(made.node, made.made, made.test.resolver().settings());
  const json& configurations = request["networkInterface"]["properties"]["ipConfigurations"];
  EXPECT_EQ(configurations.size(), 20u);
  EXPECT_EQ(configurations[19]["name"], "ipconfig19");
}

TEST(NodeConfig, SaysTheSameAsTheVariablesAndPassesTheContractsOwnCheck) {
  TestNode test;
  test.settings.erase("ca-bundle");
  test.bootstrap = Bootstrap::kNodeConfig;
  test.node_class["spec"]["linuxOSConfig"] = {
      {"swapFileSize", "1500Mi"}, {"transparentHugePageEnabled", "never"}, {"sysctls", {{"vmSwappiness", 0}}}};
  test.node_class["spec"]["kubelet"] = {{"failSwapOn", false}};
  const Resolution node = test.resolve();
  const contract::Configuration config = node_config(node);
  EXPECT_EQ(config.version(), "v1");
  EXPECT_EQ(config.kubernetes_version(), "1.33.1");
  EXPECT_EQ(config.cluster_config().cluster_network_config().route_table(), "aks-agentpool-46593302-routetable");
  EXPECT_EQ(config.kubelet_config().kubelet_flags().at("--max-pods"), "250");
  EXPECT_EQ(config.kubelet_config().kubelet_flags().at("--fail-swap-on"), "false");
  EXPECT_EQ(config.custom_linux_os_config().swap_file_size(), 1500);
  EXPECT_TRUE(config.custom_linux_os_config().sysctl_config().has_vm_swappiness());
  EXPECT_EQ(config.bootstrapping_config().tls_bootstrapping_token(), "abcdef.0123456789abcdef");
}

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

TEST(Batch, ResolvesEachLineByItself) {
  TestNode test;
  const Resolver resolver = test.resolver();
  Catalog catalog;
  Findings findings;
  catalog.add({{test.pool, {}, ""}, {test.node_class, {}, ""}}, findings);
  const BatchLine good = resolve_line(resolver, catalog, R"({"metadata": {"name": "default-1"}, "spec": {"requirements":
    [{"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["Standard_D4s_v5"]}]}})");
  EXPECT_TRUE(good.ok) << good.json;
  EXPECT_EQ(json::parse(good.json)["name"], "aks-default-1");
  EXPECT_EQ(json::parse(good.json)["vmSize"], "Standard_D4s_v5");
  const BatchLine bad = resolve_line(resolver, catalog, R"({"metadata": {"name": "x"}, "spec": {"taints": [{}]}})");
  EXPECT_FALSE(bad.ok);
  EXPECT_THAT(json::parse(bad.json)["error"].get<std::string>(), HasSubstr("spec.taints[0].key: must be set"));
  EXPECT_FALSE(resolve_line(resolver, catalog, "{").ok);
  EXPECT_FALSE(resolve_line(resolver, catalog, R"({"metadata": {"name": "y"}})").ok);
}

// Any text a user can get into a value comes out of the shell as it went in.
TEST(BootstrapScript, QuotingIsUndoneByTheShellsRules) {
  rc::check([](std::string value, bool quoted) {
    value.erase(std::remove(value.begin(), value.end(), '\0'), value.end());
    std::string line = "X=";
    append_shell_word(line, value, quoted);
    RC_ASSERT(script_variables(line + "\n")["X"] == value);
  });
}

TEST(Resolver, SameInputsGiveTheSameBytes) {
  rc::check("resolve twice", [] {
    TestNode test;
    test.size = *rc::gen::element<std::string>("Standard_D2s_v5", "Standard_D8ps_v5", "Standard_NC4as_T4_v3");
    test.settings["kubernetes-version"] = *rc::gen::element<std::string>("1.29.7", "1.31.3", "1.33.1", "1.35.0");
    test.bootstrap = *rc::gen::element(Bootstrap::kScriptless, Bootstrap::kNodeConfig);
    const auto labels = *rc::gen::container<std::map<std::string, std::string>>(
        rc::gen::nonEmpty(rc::gen::string<std::string>()), rc::gen::string<std::string>());
    for (const auto& [key, value] : labels)
      test.pool["spec"]["template"]["metadata"]["labels"]["l" + std::to_string(std::hash<std::string>{}(key))] =
          std::to_string(value.size());
    const Made first(test);
    const Made second(test);
    RC_ASSERT(launch_template_json(first.node, first.made) == launch_template_json(second.node, second.made));
  });
}

TEST(Value, TheHighestSourceThatOfferedWinsInAnyOrder) {
  rc::check([](const std::vector<std::pair<uint8_t, int>>& offers) {
    Value<int> value;
    int best_rank = -1;
    int expected = 0;
    for (const auto& [raw, offered] : offers) {
      const int rank = raw % 9;
      value.offer(static_cast<Source>(rank), "", offered);
      if (rank >= best_rank) {
        best_rank = rank;
        expected = offered;
      }
    }
    RC_ASSERT(value.set() == !offers.empty());
    if (offers.empty()) return;
    RC_ASSERT(*value == expected);
    RC_ASSERT(static_cast<int>(value.origin().source) == best_rank);
    RC_ASSERT(value.beaten().size() == offers.size() - 1);
  });
}

}  // namespace
}  // namespace sunup::fleet
