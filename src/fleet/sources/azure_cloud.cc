#include "fleet/sources/azure_cloud.h"

#include <string>

#include "base/text.h"
#include "fleet/sources/patterns.h"
#include "render/cloud.h"

namespace sunup::fleet {

using render::AzureCloud;

std::string_view cloud_name(std::string_view given) {
  std::string name = lowered(given);
  if (!name.ends_with("cloud")) name += "cloud";
  for (const AzureCloud cloud :
       {AzureCloud::kPublic, AzureCloud::kChina, AzureCloud::kUsGovernment, AzureCloud::kGerman})
    if (equal_ignoring_case(name, render::target_cloud(cloud))) return render::target_cloud(cloud);
  return {};
}

std::string_view cloud_of_location(std::string_view location) {
  // Uses the same function as a node.
  aksnodeconfig::v1::Configuration config;
  config.mutable_cluster_config()->set_location(std::string(location));
  return render::target_cloud(render::azure_cloud(config));
}

}  // namespace sunup::fleet
