// What a VM size says about its accelerators: which driver fits, whether NVSwitch needs a manager, whether there is
// SGX.
#pragma once

#include <string_view>

#include "render/gpu_components.h"

namespace sunup::render {

struct GpuDriver {
  std::string_view type;  // "cuda-lts", "cuda", "grid" or "grid-v20"
  GpuImage image;         // parts are empty when the image's component list does not name them
};

// Every size has one, also sizes without a GPU: whether it is installed is not decided here. Case does not matter.
GpuDriver gpu_driver(std::string_view vm_size, const GpuImages& images);

bool needs_fabric_manager(std::string_view vm_size);

// Case matters here, unlike everywhere else: "standard_dc2s" has not been recognised before either.
bool has_sgx(std::string_view vm_size);

}  // namespace sunup::render
