#include "render/node/secure_tls.h"

#include <gtest/gtest.h>

namespace sunup::render::node {
namespace {

Configuration secure() {
  Configuration config;
  config.mutable_api_server_config()->set_api_server_name("api.example");
  config.mutable_bootstrapping_config()->set_bootstrapping_auth_method(
      aksnodeconfig::v1::BOOTSTRAPPING_AUTH_METHOD_SECURE_TLS_BOOTSTRAPPING);
  return config;
}

TEST(SecureTls, IsNothingUnlessAskedFor) {
  EXPECT_TRUE(secure_tls_files({}, {})->empty());
}

TEST(SecureTls, NamesTheDefaultResourceAndTiesItselfToKubelet) {
  const auto files = secure_tls_files(secure(), {});
  ASSERT_EQ(files->size(), 2U);
  EXPECT_EQ((*files)[0].path, "/etc/default/secure-tls-bootstrap");
  EXPECT_EQ((*files)[0].mode, 0600U);
  EXPECT_EQ((*files)[0].content,
            "BOOTSTRAP_FLAGS=--aad-resource=6dae42f8-4368-4678-94ff-3960e28e3630 --apiserver-fqdn=api.example "
            "--cloud-provider-config=/etc/kubernetes/azure.json\n");
  EXPECT_EQ((*files)[1].mode, 0600U);
  EXPECT_EQ((*files)[1].content,
            "[Unit]\nBefore=kubelet.service\n\n[Service]\nEnvironmentFile=/etc/default/secure-tls-bootstrap\n\n"
            "[Install]\nWantedBy=kubelet.service\n");
}

TEST(SecureTls, OptionalFlagsKeepTheirOrder) {
  Configuration config = secure();
  auto* bootstrapping = config.mutable_bootstrapping_config();
  bootstrapping->set_secure_tls_bootstrapping_get_credential_timeout("7s");
  bootstrapping->set_secure_tls_bootstrapping_get_nonce_timeout("5s");
  bootstrapping->set_secure_tls_bootstrapping_user_assigned_identity_id("id");
  bootstrapping->set_secure_tls_bootstrapping_aad_resource("res");
  config.mutable_custom_cloud_config()->set_custom_cloud_env_name("akscustom");
  EXPECT_EQ((*secure_tls_files(config, {}))[0].content,
            "BOOTSTRAP_FLAGS=--aad-resource=res --apiserver-fqdn=api.example "
            "--cloud-provider-config=/etc/kubernetes/azure.json --user-assigned-identity-id=id --get-nonce-timeout=5s "
            "--get-credential-timeout=7s\nAZURE_ENVIRONMENT_FILEPATH=/etc/kubernetes/akscustom.json\n");
}

TEST(SecureTls, AValueCannotSmuggleInAnotherFlag) {
  Configuration config = secure();
  config.mutable_bootstrapping_config()->set_secure_tls_bootstrapping_get_nonce_timeout("5s --kubeconfig=/tmp/x");
  EXPECT_EQ(secure_tls_files(config, {}).error().code, 220);
}

}  // namespace
}  // namespace sunup::render::node
