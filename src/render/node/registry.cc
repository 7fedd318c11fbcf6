#include "render/node/registry.h"

#include <fmt/format.h>

#include "base/exit_code.h"
#include "base/node_paths.h"
#include "render/cloud.h"
#include "render/kubelet_config_file.h"

namespace sunup::render::node {
namespace {

// The name becomes part of a path, a URL, TOML and YAML, so only the characters of a registry name are accepted.
bool is_registry_name(std::string_view name) {
  if (name.empty() || name.front() == '.' || name.front() == '/' || name.find("..") != std::string_view::npos)
    return false;
  return name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_/:") ==
         std::string_view::npos;
}

Result<void> check_server(const Configuration& config) {
  const std::string& server = config.bootstrap_profile_container_registry_server();
  if (server.empty() || is_registry_name(server)) return {};
  return Error("bootstrap_profile_container_registry_server is not a registry name")
      .with_code(exit_code::kFileWatchTimeout);
}

void line(std::string& yaml, std::string_view text) {
  yaml.append(text).append("\n");
}

bool is_plain_word(std::string_view value) {
  return value.find_first_of(" \t\r\n\"'\\#:{}[],&*?|<>=!%@`") == std::string_view::npos;
}

}  // namespace

std::string registry_api_url(std::string_view server) {
  const size_t slash = server.find('/');
  const std::string_view host = server.substr(0, slash);
  const std::string_view rest = slash == std::string_view::npos ? std::string_view() : server.substr(slash);
  return fmt::format("https://{}/v2{}", host, rest == "/" ? "" : rest);
}

Result<NodeFiles> registry_host_files(const Configuration& config, const NodeFacts& facts) {
  if (auto checked = check_server(config); !checked) return checked.error();
  const auto file = [](std::string_view registry, std::string text) {
    return NodeFiles{{fmt::format("{}/{}/hosts.toml", paths::kRegistryHosts, registry), 0644, std::move(text)}};
  };
  if (const std::string& server = config.bootstrap_profile_container_registry_server(); !server.empty()) {
    std::string_view registry = kMicrosoftRegistry;
    if (const std::string* sent = facts.sent_text("MCR_REPOSITORY_BASE")) registry = *sent;
    while (registry.ends_with('/')) registry.remove_suffix(1);
    if (!is_registry_name(registry))
      return Error("MCR_REPOSITORY_BASE of the command is not a registry name").with_code(exit_code::kFileWatchTimeout);
    return file(registry, fmt::format("[host.\"{}\"]\n"
                                      "  capabilities = [\"pull\", \"resolve\"]\n"
                                      "  override_path = true\n",
                                      registry_api_url(server)));
  }
  if (azure_cloud(config) == AzureCloud::kChina || facts.tag("E2EMockAzureChinaCloud")) {
    return file("mcr.azk8s.cn",
                "[host.\"https://mcr.azure.cn\"]\n"
                "  capabilities = [\"pull\", \"resolve\"]\n"
                "[host.\"https://mcr.azure.cn\".header]\n"
                "    X-Forwarded-For = [\"mcr.azk8s.cn\"]\n");
  }
  return NodeFiles{};
}

bool has_credential_provider(const Configuration& config) {
  const std::string flags = kubelet_flags(config);
  return flags.find("image-credential-provider-config") != std::string::npos &&
         flags.find("image-credential-provider-bin-dir") != std::string::npos;
}

Result<NodeFiles> credential_provider_files(const Configuration& config, const NodeFacts&) {
  if (!has_credential_provider(config)) return NodeFiles{};
  if (auto checked = check_server(config); !checked) return checked.error();
  const std::string& mirror = config.bootstrap_profile_container_registry_server();
  const std::string& suffix = config.custom_cloud_config().container_registry_dns_suffix();
  const auto& pull = config.service_account_image_pull_profile();
  if (!suffix.empty() && !is_registry_name(suffix.front() == '.' ? suffix.substr(1) : suffix)) {
    return Error("custom_cloud_config.container_registry_dns_suffix is not a DNS suffix")
        .with_code(exit_code::kFileWatchTimeout);
  }
  for (const auto& value : {pull.local_authority_sni(), pull.default_client_id(), pull.default_tenant_id()}) {
    if (pull.enabled() && !is_plain_word(value)) {
      return Error("service_account_image_pull_profile contains a value that is not a single word")
          .with_code(exit_code::kFileWatchTimeout);
    }
  }

  std::string yaml;
  line(yaml, "apiVersion: kubelet.config.k8s.io/v1");
  line(yaml, "kind: CredentialProviderConfig");
  line(yaml, "providers:");
  line(yaml, "  - name: acr-credential-provider");
  line(yaml, "    matchImages:");
  for (const char* pattern : {"*.azurecr.io", "*.azurecr.cn", "*.azurecr.de", "*.azurecr.us", "*.*.geo.azurecr.io",
                              "*.*.geo.azurecr.cn", "*.*.geo.azurecr.de", "*.*.geo.azurecr.us"}) {
    line(yaml, fmt::format("      - \"{}\"", pattern));
  }
  if (!suffix.empty()) line(yaml, fmt::format("      - \"*{}\"", suffix));
  if (!mirror.empty()) line(yaml, fmt::format("      - \"{}\"", kMicrosoftRegistry));
  line(yaml, "    defaultCacheDuration: \"10m\"");
  line(yaml, "    apiVersion: credentialprovider.kubelet.k8s.io/v1");
  if (pull.enabled()) {
    line(yaml, "    tokenAttributes:");
    line(yaml, "      serviceAccountTokenAudience: api://AKSIdentityBinding");
    line(yaml, "      requireServiceAccount: false");
    line(yaml, "      cacheType: ServiceAccount");
    line(yaml, "      optionalServiceAccountAnnotationKeys:");
    line(yaml, "        - kubernetes.azure.com/acr-client-id");
  }
  line(yaml, "    args:");
  line(yaml, fmt::format("      - {}", paths::kAzureJson));
  if (!mirror.empty()) line(yaml, fmt::format("      - --registry-mirror={}:{}", kMicrosoftRegistry, mirror));
  if (pull.enabled()) {
    line(yaml, fmt::format("      - --ib-sni-name={}", pull.local_authority_sni()));
    if (!pull.default_client_id().empty()) {
      line(yaml, fmt::format("      - --ib-default-client-id={}", pull.default_client_id()));
    }
    if (!pull.default_tenant_id().empty()) {
      line(yaml, fmt::format("      - --ib-default-tenant-id={}", pull.default_tenant_id()));
    }
    line(yaml, fmt::format("      - --ib-apiserver-ip={}", config.api_server_config().api_server_name()));
  }
  return NodeFiles{{paths::kCredentialProviderConfig, 0644, std::move(yaml)}};
}

}  // namespace sunup::render::node
