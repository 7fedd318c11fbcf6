#include "contract/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "contract/test_check.h"
#include "contract/x509.h"

namespace sunup::contract {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(Check, HasNothingToSayAboutAGoodConfig) {
  EXPECT_THAT(said(good_config()), IsEmpty());
}

class CheckFinds : public testing::TestWithParam<Case> {};

TEST_P(CheckFinds, WhatWouldOnlyShowAsADeadNode) {
  EXPECT_THAT(said(with(GetParam().change)), Contains(GetParam().expected)) << GetParam().change;
}

#define DNS(members) R"({"local_dns_profile":{"enable_local_dns":true,"vnet_dns_overrides":{".":{)" members R"(}}}})"
#define DNS_PATH "$.local_dns_profile.vnet_dns_overrides[\".\"]"

constexpr Case kIdentity[] = {
    {R"({"auth_config":{"subscription_id":null}})", "error required-field $.auth_config.subscription_id"},
    {R"({"cluster_config":{"resource_group":""}})", "error required-field $.cluster_config.resource_group"},
    {R"({"cluster_config":{"location":null}})", "error required-field $.cluster_config.location"},
    {R"({"cluster_config":{"cluster_network_config":null}})",
     "error required-field $.cluster_config.cluster_network_config.vnet_name"},
    {R"({"cluster_config":{"cluster_network_config":{"route_table":null}}})",
     "error required-field $.cluster_config.cluster_network_config.route_table"},
    {R"({"cluster_config":{"resource_group":" \t\n"}})", "error required-field $.cluster_config.resource_group"},
    {R"({"api_server_config":{"api_server_name":" "}})", "error required-field $.api_server_config.api_server_name"},
    {R"({"auth_config":{"subscription_id":"  "}})", "error required-field $.auth_config.subscription_id"},
    {R"({"kubernetes_version":" "})", "error kubernetes-version $.kubernetes_version"},
    {R"({"linux_admin_username":"joe; reboot"})", "error admin-user $.linux_admin_username"},
    {R"({"linux_admin_username":"`id`"})", "error admin-user $.linux_admin_username"},
    {R"({"linux_admin_username":"-joe"})", "error admin-user $.linux_admin_username"},
    {R"({"linux_admin_username":" "})", "error admin-user $.linux_admin_username"},
    {R"({"linux_admin_username":"a2345678901234567890123456789012x"})", "error admin-user $.linux_admin_username"},
    {R"({"api_server_config":null})", "error required-field $.api_server_config.api_server_name"},
    {R"({"api_server_config":{"api_server_name":"https://a.b"}})",
     "error api-server-name $.api_server_config.api_server_name"},
    {R"({"api_server_config":{"api_server_name":"10.0.0.300"}})",
     "error api-server-name $.api_server_config.api_server_name"},
    {R"({"api_server_config":{"api_server_name":"a.b:443"}})",
     "error api-server-name $.api_server_config.api_server_name"},
    {R"({"auth_config":{"tenant_id":"contoso"}})", "warning azure-id $.auth_config.tenant_id"},
    {R"({"auth_config":{"use_managed_identity_extension":false}})", "warning cloud-identity $.auth_config"},
    {R"({"auth_config":{"service_principal_id":"x"}})", "warning cloud-identity $.auth_config.service_principal_id"},
    {R"({"auth_config":{"use_managed_identity_extension":false,"service_principal_id":"x"}})",
     "error cloud-identity $.auth_config.service_principal_secret"},
    {R"({"bootstrapping_config":null})", "error bootstrap-credential $.bootstrapping_config"},
    {R"({"kubelet_config":{"kubelet_client_key":"YQ==","kubelet_client_cert_content":"YQ=="}})",
     "warning bootstrap-credential $.kubelet_config.kubelet_client_key"},
    {R"({"bootstrapping_config":{"tls_bootstrapping_token":null,
         "bootstrapping_auth_method":"BOOTSTRAPPING_AUTH_METHOD_SECURE_TLS_BOOTSTRAPPING"},
         "kubelet_config":{"kubelet_client_key":"YQ==","kubelet_client_cert_content":"YQ=="}})",
     "error bootstrap-credential $.kubelet_config.kubelet_flags"},
    {R"({"bootstrapping_config":{"tls_bootstrapping_token":null,
         "bootstrapping_auth_method":"BOOTSTRAPPING_AUTH_METHOD_BOOTSTRAP_TOKEN"}})",
     "error bootstrap-method $.bootstrapping_config.bootstrapping_auth_method"},
    {R"({"bootstrapping_config":{"bootstrapping_auth_method":"BOOTSTRAPPING_AUTH_METHOD_ARC_MSI"}})",
     "warning bootstrap-method $.bootstrapping_config.bootstrapping_auth_method"},
    {R"({"bootstrapping_config":{"tls_bootstrapping_token":"07401B.f395accd246ae52d"}})",
     "error bootstrap-token $.bootstrapping_config.tls_bootstrapping_token"},
    {R"({"kubelet_config":{"kubelet_client_key":"YQ=="}})",
     "error client-certificate-pair $.kubelet_config.kubelet_client_cert_content"},
    {R"({"bootstrapping_config":{"secure_tls_bootstrapping_get_nonce_timeout":"5"}})",
     "error bootstrap-timeout $.bootstrapping_config.secure_tls_bootstrapping_get_nonce_timeout"},
    {R"({"kubernetes_version":null})", "error kubernetes-version $.kubernetes_version"},
    {R"({"kubernetes_version":"latest"})", "error kubernetes-version $.kubernetes_version"},
    {R"({"kubernetes_version":"1.34"})", "warning kubernetes-version $.kubernetes_version"},
    {R"({"kubernetes_version":"v1.34-alpha.1.2"})", "warning kubernetes-version $.kubernetes_version"},
    {R"({"kubernetes_version":"1"})", "error kubernetes-version $.kubernetes_version"},
    {R"({"kubernetes_version":"1.34."})", "error kubernetes-version $.kubernetes_version"},
    {R"({"kubernetes_version":"1.19.9"})", "error kubernetes-version $.kubernetes_version"},
    {R"({"kubernetes_version":"2.0.0"})", "error kubernetes-version $.kubernetes_version"},
    {R"({"kubernetes_version":"1.99.0"})", "warning kubernetes-version $.kubernetes_version"},
    {R"({"custom_cloud_config":{"custom_cloud_env_name":"AKSCustom"}})",
     "error custom-cloud $.custom_cloud_config.custom_env_json_content"},
    {R"({"custom_cloud_config":{"custom_cloud_env_name":"AzureStackCloud"}})",
     "warning custom-cloud $.custom_cloud_config.custom_cloud_env_name"},
    {R"({"custom_cloud_config":{"custom_env_json_content":"{\"resourceManagerEndpoint\": "}})",
     "error cloud-endpoints $.custom_cloud_config.custom_env_json_content"},
    {R"({"custom_cloud_config":{"custom_env_json_content":"{}"}})",
     "warning cloud-endpoints $.custom_cloud_config.custom_env_json_content"},
    {R"({"service_account_image_pull_profile":{"enabled":true}})",
     "error image-pull-identity $.service_account_image_pull_profile.local_authority_sni"},
};
INSTANTIATE_TEST_SUITE_P(Identity, CheckFinds, testing::ValuesIn(kIdentity));

