#include "render/node/secure_tls.h"

#include <fmt/format.h>

#include "base/exit_code.h"
#include "base/node_paths.h"
#include "render/node/cloud_files.h"
#include "render/node/credentials.h"
#include "render/node/unit_text.h"

namespace sunup::render::node {
namespace {

constexpr std::string_view kDefaultAadResource = "6dae42f8-4368-4678-94ff-3960e28e3630";
constexpr std::string_view kEnvironmentFile = "/etc/default/secure-tls-bootstrap";

bool one_word(std::string_view value) {
  return value.find_first_of(" \t\r\n\\\"'") == std::string_view::npos;
}

}  // namespace

Result<NodeFiles> secure_tls_files(const Configuration& config, const NodeFacts&) {
  if (!secure_tls_bootstrapping(config)) return NodeFiles{};
  const auto& bootstrapping = config.bootstrapping_config();
  const std::string& resource = bootstrapping.secure_tls_bootstrapping_aad_resource();
  const std::pair<const char*, std::string_view> flags[] = {
      {"aad-resource", resource.empty() ? kDefaultAadResource : std::string_view(resource)},
      {"apiserver-fqdn", config.api_server_config().api_server_name()},
      {"cloud-provider-config", paths::kAzureJson},
      {"user-assigned-identity-id", bootstrapping.secure_tls_bootstrapping_user_assigned_identity_id()},
      {"validate-kubeconfig-timeout", bootstrapping.secure_tls_bootstrapping_validate_kubeconfig_timeout()},
      {"get-access-token-timeout", bootstrapping.secure_tls_bootstrapping_get_access_token_timeout()},
      {"get-instance-data-timeout", bootstrapping.secure_tls_bootstrapping_get_instance_data_timeout()},
      {"get-nonce-timeout", bootstrapping.secure_tls_bootstrapping_get_nonce_timeout()},
      {"get-attested-data-timeout", bootstrapping.secure_tls_bootstrapping_get_attested_data_timeout()},
      {"get-credential-timeout", bootstrapping.secure_tls_bootstrapping_get_credential_timeout()},
  };
  std::string words;
  for (const auto& [name, value] : flags) {
    if (value.empty()) continue;
    if (!one_word(value)) {
      return Error(fmt::format("the secure TLS bootstrap client's --{} must be a single word", name))
          .with_hint("check bootstrapping_config")
          .with_code(exit_code::kSecureTlsBootstrapEnableFailure);
    }
    words += fmt::format("{}--{}={}", words.empty() ? "" : " ", name, value);
  }
  std::string text = fmt::format("BOOTSTRAP_FLAGS={}\n", words);
  if (const std::string path = cloud_environment_path(config); !path.empty()) {
    text += fmt::format("AZURE_ENVIRONMENT_FILEPATH={}\n", path);
  }
  UnitText unit;
  unit.section("Unit")
      .set("Before", "kubelet.service")
      .section("Service")
      .set("EnvironmentFile", kEnvironmentFile)
      .section("Install")
      .set("WantedBy", "kubelet.service");
  return NodeFiles{
      {std::string(kEnvironmentFile), 0600, text},
      {"/etc/systemd/system/secure-tls-bootstrap.service.d/10-securetlsbootstrap.conf", 0600, std::move(unit).take()}};
}

}  // namespace sunup::render::node
