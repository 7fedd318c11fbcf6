// VM sizes with GPUs: the operating systems that support them, and the driver image that a node needs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sunup::fleet {

enum class GpuVendor { kNvidia, kAmd };

struct GpuSize {
  std::string_view size;  // lower case
  GpuVendor vendor;
  unsigned os;  // bits: kUbuntu, kAzureLinux2, kAzureLinux3
};

struct GpuDriverImage {
  std::string_view type;          // cuda, cuda-lts, grid, grid-v20
  std::string_view version;       // "580.159.04"
  std::string_view image_suffix;  // a time stamp; the image's tag is version-suffix
};

// Case-insensitive, with or without a "_promo" suffix; empty if the size has no supported GPU.
std::optional<GpuSize> find_gpu_size(std::string_view vm_size);

// The driver of an NVIDIA size.
GpuDriverImage gpu_driver(std::string_view vm_size);

// Whether this family (os-sku Ubuntu or AzureLinux) supports the size. For Azure Linux, either of its versions is
// sufficient.
bool gpu_runs_on(const GpuSize& size, std::string_view os_sku);

}  // namespace sunup::fleet