constexpr Case kCertificates[] = {
    {R"({"kubernetes_ca_cert":null})", "error cluster-ca $.kubernetes_ca_cert"},
    {R"({"kubernetes_ca_cert":"not base64!"})", "error base64 $.kubernetes_ca_cert"},
    {R"({"kubernetes_ca_cert":"Y2VydA=="})", "error cluster-ca $.kubernetes_ca_cert"},
    {R"({"custom_ca_certs":["%%%"]})", "error base64 $.custom_ca_certs[0]"},
    {R"({"custom_ca_certs":["Y2VydA=="]})", "error trusted-ca $.custom_ca_certs[0]"},
    {R"({"custom_ca_certs":[""]})", "error trusted-ca $.custom_ca_certs[0]"},
    {R"({"http_proxy_config":{"proxy_trusted_ca":"Y2VydA=="}})",
     "error trusted-ca $.http_proxy_config.proxy_trusted_ca"},
    {R"({"kubelet_config":{"kubelet_client_key":"a2V5"}})",
     "error client-certificate $.kubelet_config.kubelet_client_key"},
    {R"({"kubelet_config":{"kubelet_client_cert_content":"Y2VydA=="}})",
     "error client-certificate $.kubelet_config.kubelet_client_cert_content"},
    {R"({"auth_config":{"service_principal_secret":"a"}})", "warning base64 $.auth_config.service_principal_secret"},
    {R"({"auth_config":{"service_principal_secret":"a","service_principal_id":"x",
         "use_managed_identity_extension":false}})",
     "error base64 $.auth_config.service_principal_secret"},
    {R"({"message_of_the_day":"hello there"})", "warning base64 $.message_of_the_day"},
    {R"({"api_server_config":{"api_server_public_key":"Y2VydA=="}})",
     "warning api-server-certificate $.api_server_config.api_server_public_key"},
};
INSTANTIATE_TEST_SUITE_P(Certificates, CheckFinds, testing::ValuesIn(kCertificates));

