// The table lists the fields that a variable depends on, and `config explain` prints this list. These tests verify it:
// a changed field may only change variables that list it, and every listed field changes its variable in at least one
// case.
#include "render/cse_variables.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>

namespace sunup::render {
namespace {

using aksnodeconfig::v1::Configuration;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using testing::ElementsAre;

Configuration config_of(const std::string& json) {
  Configuration config;
  const auto status = google::protobuf::util::JsonStringToMessage(json, &config);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return config;
}

// Configs in which, taken together, each source of every rule has an effect.
std::vector<Configuration> vantage_points() {
  Configuration plain = config_of(R"({"version": "v1", "kubelet_config": {"kubelet_config_file_config": {}}})");
  Configuration rich = config_of(R"({
      "version": "v1", "kubernetes_version": "1.33.0", "is_kata": true, "enable_artifact_streaming": true,
      "custom_cloud_config": {"custom_cloud_env_name": "akscustom", "repo_depot_endpoint": "r",
                              "custom_env_json_content": "{\"resourceManagerEndpoint\": \"e\"}"},
      "cluster_config": {"location": "chinaeast2"},
      "network_config": {"network_plugin": "NETWORK_PLUGIN_KUBENET"},
      "custom_search_domain_config": {"domain_name": "d", "realm_user": "u", "realm_password": "p"},
      "custom_linux_os_config": {"enable_swap_config": true, "swap_file_size": 1, "ulimit_config": {"no_file": "1"}},
      "gpu_config": {"enable_nvidia": true},
      "kubelet_config": {"kubelet_flags": {"--streaming-connection-idle-timeout": "4h"},
                         "kubelet_config_file_config": {"streaming_connection_idle_timeout": "4h"}},
      "local_dns_profile": {"enable_local_dns": true, "enable_hosts_plugin": true, "cpu_limit_in_milli_cores": 1,
                            "memory_limit_in_mb": 1, "vnet_dns_overrides": {"cluster.local": {}}}})");
  return {plain, rich};
}

// Other values for a field, chosen to cross the thresholds of a rule.
std::vector<std::string> texts_for(const std::string& path) {
  if (path == "kubernetes_version") return {"1.34.0", "1.21.0"};
  if (path == "vm_size") return {"Standard_NC6", "Standard_NV6ads_A10_v5", "Standard_ND96isr_H100_v5", "Standard_DC2s"};
  if (path == "custom_cloud_config.custom_cloud_env_name") return {"akscustom", "other"};
  if (path == "custom_cloud_config.custom_env_json_content") return {R"({"resourceManagerEndpoint": "f"})"};
  if (path == "cluster_config.location") return {"usgovvirginia"};
  return {"other", ""};
}

using Visit = std::function<void(const std::string& path, const Configuration& changed)>;

// Calls visit with a copy of the config for each other value of each field. Maps and lists get an additional item.
void each_change(const Configuration& config, const std::vector<const FieldDescriptor*>& parents,
                 const std::string& prefix, const google::protobuf::Descriptor* type, const Visit& visit) {
  for (int i = 0; i < type->field_count(); ++i) {
    const FieldDescriptor* field = type->field(i);
    const std::string path = prefix + field->name();
    const auto change = [&](const std::function<void(Message&)>& apply) {
      Configuration changed = config;
      Message* message = &changed;
      for (const FieldDescriptor* parent : parents) message = message->GetReflection()->MutableMessage(message, parent);
      apply(*message);
      visit(path, changed);
    };
    const auto* reflect = google::protobuf::MessageFactory::generated_factory()->GetPrototype(type)->GetReflection();
    if (field->is_map()) {
      change([&](Message& m) {
        Message* entry = reflect->AddMessage(&m, field);
        entry->GetReflection()->SetString(entry, field->message_type()->map_key(), "added");
      });
    } else if (field->is_repeated()) {
      change([&](Message& m) { reflect->AddString(&m, field, "added"); });
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      for (const std::string& text : texts_for(path)) change([&](Message& m) { reflect->SetString(&m, field, text); });
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_BOOL) {
      for (const bool on : {true, false}) change([&](Message& m) { reflect->SetBool(&m, field, on); });
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_INT32) {
      for (const int value : {0, 77}) change([&](Message& m) { reflect->SetInt32(&m, field, value); });
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE) {
      change([&](Message& m) { reflect->SetDouble(&m, field, 0.25); });
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_ENUM) {
      for (int value = 0; value < 4; ++value) change([&](Message& m) { reflect->SetEnumValue(&m, field, value); });
    } else {
      auto below = parents;
      below.push_back(field);
      each_change(config, below, path + ".", field->message_type(), visit);
    }
  }
}

const ImageFacts kImage = {"1.7.22", {{"aks-gpu-cuda-lts", {"580.1", "a"}}, {"aks-gpu-grid", {"570.1", "b"}}}};

// (variable, path of the changed field) for every change that has an effect.
std::set<std::pair<std::string, std::string>> observed_dependencies() {
  std::set<std::pair<std::string, std::string>> seen;
  for (const Configuration& config : vantage_points()) {
    const Environment before = cse_environment(config, kImage);
    each_change(config, {}, "", Configuration::descriptor(),
                [&](const std::string& path, const Configuration& changed) {
                  for (const auto& [name, value] : cse_environment(changed, kImage)) {
                    const auto found = before.find(name);
                    if (found == before.end() || found->second != value) seen.emplace(name, path);
                  }
                });
  }
  return seen;
}

bool covers(std::string_view source, std::string_view path) {
  return path == source || (path.starts_with(source) && path[source.size()] == '.');
}

TEST(CseVariables, NameEveryFieldTheyDependOnAndNoOther) {
  const auto observed = observed_dependencies();
  std::set<std::string> names;
  for (const CseVariable& variable : cse_variables()) {
    names.emplace(variable.name);
    const auto sources = sources_of(variable);
    for (const auto& [name, path] : observed) {
      if (name != variable.name) continue;
      EXPECT_TRUE(std::ranges::any_of(sources, [&](std::string_view source) { return covers(source, path); }))
          << name << " changes with " << path << ", which its row does not name";
    }
    for (const std::string_view source : sources) {
      EXPECT_TRUE(std::ranges::any_of(
          observed, [&](const auto& seen) { return seen.first == variable.name && covers(source, seen.second); }))
          << variable.name << " names " << source << ", which does not change it";
    }
  }
  for (const auto& [name, path] : observed) EXPECT_TRUE(names.contains(name) || name.starts_with("CUSTOM_CA_CERT_"));
}

TEST(CseVariables, CoverTheContractButForFieldsWithoutAVariable) {
  std::set<std::string> all, used;
  each_change({}, {}, "", Configuration::descriptor(),
              [&](const std::string& path, const Configuration&) { all.insert(path); });
  for (const auto& [name, path] : observed_dependencies()) used.insert(path);
  std::set<std::string> unused;
  std::ranges::set_difference(all, used, std::inserter(unused, unused.end()));
  EXPECT_THAT(unused, ElementsAre("bootstrapping_config.cluster_join_method", "disable_custom_data", "enabled_features",
                                  "gpu_config.enable_amd_gpu", "network_config.cni_plugins_url", "provision_output",
                                  "version", "workload_runtime"));
}

TEST(CseVariables, KnowWhichOfThemMayHoldASecret) {
  std::vector<std::string_view> names;
  for (const CseVariable& variable : cse_variables()) {
    if (may_hold_secret(variable)) names.push_back(variable.name);
  }
  EXPECT_THAT(names, testing::IsSupersetOf({"CONTAINERD_PACKAGE_URL", "CUSTOM_ENV_JSON", "CUSTOM_KUBE_BINARY_URL",
                                            "CUSTOM_SEARCH_REALM_PASSWORD", "HTTPS_PROXY_URLS", "HTTP_PROXY_URLS",
                                            "KUBELET_CLIENT_CONTENT", "PRIVATE_EGRESS_PROXY_ADDRESS", "PROXY_VARS",
                                            "RUNC_PACKAGE_URL", "SERVICE_PRINCIPAL_FILE_CONTENT", "TLS_BOOTSTRAP_TOKEN",
                                            "CUSTOM_SECURE_TLS_BOOTSTRAPPING_CLIENT_DOWNLOAD_URL"}));
  for (const char* open : {"LOCATION", "SHOULD_CONFIGURE_HTTP_PROXY", "KUBELET_FLAGS", "NO_PROXY_URLS"})
    EXPECT_THAT(names, testing::Not(testing::Contains(open)));
}

}  // namespace
}  // namespace sunup::render
