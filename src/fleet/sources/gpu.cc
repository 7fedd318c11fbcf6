#include "fleet/sources/gpu.h"

#include <algorithm>
#include <span>

#include "base/text.h"
#include "render/gpu_driver.h"

namespace sunup::fleet {
namespace {

constexpr unsigned kUbuntu = 1;
constexpr unsigned kAzureLinux2 = 2;
constexpr unsigned kAzureLinux3 = 4;

constexpr std::string_view kNewer[] = {
    "standard_nc16ads_a10_v4",       "standard_nc32ads_a10_v4",      "standard_nc8ads_a10_v4",
    "standard_nc24ads_a100_v4",      "standard_nc48ads_a100_v4",     "standard_nc96ads_a100_v4",
    "standard_nc40ads_h100_v5",      "standard_nc80adis_h100_v5",    "standard_nd96asr_v4",
    "standard_nd112asr_a100_v4",     "standard_nd120asr_a100_v4",    "standard_nv12ads_a10_v5",
    "standard_nv18ads_a10_v5",       "standard_nv36adms_a10_v5",     "standard_nv36ads_a10_v5",
    "standard_nv6ads_a10_v5",        "standard_nv72ads_a10_v5",      "standard_nd96amsr_a100_v4",
    "standard_nd112amsr_a100_v4",    "standard_nd120amsr_a100_v4",   "standard_nd96isr_h100_v5",
    "standard_nd96is_h100_v5",       "standard_nd96is_noib_h100_v5", "standard_nd96is_flex_h100_v5",
    "standard_nd96isf_h100_v5",      "standard_nd96isrf_h100_v5",    "standard_nd96ams_v4",
    "standard_nd96ams_a100_flex_v4", "standard_nd96ams_a100_v4",     "standard_nd96amsf_a100_v4",
    "standard_nd96amsrf_a100_v4",    "standard_nd96isr_h200_v5",     "standard_nd96is_h200_v5",
    "standard_nd96isf_h200_v5",      "standard_nd96isrf_h200_v5",
};
constexpr std::string_view kV100AndT4[] = {
    "standard_nc16as_t4_v3", "standard_nc4as_t4_v3", "standard_nc64as_t4_v3", "standard_nc8as_t4_v3",
    "standard_nc12s_v3",     "standard_nc24rs_v3",   "standard_nc24s_v3",     "standard_nc6s_v3",
    "standard_nd40rs_v2",    "standard_nd40s_v3",
};
constexpr std::string_view kUbuntuOnly[] = {"standard_nc6",
                                            "standard_nc12",
                                            "standard_nc24",
                                            "standard_nc24r",
                                            "standard_nc12s_v2",
                                            "standard_nc24rs_v2",
                                            "standard_nc24s_v2",
                                            "standard_nc6s_v2",
                                            "standard_nd6s",
                                            "standard_nd12s",
                                            "standard_nd24s",
                                            "standard_nd24rs",
                                            "standard_nv12",
                                            "standard_nv24",
                                            "standard_nv6",
                                            "standard_nv24r",
                                            "standard_nv12s_v3",
                                            "standard_nv24s_v3",
                                            "standard_nv48s_v3",
                                            "standard_nd128isr_ndr_gb200_v6",
                                            "standard_nd128isr_gb300_v6",
                                            "standard_nc24lds_xl_rtxpro6000bse_v6",
                                            "standard_nc36ds_xl_rtxpro6000bse_v6",
                                            "standard_nc36lds_xl_rtxpro6000bse_v6",
                                            "standard_nc72ds_xl_rtxpro6000bse_v6",
                                            "standard_nc72lds_xl_rtxpro6000bse_v6",
                                            "standard_nc144ds_xl_rtxpro6000bse_v6",
                                            "standard_nc144lds_xl_rtxpro6000bse_v6",
                                            "standard_nc288ds_xl_rtxpro6000bse_v6",
                                            "standard_nc288lds_xl_rtxpro6000bse_v6"};
constexpr std::string_view kAmdSizes[] = {
    "standard_nv4ads_v710_v5",   "standard_nv8ads_v710_v5",    "standard_nv12ads_v710_v5",  "standard_nv24ads_v710_v5",
    "standard_nv28adms_v710_v5", "standard_nd96isr_mi300x_v5", "standard_nd96is_mi300x_v5",
};

struct Group {
  std::span<const std::string_view> sizes;
  GpuVendor vendor;
  unsigned os;
};
constexpr Group kGroups[] = {
    {kNewer, GpuVendor::kNvidia, kUbuntu | kAzureLinux3},
    {kV100AndT4, GpuVendor::kNvidia, kUbuntu | kAzureLinux2 | kAzureLinux3},
    {kUbuntuOnly, GpuVendor::kNvidia, kUbuntu},
    {kAmdSizes, GpuVendor::kAmd, kUbuntu},
};

// In lower case and without the "_promo" suffix.
std::string canonical(std::string_view vm_size) {
  std::string size = lowered(vm_size);
  if (size.ends_with("_promo")) size.resize(size.size() - (sizeof("_promo") - 1));
  return size;
}

}  // namespace

std::optional<GpuSize> find_gpu_size(std::string_view vm_size) {
  const std::string size = canonical(vm_size);
  for (const Group& group : kGroups)
    if (const auto it = std::ranges::find(group.sizes, size); it != group.sizes.end())
      return GpuSize{*it, group.vendor, group.os};
  return std::nullopt;
}

GpuDriverImage gpu_driver(std::string_view vm_size) {
  constexpr std::string_view kLtsSuffix = "20260629214430";
  const std::string_view type = render::gpu_driver(canonical(vm_size), {}).type;
  if (type == "grid-v20") return {type, "595.58.03", "20260609172331"};
  if (type == "grid") return {type, "570.211.01", "20260522192315"};
  // K80: the last driver that supports it, in an image that has the suffix of the long-term driver.
  return {type, type == "cuda" ? "470.82.01" : "580.159.04", kLtsSuffix};
}

bool gpu_runs_on(const GpuSize& size, std::string_view os_sku) {
  if (os_sku == "Ubuntu") return (size.os & kUbuntu) != 0;
  if (os_sku == "AzureLinux") return (size.os & (kAzureLinux2 | kAzureLinux3)) != 0;
  return false;
}

}  // namespace sunup::fleet
