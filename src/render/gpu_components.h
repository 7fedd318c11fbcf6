// The GPU driver images in a node image, read from its component list (/opt/azure/components.json on a node). Only
// `GPUContainerImages` of that file is used.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sunup::render {

// One tag such as "580.159.04-20260629214430", split into its parts.
struct GpuImage {
  std::string version;
  std::string suffix;
  bool operator==(const GpuImage&) const = default;
};

using GpuImages = std::map<std::string, GpuImage>;  // by repository name, e.g. "aks-gpu-grid"

// An object without the list results in an empty table; malformed JSON or a wrong type is an error. Entries whose tag
// is not VERSION-SUFFIX are ignored. If a name occurs more than once, the last entry is used.
Result<GpuImages> parse_gpu_components(std::string_view components_json);

}  // namespace sunup::render