constexpr Case kNetwork[] = {
    {R"({"http_proxy_config":{"http_proxy":"proxy:3128"}})", "error proxy-url $.http_proxy_config.http_proxy"},
    {R"({"http_proxy_config":{"http_proxy":"http://192.168.300.1:80"}})",
     "error proxy-url $.http_proxy_config.http_proxy"},
    {R"({"http_proxy_config":{"http_proxy":"http://%zz@h:1"}})", "error proxy-url $.http_proxy_config.http_proxy"},
    {R"({"http_proxy_config":{"http_proxy":"http://my_proxy:3128"}})",
     "warning proxy-url $.http_proxy_config.http_proxy"},
    {R"({"http_proxy_config":{"http_proxy":"http://u:abc@proxy:3128"}})",
     "warning short-secret $.http_proxy_config.http_proxy"},
    {R"({"custom_search_domain_config":{"realm_password":"abcde"}})",
     "warning short-secret $.custom_search_domain_config.realm_password"},
    {R"({"http_proxy_config":{"https_proxy":"http://u:p$w@h:1"}})", "error proxy-url $.http_proxy_config.https_proxy"},
    {R"({"http_proxy_config":{"http_proxy":"http://h:1"}})", "warning no-proxy $.http_proxy_config.no_proxy_entries"},
    {R"({"http_proxy_config":{"no_proxy_entries":["a,b"]}})", "error no-proxy $.http_proxy_config.no_proxy_entries[0]"},
    {R"({"http_proxy_config":{"no_proxy_entries":["*","$HOME"]}})",
     "error no-proxy $.http_proxy_config.no_proxy_entries[1]"},
    {R"({"http_proxy_config":{"proxy_trusted_ca":"YQ=="}})", "warning proxy-ca $.http_proxy_config.proxy_trusted_ca"},
    {R"({"kube_binary_config":{"kube_binary_url":"not a url"}})",
     "warning download-url $.kube_binary_config.kube_binary_url"},
    {R"({"kube_binary_config":{"pod_infra_container_image_url":null}})",
     "error pause-image $.kube_binary_config.pod_infra_container_image_url"},
    {R"({"kube_binary_config":{"pod_infra_container_image_url":"https://a/b"}})",
     "error pause-image $.kube_binary_config.pod_infra_container_image_url"},
    {R"({"bootstrap_profile_container_registry_server":"https://r.azurecr.io"})",
     "error bootstrap-registry $.bootstrap_profile_container_registry_server"},
    {R"({"bootstrap_profile_container_registry_server":"r.azurecr.io"})",
     "warning bootstrap-registry $.bootstrap_profile_container_registry_server"},
    {R"({"network_config":{"network_plugin":"NETWORK_PLUGIN_AZURE"}})",
     "warning network-plugin $.network_config.vnet_cni_plugins_url"},
    {R"({"network_config":{"network_policy":"NETWORK_POLICY_AZURE"}})",
     "warning network-plugin $.network_config.network_policy"},
    {R"({"network_config":{"standard_secondary_nic_count":-1}})",
     "warning network-plugin $.network_config.standard_secondary_nic_count"},
    {R"({"cluster_config":{"cluster_network_config":{"core_dns_service_ip":"dns"}}})",
     "error core-dns-address $.cluster_config.cluster_network_config.core_dns_service_ip"},
    {R"({"outbound_command":"nc -z a 1; reboot"})", "warning outbound-command $.outbound_command"},
    {R"({"imds_restriction_config":{"insert_imds_restriction_rule_to_mangle_table":true}})",
     "note imds-restriction $.imds_restriction_config.insert_imds_restriction_rule_to_mangle_table"},
    {DNS(R"("cache_duration_in_seconds":0)"), "error local-dns-number " DNS_PATH ".cache_duration_in_seconds"},
    {R"({"local_dns_profile":{"enable_local_dns":true,"kube_dns_overrides":{"cluster.local":{},"Cluster.local.":{}}}})",
     "error local-dns-domain $.local_dns_profile.kube_dns_overrides[\"cluster.local\"]"},
    {R"({"local_dns_profile":{"enable_local_dns":true,"enable_hosts_plugin":true,"critical_fqdns":["a\nb"]}})",
     "error local-dns-hosts $.local_dns_profile.critical_fqdns[0]"},
    {DNS(R"("cache_duration_in_seconds":1)"), "error local-dns-number " DNS_PATH ".max_concurrent"},
    {DNS(R"("max_concurrent":1)"), "error local-dns-number " DNS_PATH ".cache_duration_in_seconds"},
    {DNS(R"("serve_stale":"Verify")"), "error local-dns-number " DNS_PATH ".serve_stale_duration_in_seconds"},
    {DNS(R"("max_concurrent":-1)"), "error local-dns-number " DNS_PATH ".max_concurrent"},
    {DNS(R"("protocol":"UDP")"), "warning local-dns-word " DNS_PATH ".protocol"},
    {DNS(R"("health_check":{"duration":"5"})"), "error local-dns-domain " DNS_PATH ".health_check.duration"},
    {DNS(R"("max_concurrent":1)"), "warning local-dns-domain $.local_dns_profile.kube_dns_overrides"},
    {R"({"local_dns_profile":{"enable_local_dns":true,"kube_dns_overrides":{"a b":{}}}})",
     "error local-dns-domain $.local_dns_profile.kube_dns_overrides[\"a b\"]"},
    {R"({"local_dns_profile":{"enable_local_dns":true,"memory_limit_in_mb":-1}})",
     "error local-dns-limit $.local_dns_profile.memory_limit_in_mb"},
    {R"({"local_dns_profile":{"enable_local_dns":true,"enable_hosts_plugin":true}})",
     "warning local-dns-hosts $.local_dns_profile.critical_fqdns"},
};
INSTANTIATE_TEST_SUITE_P(Network, CheckFinds, testing::ValuesIn(kNetwork));

#define OS "$.custom_linux_os_config"
constexpr Case kSystem[] = {
    {R"({"custom_linux_os_config":{"sysctl_config":{"net_ipv4_ip_local_port_range":"65400 32768"}}})",
     "error port-range " OS ".sysctl_config.net_ipv4_ip_local_port_range"},
    {R"({"custom_linux_os_config":{"sysctl_config":{"net_ipv4_ip_local_port_range":"1 2 3"}}})",
     "error port-range " OS ".sysctl_config.net_ipv4_ip_local_port_range"},
    {R"({"custom_linux_os_config":{"sysctl_config":{"net_ipv4_ip_local_port_range":"1024 60999"}}})",
     "warning port-range " OS ".sysctl_config.net_ipv4_ip_local_port_range"},
    {R"({"custom_linux_os_config":{"sysctl_config":{"fs_file_max":-1}}})",
     "error sysctl-value " OS ".sysctl_config.fs_file_max"},
    {R"({"custom_linux_os_config":{"sysctl_config":{"net_core_rmem_max":1}}})",
     "error sysctl-value " OS ".sysctl_config.net_core_rmem_max"},
    {R"({"custom_linux_os_config":{"sysctl_config":{"vm_swappiness":201}}})",
     "error sysctl-value " OS ".sysctl_config.vm_swappiness"},
    {R"({"custom_linux_os_config":{"sysctl_config":{"net_ipv4_neigh_default_gc_thresh1":9000}}})",
     "warning sysctl-value " OS ".sysctl_config"},
    {R"({"custom_linux_os_config":{"enable_swap_config":true}})", "error swap " OS ".swap_file_size"},
    {R"({"custom_linux_os_config":{"swap_file_size":100}})", "warning swap " OS ".swap_file_size"},
    {R"({"custom_linux_os_config":{"enable_swap_config":true,"swap_file_size":100}})",
     "error swap $.kubelet_config.kubelet_config_file_config.fail_swap_on"},
    {R"({"custom_linux_os_config":{"enable_swap_config":true,"swap_file_size":100},
         "kubelet_config":{"kubelet_config_file_config":{"fail_swap_on":true}}})",
     "error swap $.kubelet_config.kubelet_config_file_config.fail_swap_on"},
    {R"({"custom_linux_os_config":{"enable_swap_config":true,"swap_file_size":100},
         "kubelet_config":{"kubelet_flags":{"--fail-swap-on":"true"}}})",
     "error swap $.kubelet_config.kubelet_flags[\"--fail-swap-on\"]"},
    {R"({"custom_linux_os_config":{"transparent_hugepage_support":"on"}})",
     "error huge-pages " OS ".transparent_hugepage_support"},
    {R"({"custom_linux_os_config":{"transparent_defrag":"on"}})", "error huge-pages " OS ".transparent_defrag"},
    {R"({"custom_linux_os_config":{"ulimit_config":{"no_file":"many"}}})", "error ulimit " OS ".ulimit_config.no_file"},
    {R"({"gpu_config":{"gpu_instance_profile":"MIG1g"}})", "error mig $.gpu_config.gpu_instance_profile"},
    {R"({"gpu_config":{"enable_nvidia":true,"gpu_instance_profile":"1g.5gb"},"vm_size":"Standard_NC24ads_A100_v4"})",
     "error mig $.gpu_config.gpu_instance_profile"},
    {R"({"vm_size":"Standard_D4s_v5","gpu_config":{"enable_nvidia":true,"gpu_instance_profile":"MIG7g"}})",
     "error mig $.gpu_config.gpu_instance_profile"},
    {R"({"custom_linux_os_config":{"sysctl_config":{"net_ipv4_tcp_keepalive_probes":300}}})",
     "error sysctl-value $.custom_linux_os_config.sysctl_config.net_ipv4_tcp_keepalive_probes"},
    {R"({"custom_linux_os_config":{"ulimit_config":{"no_file":"100:50"}}})",
     "warning ulimit $.custom_linux_os_config.ulimit_config.no_file"},
    {R"({"gpu_config":{"mig_profile_layout":["x"]}})", "error mig $.gpu_config.mig_profile_layout[0]"},
    {R"({"gpu_config":{"mig_strategy":"mixed"}})", "warning mig $.gpu_config.mig_strategy"},
    {R"({"gpu_config":{"enable_managed_gpu":true,"enable_managed_gpu_dra":true}})",
     "error gpu $.gpu_config.enable_managed_gpu_dra"},
    {R"({"gpu_config":{"enable_nvidia":true}})", "warning gpu $.vm_size"},
    {R"({"vm_size":"Standard_NC24ads_A100_v4"})", "warning gpu $.gpu_config.enable_nvidia"},
    {R"({"cse_timeout":21601})", "warning cse-timeout $.cse_timeout"},
    {R"({"enabled_features":{"1A":"x"}})", "warning enabled-feature $.enabled_features[\"1A\"]"},
    {R"({"enabled_features":{"A":"x\ny"}})", "warning enabled-feature $.enabled_features[\"A\"]"},
    {R"({"custom_search_domain_config":{"domain_name":"a"}})", "warning search-domain $.custom_search_domain_config"},
    {R"({"kubelet_config":{"container_data_dir":"var/lib"}})",
     "error container-data-dir $.kubelet_config.container_data_dir"},
    {R"({"vm_size":"Standard_D4ds_v5\n"})", "warning stray-character $.vm_size"},
    {R"({"cluster_config":{"location":" eastus"}})", "warning stray-character $.cluster_config.location"},
};
INSTANTIATE_TEST_SUITE_P(System, CheckFinds, testing::ValuesIn(kSystem));

