#include "fleet/sources/gpu.h"

#include <algorithm>

#include "base/text.h"
#include "fleet/sources/patterns.h"

namespace sunup::fleet {
namespace {

constexpr unsigned kUbuntu = 1;
constexpr unsigned kAzureLinux2 = 2;
constexpr unsigned kAzureLinux3 = 4;

constexpr GpuSize kSizes[] = {
    {"standard_nc16ads_a10_v4", GpuVendor::kNvidia, kUbuntu | kAzureLinux3},
    {"standard_nc32ads_a10_v4", GpuVendor::kNvidia, kUbuntu | kAzureLinux3},
    {"standard_nc8ads_a10_v4", GpuVendor::kNvidia, kUbuntu | kAzureLinux3},
    {"standard_nc24ads_a100_v4", GpuVendor::kNvidia, kUbuntu | kAzureLinux3},
    {"standard_nc48ads_a100_v4", GpuVendor::kNvidia, kUbuntu | kAzureLinux3},
    {"standard_nc96ads_a100_v4", GpuVendor::kNvidia, kUbuntu | kAzureLinux3},
    {"standard_nc40ads_h100_v5", GpuVendor::kNvidia, kUbuntu | kAzureLinux3},
    {"standard_nc80adis_h100_v5", GpuVendor::kNvidia, kUbuntu | kAzureLinux3},
    {"standard_nd96asr_v4", GpuVendor::kNvidia, kUbuntu | kAzureLinux3},
    {"standard_nd112asr_a100_v4", GpuVendor::kNvidia, kUbuntu | kAzureLinux3},
    {"standard_nd120asr_a100_v4", GpuVendor::kNvidia, kUbuntu | kAzureLinux3},
    {"standard_nv12ads_a10_v5", GpuVendor::kNvidia, kUbuntu | kAzureLinux3},
    {"standard_nv18ads_a10_v5", GpuVendor::kNvidia, kUbuntu | kAzureLinux3},
    {"standard_nv36adms_a10_v5", GpuVendor::kNvidia, kUbuntu | kAzureLinux3},
    {"standard_nv36ads_a10_v5", GpuVendor::kNvidia, kUbuntu | kAzureLinux3},
    {"standard_nv6ads_a10_v5", GpuVendor::kNvidia, kUbuntu | kAzureLinux3},
    {"standard_nv72ads_a10_v5", GpuVendor::kNvidia, kUbuntu | kAzureLinux3},
    {"standard_nd96amsr_a100_v4", GpuVendor::kNvidia, kUbuntu | kAzureLinux3},
    {"standard_nd112amsr_a100_v4", GpuVendor::kNvidia, kUbuntu | kAzureLinux3},
    {"standard_nd120amsr_a100_v4", GpuVendor::kNvidia, kUbuntu | kAzureLinux3},
    {"standard_nd96isr_h100_v5", GpuVendor::kNvidia, kUbuntu | kAzureLinux3},
    {"standard_nd96is_h100_v5", GpuVendor::kNvidia, kUbuntu | kAzureLinux3},
    {"standard_nd96is_noib_h100_v5", GpuVendor::kNvidia, kUbuntu | kAzureLinux3},
    {"standard_nd96is_flex_h100_v5", GpuVendor::kNvidia, kUbuntu | kAzureLinux3},
    {"standard_nd96isf_h100_v5", GpuVendor::kNvidia, kUbuntu | kAzureLinux3},
    {"standard_nd96isrf_h100_v5", GpuVendor::kNvidia, kUbuntu | kAzureLinux3},
    {"standard_nd96ams_v4", GpuVendor::kNvidia, kUbuntu | kAzureLinux3},
    {"standard_nd96ams_a100_flex_v4", GpuVendor::kNvidia, kUbuntu | kAzureLinux3},
    {"standard_nd96ams_a100_v4", GpuVendor::kNvidia, kUbuntu | kAzureLinux3},
    {"standard_nd96amsf_a100_v4", GpuVendor::kNvidia, kUbuntu | kAzureLinux3},
    {"standard_nd96amsrf_a100_v4", GpuVendor::kNvidia, kUbuntu | kAzureLinux3},
    {"standard_nd96isr_h200_v5", GpuVendor::kNvidia, kUbuntu | kAzureLinux3},
    {"standard_nd96is_h200_v5", GpuVendor::kNvidia, kUbuntu | kAzureLinux3},
    {"standard_nd96isf_h200_v5", GpuVendor::kNvidia, kUbuntu | kAzureLinux3},
    {"standard_nd96isrf_h200_v5", GpuVendor::kNvidia, kUbuntu | kAzureLinux3},
    {"standard_nc16as_t4_v3", GpuVendor::kNvidia, kUbuntu | kAzureLinux2 | kAzureLinux3},
    {"standard_nc4as_t4_v3", GpuVendor::kNvidia, kUbuntu | kAzureLinux2 | kAzureLinux3},
    {"standard_nc64as_t4_v3", GpuVendor::kNvidia, kUbuntu | kAzureLinux2 | kAzureLinux3},
    {"standard_nc8as_t4_v3", GpuVendor::kNvidia, kUbuntu | kAzureLinux2 | kAzureLinux3},
    {"standard_nc12s_v3", GpuVendor::kNvidia, kUbuntu | kAzureLinux2 | kAzureLinux3},
    {"standard_nc24rs_v3", GpuVendor::kNvidia, kUbuntu | kAzureLinux2 | kAzureLinux3},
    {"standard_nc24s_v3", GpuVendor::kNvidia, kUbuntu | kAzureLinux2 | kAzureLinux3},
    {"standard_nc6s_v3", GpuVendor::kNvidia, kUbuntu | kAzureLinux2 | kAzureLinux3},
    {"standard_nd40rs_v2", GpuVendor::kNvidia, kUbuntu | kAzureLinux2 | kAzureLinux3},
    {"standard_nd40s_v3", GpuVendor::kNvidia, kUbuntu | kAzureLinux2 | kAzureLinux3},
    {"standard_nc6", GpuVendor::kNvidia, kUbuntu},
    {"standard_nc12", GpuVendor::kNvidia, kUbuntu},
    {"standard_nc24", GpuVendor::kNvidia, kUbuntu},
    {"standard_nc24r", GpuVendor::kNvidia, kUbuntu},
    {"standard_nc12s_v2", GpuVendor::kNvidia, kUbuntu},
    {"standard_nc24rs_v2", GpuVendor::kNvidia, kUbuntu},
    {"standard_nc24s_v2", GpuVendor::kNvidia, kUbuntu},
    {"standard_nc6s_v2", GpuVendor::kNvidia, kUbuntu},
    {"standard_nd6s", GpuVendor::kNvidia, kUbuntu},
    {"standard_nd12s", GpuVendor::kNvidia, kUbuntu},
    {"standard_nd24s", GpuVendor::kNvidia, kUbuntu},
    {"standard_nd24rs", GpuVendor::kNvidia, kUbuntu},
    {"standard_nv12", GpuVendor::kNvidia, kUbuntu},
    {"standard_nv24", GpuVendor::kNvidia, kUbuntu},
    {"standard_nv6", GpuVendor::kNvidia, kUbuntu},
    {"standard_nv24r", GpuVendor::kNvidia, kUbuntu},
    {"standard_nv12s_v3", GpuVendor::kNvidia, kUbuntu},
    {"standard_nv24s_v3", GpuVendor::kNvidia, kUbuntu},
    {"standard_nv48s_v3", GpuVendor::kNvidia, kUbuntu},
    {"standard_nv12_promo", GpuVendor::kNvidia, kUbuntu},
    {"standard_nv24_promo", GpuVendor::kNvidia, kUbuntu},
    {"standard_nv6_promo", GpuVendor::kNvidia, kUbuntu},
    {"standard_nc12_promo", GpuVendor::kNvidia, kUbuntu},
    {"standard_nc24r_promo", GpuVendor::kNvidia, kUbuntu},
    {"standard_nc24_promo", GpuVendor::kNvidia, kUbuntu},
    {"standard_nc6_promo", GpuVendor::kNvidia, kUbuntu},
    {"standard_nd128isr_ndr_gb200_v6", GpuVendor::kNvidia, kUbuntu},
    {"standard_nd128isr_gb300_v6", GpuVendor::kNvidia, kUbuntu},
    {"standard_nc24lds_xl_rtxpro6000bse_v6", GpuVendor::kNvidia, kUbuntu},
    {"standard_nc36ds_xl_rtxpro6000bse_v6", GpuVendor::kNvidia, kUbuntu},
    {"standard_nc36lds_xl_rtxpro6000bse_v6", GpuVendor::kNvidia, kUbuntu},
    {"standard_nc72ds_xl_rtxpro6000bse_v6", GpuVendor::kNvidia, kUbuntu},
    {"standard_nc72lds_xl_rtxpro6000bse_v6", GpuVendor::kNvidia, kUbuntu},
    {"standard_nc144ds_xl_rtxpro6000bse_v6", GpuVendor::kNvidia, kUbuntu},
    {"standard_nc144lds_xl_rtxpro6000bse_v6", GpuVendor::kNvidia, kUbuntu},
    {"standard_nc288ds_xl_rtxpro6000bse_v6", GpuVendor::kNvidia, kUbuntu},
    {"standard_nc288lds_xl_rtxpro6000bse_v6", GpuVendor::kNvidia, kUbuntu},
    {"standard_nv4ads_v710_v5", GpuVendor::kAmd, kUbuntu},
    {"standard_nv8ads_v710_v5", GpuVendor::kAmd, kUbuntu},
    {"standard_nv12ads_v710_v5", GpuVendor::kAmd, kUbuntu},
    {"standard_nv24ads_v710_v5", GpuVendor::kAmd, kUbuntu},
    {"standard_nv28adms_v710_v5", GpuVendor::kAmd, kUbuntu},
    {"standard_nd96isr_mi300x_v5", GpuVendor::kAmd, kUbuntu},
    {"standard_nd96is_mi300x_v5", GpuVendor::kAmd, kUbuntu},
};

constexpr std::string_view kGrid[] = {
    "standard_nc8ads_a10_v4",  "standard_nc16ads_a10_v4",  "standard_nc32ads_a10_v4",
    "standard_nv6ads_a10_v5",  "standard_nv12ads_a10_v5",  "standard_nv18ads_a10_v5",
    "standard_nv36ads_a10_v5", "standard_nv36adms_a10_v5", "standard_nv72ads_a10_v5",
};
constexpr std::string_view kGridV20[] = {
    "standard_nc24lds_xl_rtxpro6000bse_v6",  "standard_nc36ds_xl_rtxpro6000bse_v6",
    "standard_nc36lds_xl_rtxpro6000bse_v6",  "standard_nc72ds_xl_rtxpro6000bse_v6",
    "standard_nc72lds_xl_rtxpro6000bse_v6",  "standard_nc144ds_xl_rtxpro6000bse_v6",
    "standard_nc144lds_xl_rtxpro6000bse_v6", "standard_nc288ds_xl_rtxpro6000bse_v6",
    "standard_nc288lds_xl_rtxpro6000bse_v6",
};

std::string canonical(std::string_view vm_size) {
  return lowered(vm_size);
}

template <size_t N>
bool among(const std::string_view (&sizes)[N], std::string_view size) {
  return std::find(std::begin(sizes), std::end(sizes), size) != std::end(sizes);
}

}  // namespace

const GpuSize* find_gpu_size(std::string_view vm_size) {
  const std::string lower = canonical(vm_size);
  std::string_view size = lower;
  const auto find = [](std::string_view wanted) {
    const auto it =
        std::find_if(std::begin(kSizes), std::end(kSizes), [&](const GpuSize& s) { return s.size == wanted; });
    return it == std::end(kSizes) ? nullptr : it;
  };
  if (const GpuSize* exact = find(size)) return exact;
  if (size.ends_with("_promo")) size.remove_suffix(6);
  return find(size);
}

GpuDriver gpu_driver(std::string_view vm_size) {
  const std::string lower = canonical(vm_size);
  std::string_view size = lower;
  if (size.ends_with("_promo")) size.remove_suffix(6);
  constexpr std::string_view kLtsSuffix = "20260629214430";
  if (among(kGridV20, size)) return {"grid-v20", "595.58.03", "20260609172331"};
  if (among(kGrid, size)) return {"grid", "570.211.01", "20260522192315"};
  // K80: the last driver that knows it, in an image that is tagged with the suffix of the long-term one.
  if (size.starts_with("standard_nc") && size.find("_v") == size.npos) return {"cuda", "470.82.01", kLtsSuffix};
  return {"cuda-lts", "580.159.04", kLtsSuffix};
}

bool gpu_runs_on(const GpuSize& size, std::string_view os_sku) {
  if (os_sku == "Ubuntu") return (size.os & kUbuntu) != 0;
  if (os_sku == "AzureLinux") return (size.os & (kAzureLinux2 | kAzureLinux3)) != 0;
  return false;
}

}  // namespace sunup::fleet
