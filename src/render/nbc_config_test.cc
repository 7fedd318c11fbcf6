#include "render/nbc_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.h"
#include "render/test_nbc.h"

namespace sunup::render {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;
namespace v1 = aksnodeconfig::v1;

NbcConfig read(std::string_view variables) {
  auto read = read_nbc_config(test_command(variables));
  EXPECT_TRUE(read) << (read ? "" : read.error().what);
  return read ? *std::move(read) : NbcConfig();
}

std::string why(std::string_view variables) {
  const auto read = read_nbc_config(test_command(variables));
  return read ? "" : read.error().what;
}

std::string encoded(std::string_view name, std::string_view text) {
  return std::string(name) + "=\"" + base64_encode(text) + "\"";
}

TEST(NbcConfig, VariablesBecomeFields) {
  const NbcConfig command = read(
      "LOCATION=westeurope KUBERNETES_VERSION=1.34.1 VM_TYPE=vmss LOAD_BALANCER_SKU=Standard IS_VHD=false "
      "CLOUDPROVIDER_BACKOFF_RETRIES=0 CLOUDPROVIDER_RATELIMIT_QPS=1.5 DISABLE_SSH=\"true\" "
      "KUBELET_FLAGS=\"--a=b=c --d=e f \" KUBELET_NODE_LABELS=\"agentpool=x,k=v=w\" NO_PROXY_URLS=\"a,b\" "
      "HTTP_PROXY_URLS=\"http://p\" CUSTOM_CA_TRUST_COUNT=\"2\" CUSTOM_CA_CERT_0=\"AA\" CUSTOM_CA_CERT_1=\"BB\" "
      "TLS_BOOTSTRAP_TOKEN=\"abcdef.0123456789abcdef\" SHOULD_CONFIG_CONTAINERD_ULIMITS=\"true\" "
      "CONTAINERD_ULIMITS=\"[Service] LimitMEMLOCK=75000 LimitNOFILE=1048 \" HAS_KUBELET_DISK_TYPE=\"true\"");
  const auto& config = command.loaded.config;
  EXPECT_EQ(config.version(), "v1");
  EXPECT_EQ(config.cluster_config().location(), "westeurope");
  EXPECT_EQ(config.cluster_config().vm_type(), v1::VM_TYPE_VMSS);
  EXPECT_EQ(config.cluster_config().load_balancer_config().load_balancer_sku(), v1::LOAD_BALANCER_SKU_STANDARD);
  EXPECT_TRUE(config.has_is_vhd() && !config.is_vhd());
  EXPECT_TRUE(config.cluster_config().cloud_provider_config().has_backoff_retries()) << "an explicit 0 is no default";
  EXPECT_EQ(config.cluster_config().cloud_provider_config().rate_limit_qps(), 1.5);
  EXPECT_TRUE(config.has_enable_ssh() && !config.enable_ssh());
  EXPECT_EQ(config.kubelet_config().kubelet_flags().at("--a"), "b=c");
  EXPECT_EQ(config.kubelet_config().kubelet_flags().at("--d"), "e f");
  EXPECT_EQ(config.kubelet_config().kubelet_node_labels().at("k"), "v=w");
  EXPECT_EQ(config.http_proxy_config().no_proxy_entries_size(), 2);
  EXPECT_EQ(config.custom_ca_certs_size(), 2);
  EXPECT_EQ(config.bootstrapping_config().bootstrapping_auth_method(), v1::BOOTSTRAPPING_AUTH_METHOD_BOOTSTRAP_TOKEN);
  EXPECT_EQ(config.custom_linux_os_config().ulimit_config().no_file(), "1048");
  EXPECT_EQ(config.kubelet_config().kubelet_disk_type(), v1::KUBELET_DISK_TEMP_DISK);
  EXPECT_EQ(command.origin("cluster_config.location"), "LOCATION");
  EXPECT_EQ(command.origin("kubelet_config.kubelet_flags[\"--a\"]"), "KUBELET_FLAGS");
  EXPECT_EQ(command.origin("vm_size"), "");
}

TEST(NbcConfig, RenderedTextsAreKeptAsSent) {
  const std::string kubelet = R"({"kind":"KubeletConfiguration","clusterDNS":[""],"maxPods":30,"newMember":{"a":1},)"
                              R"("authentication":{"webhook":{"cacheTTL":"2m"}}})";
  const std::string sysctl = "# by hand\nnet.core.somaxconn=16384\nvm.max_map_count=70000\nnet.new.key=1\n";
  const std::string toml =
      "root = \"/mnt/aks/containers\"\n[plugins.\"io.containerd.grpc.v1.cri\"]\n  sandbox_image = \"pause:1\"\n";
  const NbcConfig command =
      read(encoded("KUBELET_CONFIG_FILE_CONTENT", kubelet) + " " + encoded("SYSCTL_CONTENT", sysctl) + " " +
           encoded("CONTAINERD_CONFIG_CONTENT", toml) + " MCR_REPOSITORY_BASE=\"mcr.example\"");
  EXPECT_EQ(command.sent.at("KUBELET_CONFIG_FILE_CONTENT"), kubelet);
  EXPECT_EQ(command.sent.at("SYSCTL_CONTENT"), sysctl);
  EXPECT_EQ(command.sent.at("CONTAINERD_CONFIG_CONTENT"), toml);
  EXPECT_EQ(command.sent.at("MCR_REPOSITORY_BASE"), "mcr.example");
  const auto& kubelet_config = command.loaded.config.kubelet_config();
  EXPECT_EQ(kubelet_config.kubelet_config_file_config().max_pods(), 30);
  EXPECT_EQ(kubelet_config.kubelet_config_file_config().cluster_dns_size(), 0);
  EXPECT_EQ(kubelet_config.kubelet_config_file_config().authentication().webhook().cache_ttl(), "2m");
  EXPECT_EQ(kubelet_config.container_data_dir(), "/mnt/aks/containers");
  EXPECT_EQ(command.loaded.config.kube_binary_config().pod_infra_container_image_url(), "pause:1");
  const auto& settings = command.loaded.config.custom_linux_os_config().sysctl_config();
  EXPECT_EQ(settings.vm_max_map_count(), 70000);
  EXPECT_FALSE(settings.has_net_core_somaxconn()) << "the default";
  EXPECT_THAT(command.remarks, Contains(HasSubstr("net.new.key")));
  EXPECT_EQ(command.loaded.findings.size(), 1u) << "newMember is in the file, and not in the contract";
}

TEST(NbcConfig, TheDnsServiceComesFromTheCorefileOrFromKubelet) {
  EXPECT_EQ(read("KUBELET_FLAGS=\"--cluster-dns=10.9.0.10\"")
                .loaded.config.cluster_config()
                .cluster_network_config()
                .core_dns_service_ip(),
            "10.9.0.10");
  const std::string corefile =
      "# ***\n.:53 {\n    log\n    bind 169.254.10.10\n    forward . 168.63.129.16 {\n        policy sequential\n"
      "        max_concurrent 5\n    }\n    cache 7 {\n        serve_stale 9s verify\n    }\n}\n"
      "cluster.local:53 {\n    errors\n    bind 169.254.10.11\n    forward . 10.8.0.10 {\n        force_tcp\n    "
      "}\n}\n";
  const auto config = read("SHOULD_ENABLE_LOCALDNS=\"true\" KUBELET_FLAGS=\"--cluster-dns=169.254.10.11\" " +
                           encoded("LOCALDNS_GENERATED_COREFILE", corefile))
                          .loaded.config;
  EXPECT_EQ(config.cluster_config().cluster_network_config().core_dns_service_ip(), "10.8.0.10");
  const auto& root = config.local_dns_profile().vnet_dns_overrides().at(".");
  EXPECT_EQ(root.query_logging() + root.serve_stale(), "LogVerify");
  EXPECT_EQ(root.cache_duration_in_seconds(), 7);
  EXPECT_EQ(config.local_dns_profile().kube_dns_overrides().at("cluster.local").protocol(), "ForceTCP");
}

TEST(NbcConfig, RefusesValuesOfAnotherKind) {
  EXPECT_THAT(why("IS_VHD=yes"), HasSubstr("IS_VHD: neither true nor false"));
  EXPECT_THAT(why("SWAP_FILE_SIZE_MB=\"1G\""), HasSubstr("SWAP_FILE_SIZE_MB: not a number"));
  EXPECT_THAT(why("SWAP_FILE_SIZE_MB=\"99999999999\""), HasSubstr("too large"));
  EXPECT_THAT(why("SYSCTL_CONTENT=\"not base64!\""), HasSubstr("SYSCTL_CONTENT: not base64"));
  EXPECT_THAT(why(encoded("KUBELET_CONFIG_FILE_CONTENT", "{")), HasSubstr("not a JSON object"));
  const std::string deep = R"({"authentication":)" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  EXPECT_THAT(why(encoded("KUBELET_CONFIG_FILE_CONTENT", deep)), HasSubstr("more than 100 levels"));
  EXPECT_THAT(why(encoded("KUBELET_CONFIG_FILE_CONTENT", R"({"maxPods":"many"})")),
              HasSubstr("KUBELET_CONFIG_FILE_CONTENT: $.kubelet_config.kubelet_config_file_config"));
  EXPECT_THAT(why("KUBELET_FLAGS=\"max-pods=3\""), HasSubstr("not a flag"));
  EXPECT_THAT(why("KUBELET_FLAGS=\"--a=1 --a=2\""), HasSubstr("twice"));
  EXPECT_THAT(why("CUSTOM_CA_TRUST_COUNT=\"2\" CUSTOM_CA_CERT_0=\"AA\""), HasSubstr("CUSTOM_CA_TRUST_COUNT"));
  EXPECT_THAT(why("CUSTOM_CA_TRUST_COUNT=\"1\" CUSTOM_CA_CERT_1=\"AA\""), HasSubstr("numbered"));
  EXPECT_THAT(why("LOCALDNS_CPU_LIMIT=\"much\""), HasSubstr("not a limit"));
}

TEST(NbcConfig, RefusesContradictions) {
  EXPECT_THAT(why("LOCATION=westeurope TARGET_CLOUD=\"AzureChinaCloud\""), HasSubstr("TARGET_CLOUD contradicts"));
  EXPECT_THAT(why("MIG_NODE=true GPU_INSTANCE_PROFILE=\"\""), HasSubstr("MIG_NODE contradicts"));
  EXPECT_THAT(why("CSE_HELPERS_FILEPATH=\"/tmp/x\""), HasSubstr("CSE_HELPERS_FILEPATH contradicts"));
  EXPECT_THAT(why("SHOULD_CONFIG_SWAP_FILE=\"true\" SWAP_FILE_SIZE_MB=\"0\""), StartsWith("column "));
  EXPECT_EQ(why("LOCATION=bleufrancecentral TARGET_CLOUD=\"AzureBleuCloud\" TARGET_ENVIRONMENT=\"AzureBleuCloud\""),
            "");
}

TEST(NbcConfig, PutsTheLineBreaksOfPemBack) {
  const std::string body = std::string(64, 'A') + "BBBB";
  const std::string pem =
      "-----BEGIN CERTIFICATE-----\n" + std::string(64, 'A') + "\nBBBB\n-----END CERTIFICATE-----\n";
  for (const char* gap : {"", " "}) {
    const auto config =
        read("CUSTOM_CA_TRUST_COUNT=\"1\" SHOULD_CONFIGURE_CUSTOM_CA_TRUST=\"true\" CUSTOM_CA_CERT_0=\"" +
             ("-----BEGIN CERTIFICATE-----" + std::string(gap) + body + gap) + "-----END CERTIFICATE-----\"")
            .loaded.config;
    EXPECT_EQ(config.custom_ca_certs(0), pem);
  }
}

TEST(NbcConfig, SaysWhatIsLostOrAmbiguous) {
  const auto remarks =
      read("NETWORK_POLICY=antrea TELEPORT_ENABLED=\"true\" SHOULD_CONFIGURE_HTTP_PROXY=\"true\"").remarks;
  for (const char* name : {"NETWORK_POLICY", "TELEPORT_ENABLED", "SHOULD_CONFIGURE_HTTP_PROXY"})
    EXPECT_THAT(remarks, Contains(StartsWith(name)));
}

// Variables that every sender leaves unset are not reported, because they would hide other remarks.
TEST(NbcConfig, SaysNothingAboutWhatIsUnset) {
  const auto command = read(
      "CLOUDPROVIDER_BACKOFF=<nil> CLOUDPROVIDER_RATELIMIT=<nil> LOAD_BALANCER_DISABLE_OUTBOUND_SNAT=<nil> "
      "MAXIMUM_LOADBALANCER_RULE_COUNT=0");
  EXPECT_THAT(command.remarks, testing::IsEmpty());
  EXPECT_FALSE(command.origins.contains("cluster_config.load_balancer_config.max_load_balancer_rule_count"));
}

}  // namespace
}  // namespace sunup::render
