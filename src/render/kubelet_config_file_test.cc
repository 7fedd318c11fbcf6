#include "render/kubelet_config_file.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>

#include <set>

namespace sunup::render {
namespace {

using aksnodeconfig::v1::Configuration;
using aksnodeconfig::v1::KubeletConfigFileConfig;
using google::protobuf::FieldDescriptor;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(KubeletConfigFile, IsNothingOrAnEmptyObjectWithoutItsPartOfTheConfig) {
  Configuration config;
  EXPECT_EQ(kubelet_config_file(config), "");
  config.mutable_kubelet_config();
  EXPECT_EQ(kubelet_config_file(config), "{}");
}

TEST(KubeletConfigFile, LeavesOutZeroesUnlessTheyWereSaid) {
  Configuration config;
  auto& file = *config.mutable_kubelet_config()->mutable_kubelet_config_file_config();
  file.set_read_only_port(0);
  file.set_event_record_qps(0);
  file.set_fail_swap_on(false);
  file.mutable_authentication()->mutable_anonymous()->set_enabled(false);
  EXPECT_EQ(kubelet_config_file(config), R"({
    "authentication": {
        "anonymous": {}
    },
    "eventRecordQPS": 0,
    "failSwapOn": false
})");
}

TEST(KubeletConfigFile, SortsMapsAndEscapesForHtml) {
  Configuration config;
  auto& file = *config.mutable_kubelet_config()->mutable_kubelet_config_file_config();
  (*file.mutable_feature_gates())["b"] = false;
  (*file.mutable_feature_gates())["B"] = true;
  (*file.mutable_eviction_hard())["memory.available"] = "<1&>";
  file.add_cluster_dns("10.0.0.10");
  file.mutable_authorization()->mutable_webhook()->set_cache_authorized_ttl("1s");
  EXPECT_EQ(kubelet_config_file(config), R"({
    "authorization": {
        "webhook": {
            "cacheAuthorizedTtl": "1s"
        }
    },
    "clusterDNS": [
        "10.0.0.10"
    ],
    "evictionHard": {
        "memory.available": "\u003c1\u0026\u003e"
    },
    "featureGates": {
        "B": true,
        "b": false
    }
})");
}

TEST(KubeletConfigFile, DropsTheStreamingTimeoutFrom134On) {
  Configuration config;
  config.mutable_kubelet_config()->mutable_kubelet_config_file_config()->set_streaming_connection_idle_timeout("4h");
  config.set_kubernetes_version("1.33.99");
  EXPECT_THAT(kubelet_config_file(config), HasSubstr("\"streamingConnectionIdleTimeout\": \"4h\""));
  config.set_kubernetes_version("1.34.0-alpha.1");
  EXPECT_THAT(kubelet_config_file(config), HasSubstr("streamingConnectionIdleTimeout"));
  config.set_kubernetes_version("v1.34");
  EXPECT_EQ(kubelet_config_file(config), "{}");
}

// The writer follows the contract, so this test fixes what scripts and kubelet read.
TEST(KubeletConfigFile, HasItsMembersInTheirKnownOrder) {
  std::vector<std::string> names;
  const auto* type = KubeletConfigFileConfig::descriptor();
  for (int i = 0; i < type->field_count(); ++i) names.push_back(type->field(i)->json_name());
  EXPECT_THAT(
      names,
      ElementsAre("kind", "apiVersion", "staticPodPath", "address", "readOnlyPort", "tlsCertFile", "tlsPrivateKeyFile",
                  "tlsCipherSuites", "rotateCertificates", "serverTLSBootstrap", "authentication", "authorization",
                  "eventRecordQPS", "clusterDomain", "clusterDNS", "streamingConnectionIdleTimeout",
                  "nodeStatusUpdateFrequency", "nodeStatusReportFrequency", "imageGCHighThresholdPercent",
                  "imageGCLowThresholdPercent", "cgroupsPerQOS", "cpuManagerPolicy", "topologyManagerPolicy", "maxPods",
                  "podPidsLimit", "resolvConf", "cpuCFSQuota", "cpuCFSQuotaPeriod", "evictionHard",
                  "protectKernelDefaults", "featureGates", "failSwapOn", "containerLogMaxSize", "containerLogMaxFiles",
                  "systemReserved", "kubeReserved", "enforceNodeAllocatable", "evictionSoft", "evictionSoftGracePeriod",
                  "evictionMaxPodGracePeriod", "kubeReservedCgroup", "systemReservedCgroup", "allowedUnsafeSysctls",
                  "serializeImagePulls", "seccompDefault"));
}