TEST(Check, FindsWhatDoesNotFitIntoAVariable) {
  json config = good_config();
  config["message_of_the_day"] = std::string(131072, 'A');
  EXPECT_THAT(said(config), Contains("error too-long $.message_of_the_day"));
  config = good_config();
  for (int i = 0; i < 3000; ++i)
    config["kubelet_config"]["kubelet_node_labels"]["label-" + std::to_string(i)] = std::string(50, 'v');
  EXPECT_THAT(said(config), Contains("error too-long $.kubelet_config.kubelet_node_labels"));
}

TEST(Check, JudgesCertificatesByTheirDates) {
  json config = good_config();
  config["kubernetes_ca_cert"] = base64_encode(make_certificate(kNow - 2 * kYear, kNow - kYear, true).certificate);
  auto findings = judged(config);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].severity, Severity::kWarning);
  EXPECT_EQ(findings[0].message, "the certificate of CN=test-ca ended on 2026-01-15");
  config["kubernetes_ca_cert"] = base64_encode(make_certificate(kNow + kYear, kNow + 2 * kYear, true).certificate);
  EXPECT_THAT(judged(config).at(0).message, HasSubstr("is not valid before"));
  config["kubernetes_ca_cert"] = base64_encode(make_certificate(kNow - kYear, kNow + 86400, true).certificate);
  EXPECT_THAT(judged(config).at(0).message, HasSubstr("ends on"));
}

