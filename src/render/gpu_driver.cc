#include "render/gpu_driver.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "base/text.h"

namespace sunup::render {
namespace {

// VM sizes in lower case, sorted.
constexpr std::string_view kGridV20Sizes[] = {
    "standard_nc128ds_xl_rtxpro6000bse_v6",  "standard_nc128lds_xl_rtxpro6000bse_v6",
    "standard_nc144ds_xl_rtxpro6000bse_v6",  "standard_nc144lds_xl_rtxpro6000bse_v6",
    "standard_nc24lds_xl_rtxpro6000bse_v6",  "standard_nc256ds_xl_rtxpro6000bse_v6",
    "standard_nc256lds_xl_rtxpro6000bse_v6", "standard_nc288ds_xl_rtxpro6000bse_v6",
    "standard_nc288lds_xl_rtxpro6000bse_v6", "standard_nc320ds_xl_rtxpro6000bse_v6",
    "standard_nc320lds_xl_rtxpro6000bse_v6", "standard_nc36ds_xl_rtxpro6000bse_v6",
    "standard_nc36lds_xl_rtxpro6000bse_v6",  "standard_nc72ds_xl_rtxpro6000bse_v6",
    "standard_nc72lds_xl_rtxpro6000bse_v6",
};
constexpr std::string_view kGridSizes[] = {
    "standard_nc16ads_a10_v4", "standard_nc32ads_a10_v4", "standard_nc8ads_a10_v4",
    "standard_nv12ads_a10_v5", "standard_nv18ads_a10_v5", "standard_nv36adms_a10_v5",
    "standard_nv36ads_a10_v5", "standard_nv6ads_a10_v5",  "standard_nv72ads_a10_v5",
};
// Sizes whose GPUs communicate through NVSwitch, which needs the fabric manager service.
constexpr std::string_view kFabricManagerSizes[] = {
    "standard_nd100is_h100_v5",  "standard_nd100isr_h100_v5",  "standard_nd112amsr_a100_v4",
    "standard_nd112asr_a100_v4", "standard_nd120amsr_a100_v4", "standard_nd120asr_a100_v4",
    "standard_nd46s_h100_v5",    "standard_nd48s_h100_v5",     "standard_nd50s_h100_v5",
    "standard_nd92is_h100_v5",   "standard_nd92isr_h100_v5",   "standard_nd96ams_a100_v4",
    "standard_nd96ams_v4",       "standard_nd96amsr_a100_v4",  "standard_nd96asr_v4",
    "standard_nd96is_h100_v5",   "standard_nd96is_h200_v5",    "standard_nd96isr_h100_v5",
    "standard_nd96isr_h200_v5",  "standard_nd96isrf_h200_v5",
};

static_assert(std::ranges::is_sorted(kGridV20Sizes) && std::ranges::is_sorted(kGridSizes) &&
              std::ranges::is_sorted(kFabricManagerSizes));

bool listed(std::span<const std::string_view> sizes, std::string_view size) {
  return std::ranges::binary_search(sizes, size);
}

// The K80 series, which only the older driver supports.
bool is_k80(std::string_view size) {
  return size.starts_with("standard_nc") && size.find("_v") == std::string_view::npos;
}

GpuImage image_of(const GpuImages& images, const char* repository) {
  const auto found = images.find(repository);
  return found == images.end() ? GpuImage{} : found->second;
}

}  // namespace

GpuDriver gpu_driver(std::string_view vm_size, const GpuImages& images) {
  const auto image = [&](const char* repository) { return image_of(images, repository); };
  const std::string size = unicode::lowered(vm_size);
  if (listed(kGridV20Sizes, size)) return {"grid-v20", image("aks-gpu-grid-v20")};
  if (listed(kGridSizes, size)) return {"grid", image("aks-gpu-grid")};
  GpuImage lts = image("aks-gpu-cuda-lts");
  if (is_k80(size)) return {"cuda", {"cuda-470.82.01", std::move(lts.suffix)}};
  return {"cuda-lts", std::move(lts)};
}

GpuDriver gpu_driver_as_sent(std::string_view type, std::string_view version, const GpuImages& images) {
  // Any size with a driver of that type gives the right image.
  if (type == "grid-v20") return gpu_driver(kGridV20Sizes[0], images);
  if (type == "grid") return gpu_driver(kGridSizes[0], images);
  if (type == "cuda" && version.find("470.") != std::string_view::npos) return gpu_driver("standard_nc6", images);
  return gpu_driver("", images);
}

bool needs_fabric_manager(std::string_view vm_size) {
  return listed(kFabricManagerSizes, unicode::lowered(vm_size));
}

bool has_sgx(std::string_view vm_size) {
  return vm_size == "Standard_DC2s" || vm_size == "Standard_DC4s";
}

}  // namespace sunup::render
