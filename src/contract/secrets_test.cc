#include "contract/secrets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "contract/fields.h"

namespace sunup::contract {
namespace {

using testing::Contains;
using testing::ElementsAre;

std::vector<std::string> revealed(const std::string& text) {
  const auto loaded = load_text(text, "f");
  EXPECT_TRUE(loaded.ok());
  std::vector<std::string> out;
  for (const Secret& secret : secrets_of(loaded->config)) out.emplace_back(secret.reveal());
  return out;
}

TEST(Secrets, AreTheValuesOfMarkedFields) {
  EXPECT_THAT(revealed(R"({"version":"v1","vm_size":"public","bootstrapping_config":{"tls_bootstrapping_token":"a.b"},
                          "custom_search_domain_config":{"realm_user":"public","realm_password":"pw"}})"),
              ElementsAre("a.b", "pw"));
  EXPECT_THAT(revealed(R"({"version":"v1","auth_config":{"service_principal_secret":""}})"), ElementsAre());
}

// Code that decodes the secret, or extracts the password from the URL, must not leak it either.
TEST(Secrets, IncludeWhatIsInsideThem) {
  EXPECT_THAT(revealed(R"({"version":"v1","auth_config":{"service_principal_secret":"aHVudGVyMg=="}})"),
              ElementsAre("aHVudGVyMg==", "hunter2"));
  const auto proxy =
      revealed(R"({"version":"v1","http_proxy_config":{"http_proxy":"http://user:p%40ss@10.1.2.3:8080"}})");
  EXPECT_THAT(proxy, Contains("http://user:p%40ss@10.1.2.3:8080"));
  EXPECT_THAT(proxy, Contains("p%40ss"));
  EXPECT_THAT(proxy, Contains("p@ss"));
  EXPECT_THAT(revealed(R"({"version":"v1","http_proxy_config":{"http_proxy":"http://10.1.2.3:8080"}})"),
              ElementsAre("http://10.1.2.3:8080"));
}

// Any field that contains a URL may contain one with a password or a signature.
TEST(Secrets, IncludeTheCredentialsOfUrlsInAnyField) {
  EXPECT_THAT(revealed(R"({"version":"v1","outbound_command":"curl https://u:pass-1@h",
                          "kube_binary_config":{"kube_binary_url":"https://h/k.tgz?sv=1&sig=abcdefghijklmnop%3D"},
                          "kubelet_config":{"kubelet_flags":{"--pod-manifest-url":"http://u:pass-2@h"}},
                          "custom_ca_certs":["https://u:pass-3@h"]})"),
              testing::UnorderedElementsAre("pass-1", "abcdefghijklmnop%3D", "abcdefghijklmnop=", "pass-2", "pass-3"));
}

TEST(Secrets, AreFoundInATextThatIsAllSchemes) {
  std::string command;
  for (int i = 0; i < 1'000'000; ++i) command += "://";
  EXPECT_THAT(revealed(R"({"version":"v1","outbound_command":")" + command + R"(u:pass-1@h"})"), ElementsAre("pass-1"));
}

void marked(const MessageFields& fields, std::vector<std::string>& out) {
  for (const Field& field : fields.all()) {
    if (field.secret) {
      EXPECT_EQ(field.kind, FieldKind::kString) << field.name;
      out.emplace_back(field.name);
    }
    if (field.message) marked(*field.message, out);
  }
}

// A missing mark leaks a secret into a log. Each of these fields contains a credential, or may contain one.
TEST(Secrets, AreExactlyTheseFields) {
  std::vector<std::string> names;
  marked(configuration_fields(), names);
  EXPECT_THAT(names, testing::UnorderedElementsAre(
                         "service_principal_secret", "tls_bootstrapping_token", "kubelet_client_key", "realm_password",
                         "http_proxy", "https_proxy", "private_egress_proxy_address", "custom_env_json_content",
                         "custom_kube_binary_url", "containerd_package_url", "runc_package_url",
                         "secure_tls_bootstrapping_custom_client_download_url"));
}

}  // namespace
}  // namespace sunup::contract
