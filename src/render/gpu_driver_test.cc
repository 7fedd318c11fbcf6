#include "render/gpu_driver.h"

#include <gtest/gtest.h>

namespace sunup::render {
namespace {

const GpuImages kImages = {{"aks-gpu-cuda-lts", {"580.1", "lts"}},
                           {"aks-gpu-cuda", {"580.0", "unused"}},
                           {"aks-gpu-grid", {"570.1", "grid"}},
                           {"aks-gpu-grid-v20", {"595.1", "v20"}}};

struct Expected {
  std::string_view size, type, version, suffix;
};

TEST(GpuDriver, DependsOnTheSizeOnly) {
  for (const auto& [size, type, version, suffix] : {
           Expected{"Standard_NC128ds_xl_RTXPRO6000BSE_v6", "grid-v20", "595.1", "v20"},
           Expected{"STANDARD_NV36ADS_A10_V5", "grid", "570.1", "grid"},
           Expected{"Standard_NC6", "cuda", "cuda-470.82.01", "lts"},
           Expected{"standard_nc24rs", "cuda", "cuda-470.82.01", "lts"},
           Expected{"Standard_NC6s_v3", "cuda-lts", "580.1", "lts"},
           Expected{"Standard_NC24ads_A100_v4", "cuda-lts", "580.1", "lts"},
           Expected{"Standard_D4ds_v5", "cuda-lts", "580.1", "lts"},
           Expected{"Standard_NV36ads_A10_v5 ", "cuda-lts", "580.1", "lts"},
           Expected{"", "cuda-lts", "580.1", "lts"},
       }) {
    const GpuDriver driver = gpu_driver(size, kImages);
    EXPECT_EQ(driver.type, type) << size;
    EXPECT_EQ(driver.image, (GpuImage{std::string(version), std::string(suffix)})) << size;
  }
}

TEST(GpuDriver, HasNoVersionWhenTheImageNamesNone) {
  EXPECT_EQ(gpu_driver("Standard_NV6ads_A10_v5", {}).image, GpuImage{});
  EXPECT_EQ(gpu_driver("Standard_NC6", {}).image, (GpuImage{"cuda-470.82.01", ""}));
}

TEST(FabricManager, IsForNvSwitchSizesInAnyCase) {
  EXPECT_TRUE(needs_fabric_manager("Standard_ND96isr_H100_v5"));
  EXPECT_TRUE(needs_fabric_manager("Standard_ND96\xC4\xB0sr_H100_v5")) << "a dotted capital I lower-cases to i";
  EXPECT_FALSE(needs_fabric_manager("Standard_NC24ads_A100_v4"));
  EXPECT_FALSE(needs_fabric_manager(""));
}

TEST(Sgx, IsKnownByTheExactNamesOfTwoSizes) {
  EXPECT_TRUE(has_sgx("Standard_DC2s"));
  EXPECT_TRUE(has_sgx("Standard_DC4s"));
  EXPECT_FALSE(has_sgx("standard_dc2s"));
  EXPECT_FALSE(has_sgx("Standard_DC2s_v2"));
}

}  // namespace
}  // namespace sunup::render
