// The GPU driver images that a node image carries, read from its component list (/opt/azure/components.json on a node).
// Only `GPUContainerImages` of that file matters here.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sunup::render {

// One tag such as "580.159.04-20260629214430", taken apart.
struct GpuImage {
  std::string version;
  std::string suffix;
  bool operator==(const GpuImage&) const = default;
};

using GpuImages = std::map<std::string, GpuImage>;  // by repository name, e.g. "aks-gpu-grid"

// An object without the list is an empty table; malformed JSON or a wrong type in what is read is an error. Entries
// whose tag is not exactly VERSION-SUFFIX do not count; the last entry of a name wins.
Result<GpuImages> parse_gpu_components(std::string_view components_json);

}  // namespace sunup::render
