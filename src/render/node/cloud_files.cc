#include "render/node/cloud_files.h"

#include <fmt/format.h>

#include <cmath>

#include "base/json_tree.h"
#include "base/json_writer.h"
#include "base/node_paths.h"
#include "render/cloud.h"
#include "render/node/decode.h"
#include "render/number_text.h"

namespace sunup::render::node {
namespace {

class AzureJson {
 public:
  void text(std::string_view name, std::string_view value) { raw(name, json_string(value, JsonEscapes::kHtml)); }
  void boolean(std::string_view name, bool value) { raw(name, value ? "true" : "false"); }
  void number(std::string_view name, int64_t value) { raw(name, number_text(value)); }
  void number(std::string_view name, double value) {
    if (!std::isfinite(value)) bad_number_ = name;
    raw(name, number_text(value));
  }
  Result<std::string> take() && {
    if (!bad_number_.empty()) {
      return Error(fmt::format("{} is not a finite number, which JSON cannot represent", bad_number_))
          .with_hint("correct cluster_config.cloud_provider_config");
    }
    return "{\n" + out_ + "\n}\n";
  }

 private:
  void raw(std::string_view name, std::string_view value) {
    if (!out_.empty()) out_ += ",\n";
    out_ += fmt::format("    \"{}\": {}", name, value);
  }
  std::string out_;
  std::string bad_number_;
};

std::string_view vm_type(const Configuration& config) {
  switch (config.cluster_config().vm_type()) {
    case aksnodeconfig::v1::VM_TYPE_STANDARD:
      return "standard";
    case aksnodeconfig::v1::VM_TYPE_VMSS:
      return "vmss";
    default:
      return "";
  }
}

std::string_view load_balancer_sku(const Configuration& config) {
  switch (config.cluster_config().load_balancer_config().load_balancer_sku()) {
    case aksnodeconfig::v1::LOAD_BALANCER_SKU_BASIC:
      return "basic";
    case aksnodeconfig::v1::LOAD_BALANCER_SKU_STANDARD:
      return "standard";
    default:
      return "";
  }
}

void identity(AzureJson& json, const Configuration& config, const NodeFacts& facts, std::string_view secret) {
  const auto& auth = config.auth_config();
  const std::string* cloud = facts.sent_text("TARGET_CLOUD");
  json.text("cloud", cloud ? std::string_view(*cloud) : target_cloud(azure_cloud(config)));
  json.text("tenantId", auth.tenant_id());
  json.text("subscriptionId", auth.subscription_id());
  json.text("aadClientId", auth.service_principal_id());
  json.text("aadClientSecret", secret);
}

void place(AzureJson& json, const Configuration& config) {
  const auto& cluster = config.cluster_config();
  const auto& network = cluster.cluster_network_config();
  json.text("resourceGroup", cluster.resource_group());
  json.text("location", cluster.location());
  json.text("vmType", vm_type(config));
  json.text("subnetName", network.subnet());
  json.text("securityGroupName", network.security_group_name());
  json.text("vnetName", network.vnet_name());
  json.text("vnetResourceGroup", network.vnet_resource_group());
  json.text("routeTableName", network.route_table());
  json.text("primaryAvailabilitySetName", cluster.primary_availability_set());
  json.text("primaryScaleSetName", cluster.primary_scale_set());
}

void limits(AzureJson& json, const Configuration& config) {
  const auto& provider = config.cluster_config().cloud_provider_config();
  const std::string mode = provider.backoff_mode().empty() ? "v2" : provider.backoff_mode();
  json.text("cloudProviderBackoffMode", mode);
  json.boolean("cloudProviderBackoff", provider.has_backoff() ? provider.backoff() : true);
  json.number("cloudProviderBackoffRetries", int64_t{provider.has_backoff_retries() ? provider.backoff_retries() : 6});
  // Version 2 of the back-off computes these two values itself and rejects them in the config.
  if (mode != "v2") json.number("cloudProviderBackoffExponent", provider.backoff_exponent());
  json.number("cloudProviderBackoffDuration",
              int64_t{provider.has_backoff_duration() ? provider.backoff_duration() : 5});
  if (mode != "v2") json.number("cloudProviderBackoffJitter", provider.backoff_jitter());
  json.boolean("cloudProviderRateLimit", provider.has_rate_limit() ? provider.rate_limit() : true);
  json.number("cloudProviderRateLimitQPS", provider.has_rate_limit_qps() ? provider.rate_limit_qps() : 10.0);
  json.number("cloudProviderRateLimitBucket",
              int64_t{provider.has_rate_limit_bucket() ? provider.rate_limit_bucket() : 100});
  json.number("cloudProviderRateLimitQPSWrite",
              provider.has_rate_limit_qps_write() ? provider.rate_limit_qps_write() : 10.0);
  json.number("cloudProviderRateLimitBucketWrite",
              int64_t{provider.has_rate_limit_bucket_write() ? provider.rate_limit_bucket_write() : 100});
}

void services(AzureJson& json, const Configuration& config) {
  const auto& balancer = config.cluster_config().load_balancer_config();
  json.boolean("useManagedIdentityExtension", config.auth_config().use_managed_identity_extension());
  json.text("userAssignedIdentityID", config.auth_config().assigned_identity_id());
  json.boolean("useInstanceMetadata", config.cluster_config().use_instance_metadata());
  json.text("loadBalancerSku", load_balancer_sku(config));
  json.boolean("disableOutboundSNAT", balancer.disable_outbound_snat());
  json.boolean("excludeMasterFromStandardLB", balancer.has_exclude_master_from_standard_load_balancer()
                                                  ? balancer.exclude_master_from_standard_load_balancer()
                                                  : true);
  json.text("providerVaultName", "");
  json.number("maximumLoadBalancerRuleCount",
              int64_t{balancer.has_max_load_balancer_rule_count() ? balancer.max_load_balancer_rule_count() : 148});
  json.text("providerKeyName", "k8s");
  json.text("providerKeyVersion", "");
}

Result<NodeFile> cloud_environment(const Configuration& config) {
  const std::string& content = config.custom_cloud_config().custom_env_json_content();
  if (content.empty() || JsonTree::parse(content)) {
    return NodeFile{cloud_environment_path(config), 0600, content};
  }
  std::string decoded = decode_text_field(content);
  if (!JsonTree::parse(decoded)) {
    return Error("custom_cloud_config.custom_env_json_content is neither JSON nor JSON in base64")
        .with_hint("a custom cloud's endpoints come from it; the node could not reach its cloud");
  }
  return NodeFile{cloud_environment_path(config), 0600, std::move(decoded)};
}

}  // namespace

Result<NodeFile> azure_json(const Configuration& config, const NodeFacts& facts) {
  std::string secret = decode_text_field(config.auth_config().service_principal_secret());
  while (secret.ends_with('\n')) secret.pop_back();
  AzureJson json;
  identity(json, config, facts, secret);
  place(json, config);
  limits(json, config);
  services(json, config);
  auto text = std::move(json).take();
  if (!text) return text.error();
  return secret_file(paths::kAzureJson, *std::move(text));
}

std::string cloud_environment_path(const Configuration& config) {
  const AzureCloud cloud = azure_cloud(config);
  if (cloud != AzureCloud::kCustom) return {};
  return fmt::format("/etc/kubernetes/{}.json", target_environment(cloud));
}

Result<NodeFiles> cloud_files(const Configuration& config, const NodeFacts& facts) {
  auto azure = azure_json(config, facts);
  if (!azure) return azure.error();
  NodeFiles files{*std::move(azure)};
  if (azure_cloud(config) == AzureCloud::kCustom) {
    auto environment = cloud_environment(config);
    if (!environment) return environment.error();
    files.push_back(*std::move(environment));
  }
  return files;
}

}  // namespace sunup::render::node