TEST(Check, WantsACertificateAuthority) {
  json config = good_config();
  config["kubernetes_ca_cert"] = base64_encode(make_certificate(kNow - kYear, kNow + kYear, false).certificate);
  EXPECT_THAT(said(config), Contains("warning cluster-ca $.kubernetes_ca_cert"));
}

TEST(Check, TakesABundleButNoBrokenOne) {
  json config = good_config();
  config["kubernetes_ca_cert"] = base64_encode(good_ca().certificate + good_ca().certificate);
  EXPECT_THAT(said(config), IsEmpty());
  std::string broken = good_ca().certificate;
  broken[60] = broken[60] == 'A' ? 'B' : 'A';
  config["kubernetes_ca_cert"] = base64_encode(good_ca().certificate + broken.substr(0, broken.size() / 2));
  EXPECT_THAT(said(config), Contains("error cluster-ca $.kubernetes_ca_cert"));
}

TEST(Check, WantsTheKeyOfTheClientCertificate) {
  const Pem other = make_certificate(kNow - kYear, kNow + kYear, false);
  const Pem mine = make_certificate(kNow - kYear, kNow + kYear, false);
  json config = with(R"({"bootstrapping_config":null,
      "kubelet_config":{"kubelet_flags":{"--kubeconfig":"/var/lib/kubelet/kubeconfig"}}})");
  config["kubelet_config"]["kubelet_client_key"] = base64_encode(mine.key);
  config["kubelet_config"]["kubelet_client_cert_content"] = base64_encode(mine.certificate);
  EXPECT_THAT(said(config), IsEmpty());
  config["kubelet_config"]["kubelet_client_cert_content"] = base64_encode(other.certificate);
  EXPECT_THAT(said(config), Contains("error client-certificate $.kubelet_config.kubelet_client_cert_content"));
}

