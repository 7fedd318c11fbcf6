// The accelerators of a VM size: the driver, whether NVSwitch needs a manager, and whether there is SGX.
#pragma once

#include <string_view>

#include "render/gpu_components.h"

namespace sunup::render {

struct GpuDriver {
  std::string_view type;  // "cuda-lts", "cuda", "grid" or "grid-v20"
  GpuImage image;         // parts are empty if the image's component list does not contain them
};

// Returns a driver for every size, including sizes without a GPU, because the caller decides whether it is installed.
// Case-insensitive.
GpuDriver gpu_driver(std::string_view vm_size, const GpuImages& images);

// The driver that a command names, for a node whose size is not in its config. The versions are those of the image,
// because only they can be on its disk. Older commands use "cuda" for what is "cuda-lts" now.
GpuDriver gpu_driver_as_sent(std::string_view type, std::string_view version, const GpuImages& images);

bool needs_fabric_manager(std::string_view vm_size);

// Case-sensitive like the original, which does not recognize "standard_dc2s" either.
bool has_sgx(std::string_view vm_size);

}  // namespace sunup::render
