#include "render/node/kubelet_serving.h"

#include <gtest/gtest.h>

namespace sunup::render::node {
namespace {

constexpr const char* kFlags =
    "--a=1 --rotate-server-certificates=true --tls-cert-file=/etc/kubernetes/certs/kubeletserver.crt "
    "--tls-private-key-file=/etc/kubernetes/certs/kubeletserver.key --z=2";

Configuration rotating() {
  Configuration config;
  config.mutable_kubelet_config()->mutable_kubelet_config_file_config()->set_server_tls_bootstrap(true);
  return config;
}

NodeFacts with_tag(const char* value) {
  NodeFacts facts;
  facts.imds.emplace();
  facts.imds->tags = {{"aks-disable-kubelet-serving-certificate-rotation", value}};
  return facts;
}

TEST(ServingCertificate, ComesFromTheConfigAndTheVeto) {
  EXPECT_EQ(serving_certificate({}, {}), ServingCertificate::kSelfSigned);
  EXPECT_EQ(serving_certificate({}, with_tag("true")), ServingCertificate::kSelfSigned);
  EXPECT_EQ(serving_certificate(rotating(), {}), ServingCertificate::kRotated);
  EXPECT_EQ(serving_certificate(rotating(), with_tag("false")), ServingCertificate::kRotated);
  EXPECT_EQ(serving_certificate(rotating(), with_tag("True")), ServingCertificate::kRotationVetoed);
}

TEST(ServingFlags, RotationNamesNoCertificateFiles) {
  EXPECT_EQ(serving_flags(kFlags, ServingCertificate::kRotated), "--a=1 --rotate-server-certificates=true --z=2");
}

TEST(ServingFlags, RotationLeavesOtherCertificateFilesAlone) {
  EXPECT_EQ(serving_flags("--tls-cert-file=/mine.crt", ServingCertificate::kRotated), "--tls-cert-file=/mine.crt");
}

TEST(ServingFlags, AVetoTurnsRotationOffAndKeepsTheFiles) {
  const std::string flags = serving_flags(kFlags, ServingCertificate::kRotationVetoed);
  EXPECT_NE(flags.find("--rotate-server-certificates=false --tls-cert-file="), std::string::npos) << flags;
  EXPECT_EQ(flags.find("--rotate-server-certificates=true"), std::string::npos);
}

TEST(ServingFlags, WithoutRotationNothingChanges) {
  EXPECT_EQ(serving_flags(kFlags, ServingCertificate::kSelfSigned), kFlags);
  EXPECT_EQ(serving_flags("", ServingCertificate::kRotated), "");
  EXPECT_EQ(serving_flags("--a=x  y --b=1", ServingCertificate::kRotated), "--a=x  y --b=1");
}

TEST(ServingLabels, TellWhoSignsTheCertificate) {
  EXPECT_EQ(serving_labels("a=1", ServingCertificate::kRotated), "a=1,kubernetes.azure.com/kubelet-serving-ca=cluster");
  EXPECT_EQ(serving_labels("kubernetes.azure.com/kubelet-serving-ca=cluster,a=1", ServingCertificate::kRotationVetoed),
            "a=1");
  EXPECT_EQ(serving_labels("a=1", ServingCertificate::kSelfSigned), "a=1");
}

TEST(ServingConfigFile, FollowsTheMode) {
  aksnodeconfig::v1::KubeletConfigFileConfig file;
  file.set_server_tls_bootstrap(true);
  file.set_tls_cert_file(std::string(paths::kServingCertificate));
  file.set_tls_private_key_file(std::string(paths::kServingKey));

  auto rotated = file;
  apply_to_config_file(ServingCertificate::kRotated, rotated);
  EXPECT_TRUE(rotated.server_tls_bootstrap());
  EXPECT_EQ(rotated.tls_cert_file() + rotated.tls_private_key_file(), "");

  auto vetoed = file;
  apply_to_config_file(ServingCertificate::kRotationVetoed, vetoed);
  EXPECT_FALSE(vetoed.server_tls_bootstrap());
  EXPECT_EQ(vetoed.tls_cert_file(), paths::kServingCertificate);
}

}  // namespace
}  // namespace sunup::render::node