TEST(Check, LetsAnImageBePreparedWithoutCredentials) {
  EXPECT_THAT(said(with(R"({"pre_provision_only":true,"bootstrapping_config":null,"kubernetes_ca_cert":null})")),
              IsEmpty());
}

TEST(Check, AcceptsSwapThatKubeletTolerates) {
  EXPECT_THAT(said(with(R"({"custom_linux_os_config":{"enable_swap_config":true,"swap_file_size":100},
      "kubelet_config":{"kubelet_config_file_config":{"fail_swap_on":false}}})")),
              IsEmpty());
  EXPECT_THAT(said(with(R"({"custom_linux_os_config":{"enable_swap_config":true,"swap_file_size":100},
      "kubelet_config":{"kubelet_flags":{"--fail-swap-on":"false"}}})")),
              IsEmpty());
}

TEST(Check, SaysWhereKubeletHasToBeToldOfSwap) {
  const auto hint = [](const char* kubelet) {
    for (const Finding& finding :
         judged(with(R"({"custom_linux_os_config":{"enable_swap_config":true,"swap_file_size":100},"kubelet_config":)" +
                     std::string(kubelet) + "}")))
      if (finding.rule == "swap") return finding.hint;
    return std::string();
  };
  EXPECT_EQ(hint("{}"), "set fail_swap_on to false");
  EXPECT_THAT(hint(R"({"kubelet_flags":{"--fail-swap-on":"true"}})"), HasSubstr("in kubelet_flags"));
  EXPECT_THAT(hint(R"({"enable_kubelet_config_file":false})"), HasSubstr("in kubelet_flags"));
}