void expect_writable(const google::protobuf::Descriptor* type) {
  const std::set<FieldDescriptor::CppType> known = {FieldDescriptor::CPPTYPE_STRING, FieldDescriptor::CPPTYPE_BOOL,
                                                    FieldDescriptor::CPPTYPE_INT32, FieldDescriptor::CPPTYPE_MESSAGE};
  for (int i = 0; i < type->field_count(); ++i) {
    const FieldDescriptor* field = type->field(i);
    EXPECT_TRUE(known.contains(field->cpp_type())) << field->full_name();
    if (field->is_repeated() && !field->is_map()) {
      EXPECT_EQ(field->cpp_type(), FieldDescriptor::CPPTYPE_STRING) << field->full_name();
    }
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) expect_writable(field->message_type());
  }
}

TEST(KubeletConfigFile, HoldsOnlyTypesThatTheWriterKnows) {
  expect_writable(KubeletConfigFileConfig::descriptor());
}

TEST(KubeletFlags, AreSortedByTheBytesOfTheirNames) {
  Configuration config;
  auto& flags = *config.mutable_kubelet_config()->mutable_kubelet_flags();
  EXPECT_EQ(kubelet_flags(config), "");
  flags["--node-ip"] = "";
  flags["--B"] = "2";
  flags["--a"] = "x y";
  flags["--_"] = "3";
  EXPECT_EQ(kubelet_flags(config), "--B=2 --_=3 --a=x y --node-ip=");
}

TEST(KubeletFlags, DropTheStreamingTimeoutFrom134On) {
  Configuration config;
  auto& flags = *config.mutable_kubelet_config()->mutable_kubelet_flags();
  flags["--streaming-connection-idle-timeout"] = "4h";
  flags["--a"] = "1";
  config.set_kubernetes_version("1.33.1");
  EXPECT_THAT(kubelet_flags(config), HasSubstr("streaming"));
  config.set_kubernetes_version("1.34.0");
  EXPECT_EQ(kubelet_flags(config), "--a=1");
}

TEST(KubeletNodeLabels, AreJoinedByCommas) {
  aksnodeconfig::v1::KubeletConfig kubelet;
  (*kubelet.mutable_kubelet_node_labels())["b"] = "2";
  (*kubelet.mutable_kubelet_node_labels())[""] = "";
  EXPECT_EQ(kubelet_node_labels(kubelet), "=,b=2");
}

TEST(KubeletConfigFile, StraightToKubeletTheKeysAreTheOnesItReads) {
  Configuration config;
  auto* file = config.mutable_kubelet_config()->mutable_kubelet_config_file_config();
  file->mutable_authentication()->mutable_anonymous();
  file->mutable_authentication()->mutable_webhook()->set_cache_ttl("1m");
  file->mutable_authorization()->mutable_webhook()->set_cache_authorized_ttl("2m");
  file->mutable_authorization()->mutable_webhook()->set_cache_unauthorized_ttl("3m");
  EXPECT_EQ(kubelet_config_file(config, KubeletKeys::kAsKubeletReadsThem), R"({
    "authentication": {
        "webhook": {
            "enabled": false,
            "cacheTTL": "1m"
        },
        "anonymous": {
            "enabled": false
        }
    },
    "authorization": {
        "webhook": {
            "cacheAuthorizedTTL": "2m",
            "cacheUnauthorizedTTL": "3m"
        }
    }
})");
  EXPECT_NE(kubelet_config_file(config).find("\"cacheTtl\""), std::string::npos);
  EXPECT_NE(kubelet_config_file(config).find("\"anonymous\": {}"), std::string::npos);
}

}  // namespace
}  // namespace sunup::render
