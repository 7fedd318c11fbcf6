#include "render/cse_env.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "render/kubenet.h"

namespace sunup::render {
namespace {

using aksnodeconfig::v1::Configuration;
using testing::Contains;
using testing::ElementsAre;
using testing::IsSupersetOf;
using testing::Pair;
using testing::SizeIs;

Configuration config_of(const std::string& json) {
  Configuration config;
  const auto status = google::protobuf::util::JsonStringToMessage(json, &config);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return config;
}

TEST(CseEnvironment, HasEveryVariableForTheEmptyConfigToo) {
  const Environment environment = cse_environment({}, {});
  EXPECT_THAT(environment, SizeIs(164));
  EXPECT_THAT(environment, IsSupersetOf(Environment{{"ADMINUSER", "azureuser"},
                                                    {"CLOUDPROVIDER_BACKOFF_MODE", "v2"},
                                                    {"CLOUDPROVIDER_RATELIMIT_QPS", "10"},
                                                    {"CSE_TIMEOUT", "900"},
                                                    {"IS_VHD", "true"},
                                                    {"KUBELET_CONFIG_FILE_CONTENT", ""},
                                                    {"KUBENET_TEMPLATE", base64_encode(kubenet_template())},
                                                    {"LOCALDNS_GENERATED_COREFILE", ""},
                                                    {"NEEDS_CGROUPV2", "false"},
                                                    {"NETWORK_PLUGIN", ""},
                                                    {"STANDARD_SECONDARY_NIC_COUNT", "0"},
                                                    {"TARGET_CLOUD", "AzurePublicCloud"}}));
}

TEST(CseEnvironment, TellsAnExplicitZeroFromUnset) {
  const Environment environment =
      cse_environment(config_of(R"({"is_vhd": false, "cluster_config": {"cloud_provider_config":
          {"backoff": false, "backoff_retries": 0, "rate_limit_qps": 0, "backoff_exponent": 1000000}}})"),
                      {});
  EXPECT_THAT(environment, IsSupersetOf(Environment{{"IS_VHD", "false"},
                                                    {"CLOUDPROVIDER_BACKOFF", "false"},
                                                    {"CLOUDPROVIDER_BACKOFF_RETRIES", "0"},
                                                    {"CLOUDPROVIDER_RATELIMIT_QPS", "0"},
                                                    {"CLOUDPROVIDER_BACKOFF_EXPONENT", "1e+06"}}));
}

TEST(CseEnvironment, NamesOnlyTheLimitsThatAreSet) {
  Configuration config;
  EXPECT_EQ(cse_environment(config, {}).at("CONTAINERD_ULIMITS"), "");
  auto& ulimits = *config.mutable_custom_linux_os_config()->mutable_ulimit_config();
  EXPECT_EQ(cse_environment(config, {}).at("CONTAINERD_ULIMITS"), "[Service] ");
  ulimits.set_no_file("");
  EXPECT_EQ(cse_environment(config, {}).at("CONTAINERD_ULIMITS"), "[Service] LimitNOFILE= ");
  ulimits.set_max_locked_memory("infinity");
  EXPECT_EQ(cse_environment(config, {}).at("CONTAINERD_ULIMITS"), "[Service] LimitMEMLOCK=infinity LimitNOFILE= ");
}

