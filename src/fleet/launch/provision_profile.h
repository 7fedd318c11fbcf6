// The request of Karpenter's NodeBootstrapping client, as its provision mode bootstrappingclient sends it:
//
//   {"provisionProfile": {"vmSize": ..., "distro": ..., 27 members}, "provisionHelperValues": {"skuCPU": 4,
//   "skuMemory": 16}}
//
// Everything is checked here; an error names the member. Unknown members are ignored, as by the service that the client
// was written for. Known members that do not describe a Linux node of AKS are refused.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "fleet/sources/image_family.h"
#include "fleet/sources/instance_type.h"
#include "fleet/sources/node_class.h"
#include "fleet/sources/node_pool.h"

namespace sunup::fleet {

struct ProvisionProfile {
  InstanceType size;                            // with the generation of the image
  const ImageFamily* family = nullptr;          // of the distro
  const ImageDefinition* definition = nullptr;  // likewise
  NodeClass node_class;                         // kubelet, OS settings, local DNS, GPU mode, pods
  std::map<std::string, std::string> labels;    // all labels of the node, already decided
  std::vector<Taint> taints;
  std::vector<Taint> startup_taints;
  std::string kubernetes_version;
  std::string subnet_id;
  std::string message_of_the_day;  // as the config has it, in base64
  bool ssh = true;
  bool kubelet_on_temporary_disk = false;
};

Result<ProvisionProfile> read_provision_values(const nlohmann::json& values);

}  // namespace sunup::fleet
