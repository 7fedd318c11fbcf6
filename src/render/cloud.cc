#include "render/cloud.h"

#include "base/json_tree.h"
#include "base/text.h"

namespace sunup::render {
namespace {

AzureCloud cloud_of_location(std::string_view location) {
  const std::string key = unicode::lowered(unicode::without_white_space(location));
  if (key.starts_with("china")) return AzureCloud::kChina;
  if (key == "germanynortheast" || key == "germanycentral") return AzureCloud::kGerman;
  if (key.starts_with("usgov") || key.starts_with("usdod")) return AzureCloud::kUsGovernment;
  return AzureCloud::kPublic;
}

// The last string value of resourceManagerEndpoint; empty if any of its values has another type.
std::string resource_manager_endpoint(std::string_view environment_json) {
  const auto tree = JsonTree::parse(environment_json);
  if (!tree || !tree->root().is_object()) return "";
  std::string endpoint;
  bool spoiled = false;
  for (const JsonNode& member : tree->root()) {
    if (!unicode::equal_fold(member.name, "resourceManagerEndpoint")) continue;
    if (member.is_string()) {
      endpoint = member.text;
    } else if (!member.is_null()) {
      spoiled = true;
    }
  }
  return spoiled ? "" : endpoint;
}

}  // namespace

AzureCloud azure_cloud(const aksnodeconfig::v1::Configuration& config) {
  if (unicode::equal_fold(config.custom_cloud_config().custom_cloud_env_name(), "akscustom"))
    return AzureCloud::kCustom;
  return cloud_of_location(config.cluster_config().location());
}

std::string_view target_environment(AzureCloud cloud) {
  return cloud == AzureCloud::kCustom ? "akscustom" : target_cloud(cloud);
}

std::string_view target_cloud(AzureCloud cloud) {
  switch (cloud) {
    case AzureCloud::kPublic:
      return "AzurePublicCloud";
    case AzureCloud::kChina:
      return "AzureChinaCloud";
    case AzureCloud::kGerman:
      return "AzureGermanCloud";
    case AzureCloud::kUsGovernment:
      return "AzureUSGovernmentCloud";
    case AzureCloud::kCustom:
      return "AzureStackCloud";
  }
  return "";
}

std::string arm_endpoint(AzureCloud cloud, std::string_view custom_environment_json) {
  switch (cloud) {
    case AzureCloud::kPublic:
    case AzureCloud::kGerman:  // the scripts have always used the public endpoint here
      return "https://management.azure.com/";
    case AzureCloud::kChina:
      return "https://management.chinacloudapi.cn/";
    case AzureCloud::kUsGovernment:
      return "https://management.usgovcloudapi.net/";
    case AzureCloud::kCustom:
      return resource_manager_endpoint(custom_environment_json);
  }
  return "";
}

}  // namespace sunup::render