TEST(CseEnvironment, ExportsOnlyTheProxiesThatAreThere) {
  Configuration config;
  EXPECT_EQ(cse_environment(config, {}).at("PROXY_VARS"), "");
  auto& proxy = *config.mutable_http_proxy_config();
  proxy.set_http_proxy("http://p:1/");
  EXPECT_EQ(cse_environment(config, {}).at("PROXY_VARS"), R"(export http_proxy="http://p:1/";)");
  proxy.add_no_proxy_entries("a");
  proxy.add_no_proxy_entries("b");
  proxy.set_https_proxy("https://p:2/");
  EXPECT_EQ(cse_environment(config, {}).at("PROXY_VARS"),
            R"(export NO_PROXY="a,b"; export HTTPS_PROXY="https://p:2/"; export http_proxy="http://p:1/";)");
}

TEST(CseEnvironment, NumbersCustomCaCertificatesAndPutsEachOnOneLine) {
  Configuration config;
  for (int i = 0; i < 11; ++i) config.add_custom_ca_certs("a\r\nb\n" + std::to_string(i));
  config.add_custom_ca_certs("");
  const Environment environment = cse_environment(config, {});
  EXPECT_THAT(environment, SizeIs(164 + 12));
  EXPECT_THAT(environment, IsSupersetOf(Environment{{"CUSTOM_CA_CERT_0", "ab0"},
                                                    {"CUSTOM_CA_CERT_10", "ab10"},
                                                    {"CUSTOM_CA_CERT_11", ""},
                                                    {"CUSTOM_CA_TRUST_COUNT", "12"},
                                                    {"SHOULD_CONFIGURE_CUSTOM_CA_TRUST", "true"}}));
}

TEST(CseEnvironment, NamesEnumsAndLeavesUnknownOnesEmpty) {
  Configuration config;
  config.mutable_network_config()->set_network_plugin(aksnodeconfig::v1::NETWORK_PLUGIN_KUBENET);
  config.mutable_network_config()->set_network_policy(static_cast<aksnodeconfig::v1::NetworkPolicy>(99));
  config.mutable_cluster_config()->set_vm_type(aksnodeconfig::v1::VM_TYPE_VMSS);
  const Environment environment = cse_environment(config, {});
  EXPECT_THAT(
      environment,
      IsSupersetOf(Environment{
          {"NETWORK_PLUGIN", "kubenet"}, {"NETWORK_POLICY", ""}, {"VM_TYPE", "vmss"}, {"LOAD_BALANCER_SKU", ""}}));
}

struct Timeout {
  int32_t seconds;
  std::string_view text;
};

TEST(CseEnvironment, KeepsTheTimeoutWithinSixHours) {
  for (const auto& [seconds, text] :
       {Timeout{1, "1"}, Timeout{21600, "21600"}, Timeout{21601, "900"}, Timeout{0, "900"}, Timeout{-5, "900"}}) {
    Configuration config;
    config.set_cse_timeout(seconds);
    EXPECT_THAT(cse_environment(config, {}), Contains(Pair("CSE_TIMEOUT", text)));
  }
}

TEST(CseEnvironment, DisablesSshOnlyWhenToldTo) {
  Configuration config;
  EXPECT_THAT(cse_environment(config, {}), Contains(Pair("DISABLE_SSH", "false")));
  config.set_enable_ssh(true);
  EXPECT_THAT(cse_environment(config, {}), Contains(Pair("DISABLE_SSH", "false")));
  config.set_enable_ssh(false);
  EXPECT_THAT(cse_environment(config, {}), Contains(Pair("DISABLE_SSH", "true")));
}

TEST(CseEnvironment, TakesGpuVersionsAndTheContainerdLayoutFromTheImage) {
  Configuration config;
  config.set_vm_size("Standard_NV6ads_A10_v5");
  const Environment one = cse_environment(config, {"1.7.22", {{"aks-gpu-grid", {"570.1", "sha"}}}});
  EXPECT_THAT(one, IsSupersetOf(Environment{
                       {"GPU_DRIVER_TYPE", "grid"}, {"GPU_DRIVER_VERSION", "570.1"}, {"GPU_IMAGE_SHA", "sha"}}));
  const Environment two = cse_environment(config, {"2.0.0", {}});
  EXPECT_NE(one.at("CONTAINERD_CONFIG_CONTENT"), two.at("CONTAINERD_CONFIG_CONTENT"));
}

TEST(CseEnvironment, PassesABadPortRangeOnWithARemark) {
  Configuration config;
  config.mutable_custom_linux_os_config()->mutable_sysctl_config()->set_net_ipv4_ip_local_port_range("9 5");
  std::vector<std::string> remarks;
  cse_environment(config, {}, &remarks);
  EXPECT_THAT(remarks, ElementsAre("port range end value should be greater than the start value: 9 >= 5"));
}

TEST(EnvironmentJson, IsOneSortedObjectOfStrings) {
  EXPECT_EQ(environment_json({{"B", "<x>\n\"é\""}, {"A", ""}}), "{\n  \"A\": \"\",\n  \"B\": \"<x>\\n\\\"é\\\"\"\n}\n");
}

TEST(EnvironmentJson, IsJsonEvenIfAValueIsNotUtf8) {
  EXPECT_TRUE(nlohmann::json::accept(environment_json({{"A", "\xff\xfe"}})));
}

TEST(EnvironmentShell, QuotesEverythingAShellWouldTouch) {
  const auto text = environment_shell({{"A", "it's $HOME `x` \\ \"q\"\n!"}, {"B", ""}});
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, "export A='it'\\''s $HOME `x` \\ \"q\"\n!'\nexport B=''\n");
}

TEST(EnvironmentShell, RefusesANulCharacterByTheNameOfItsVariable) {
  const auto text = environment_shell({{"A", std::string("a\0b", 3)}});
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().what, "A would contain a NUL character, which an environment cannot contain");
}

}  // namespace
}  // namespace sunup::render