TEST(Check, PointsAtTheValueOrAtWhereItIsMissing) {
  const std::string text = "{\n  \"version\": \"v1\",\n  \"cluster_config\": {\n    \"location\": \"\"\n  }\n}";
  Details details;
  const auto loaded = load_text(text, "f", &details);
  ASSERT_TRUE(loaded.ok());
  for (const Finding& finding : check(loaded->config, details.places)) {
    if (finding.path == "$.cluster_config.location") {
      EXPECT_EQ(finding.at.line, 4);
    }
    if (finding.path == "$.cluster_config.resource_group") {
      EXPECT_EQ(finding.at.line, 3);
    }
    if (finding.path == "$.kubernetes_version") {
      EXPECT_EQ(finding.at.line, 1);
    }
  }
}

TEST(Check, TellsHowManyMoreThereAreOfOneMistake) {
  json config = good_config();
  config["kubelet_config"]["kubelet_flags"]["--register-with-taints"] = std::string(400'000, ',');
  auto findings = judged(config);
  std::erase_if(findings, [](const Finding& finding) { return finding.rule != "node-taint"; });
  ASSERT_EQ(findings.size(), 21u);
  EXPECT_THAT(findings[0].message, HasSubstr("is not a taint"));
  EXPECT_EQ(findings[20].message, "399981 more like this");
  EXPECT_EQ(findings[20].severity, Severity::kError);
}

TEST(Check, TakesTheItemsOfAListForOnePlace) {
  json config = good_config();
  config["kubelet_config"]["kubelet_config_file_config"]["cluster_dns"] = json(1000, "x");
  auto findings = judged(config);
  ASSERT_EQ(findings.size(), 21u);
  EXPECT_EQ(findings[20].message, "980 more like this");
  EXPECT_THAT(findings[20].path, testing::EndsWith("cluster_dns[20]"));
  EXPECT_GT(findings[20].at.line, findings[19].at.line);
}

TEST(Check, EndsSomewhereWhateverIsWrong) {
  json config = good_config();
  for (int i = 0; i < 1000; ++i) config["kubelet_config"]["kubelet_node_labels"]["label " + std::to_string(i)] = "-";
  const auto findings = judged(config);
  EXPECT_EQ(std::ranges::count(findings, "node-label", &Finding::rule), 201);
  EXPECT_EQ(std::ranges::count(findings, "1800 more like this", &Finding::message), 1);
}

TEST(Check, ShowsNoSecret) {
  const json config = with(R"({"bootstrapping_config":{"tls_bootstrapping_token":"hunter2",
      "secure_tls_bootstrapping_custom_client_download_url":"hunter2 "},
      "http_proxy_config":{"http_proxy":"hunter2","https_proxy":"ftp://u:hunter2@h"},
      "auth_config":{"service_principal_secret":"hunter2!"},
      "kubelet_config":{"kubelet_client_key":"hunter2!"},
      "custom_cloud_config":{"custom_cloud_env_name":"akscustom","custom_env_json_content":"{hunter2"},
      "kube_binary_config":{"custom_kube_binary_url":"hunter2 x"},
      "custom_search_domain_config":{"realm_password":"hunter2\n"},
      "containerd_config":{"containerd_package_url":"hunter2"},"runc_config":{"runc_package_url":"hunter2"},
      "private_egress_proxy_address":" hunter2"})");
  const auto findings = judged(config);
  EXPECT_GT(findings.size(), 8u);
  for (const Finding& finding : findings)
    EXPECT_THAT(finding.path + finding.message + finding.hint, Not(HasSubstr("hunter2"))) << finding.rule;
}

TEST(Check, IsDocumentedRuleByRule) {
  std::ifstream file(SUNUP_SOURCE_DIR "/docs/config-check.md");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  for (const RuleSummary& rule : check_rules())
    EXPECT_THAT(text, HasSubstr("| `" + std::string(rule.id) + "` | " + std::string(rule.about) + " |"));
}

}  // namespace
}  // namespace sunup::contract
