#include "render/node/gpu.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sunup::render::node {
namespace {

Configuration gpu(const char* size, bool install = true) {
  Configuration config;
  config.set_vm_size(size);
  config.mutable_gpu_config()->set_enable_nvidia(true);
  config.mutable_gpu_config()->set_config_gpu_driver(install);
  return config;
}

NodeFacts on(Distro distro) {
  NodeFacts facts = golden_image(distro);
  facts.gpu_images = {{"aks-gpu-cuda-lts", {"580.1", "2026"}}, {"aks-gpu-grid", {"570.2", "2025"}}};
  return facts;
}

const NodeFile* find(const NodeFiles& files, std::string_view part) {
  for (const auto& file : files)
    if (file.path.find(part) != std::string::npos) return &file;
  return nullptr;
}

TEST(DriverPlan, UbuntuRunsTheDriverImageOfTheSize) {
  const auto plan = driver_plan(gpu("Standard_NC24ads_A100_v4"), on(Distro::kUbuntu2204));
  EXPECT_EQ(plan->action, DriverAction::kInstall);
  EXPECT_EQ(plan->image, "mcr.microsoft.com/aks/aks-gpu-cuda-lts:580.1-2026");
  EXPECT_EQ(driver_plan(gpu("Standard_NV6ads_A10_v5"), on(Distro::kUbuntu2204))->image,
            "mcr.microsoft.com/aks/aks-gpu-grid:570.2-2025");
  EXPECT_EQ(driver_plan(gpu("x", false), on(Distro::kUbuntu2204))->action, DriverAction::kValidate);
  EXPECT_TRUE(driver_plan(gpu("Standard_ND96isr_H100_v5"), on(Distro::kUbuntu2204))->fabric_manager);
}

TEST(DriverPlan, NothingWithoutAGpuOnArmOrWhenATagForbidsIt) {
  EXPECT_EQ(driver_plan({}, on(Distro::kUbuntu2204))->action, DriverAction::kNone);
  NodeFacts facts = on(Distro::kUbuntu2204);
  facts.arch = "arm64";
  EXPECT_EQ(driver_plan(gpu("x"), facts)->action, DriverAction::kNone);
  facts = on(Distro::kUbuntu2204);
  facts.imds.emplace();
  facts.imds->tags = {{"SkipGpuDriverInstall", "true"}};
  EXPECT_EQ(driver_plan(gpu("x"), facts)->action, DriverAction::kNone);
}

TEST(DriverPlan, AzureLinuxChoosesAPackageByGeneration) {
  const auto form = [](const char* size) { return driver_plan(gpu(size), on(Distro::kAzureLinux3))->form; };
  EXPECT_EQ(form("Standard_NC24ads_A100_v4"), DriverForm::kCudaOpen);
  EXPECT_EQ(form("Standard_NC4as_T4_v3"), DriverForm::kCudaProprietary);
  EXPECT_EQ(form("Standard_NC6s_v3"), DriverForm::kCudaProprietary);
  EXPECT_EQ(form("Standard_NV6ads_A10_v5"), DriverForm::kVirtualGpu);
  EXPECT_EQ(driver_plan(gpu("Standard_NC36ds_xl_RTXPRO6000BSE_v6"), on(Distro::kAzureLinux3)).error().code, 224);
  EXPECT_EQ(driver_plan(gpu("x"), on(Distro::kFlatcar)).error().code, 1);
}

TEST(ManagedGpu, OneWayOrTheOtherButNotBoth) {
  Configuration config = gpu("x");
  const NodeFacts facts = on(Distro::kUbuntu2404);
  EXPECT_EQ(managed_gpu(config, facts), ManagedGpu::kOff);
  config.mutable_gpu_config()->set_enable_managed_gpu_dra(true);
  EXPECT_EQ(managed_gpu(config, facts), ManagedGpu::kDra);
  config.mutable_gpu_config()->set_enable_managed_gpu(true);
  EXPECT_EQ(gpu_files(config, facts).error().code, 123);
  EXPECT_EQ(managed_gpu({}, facts), ManagedGpu::kOff);
}

TEST(GpuFiles, TheDevicePluginKnowsTheMigStrategy) {
  Configuration config = gpu("x");
  config.mutable_gpu_config()->set_enable_managed_gpu(true);
  const NodeFacts facts = on(Distro::kUbuntu2404);
  EXPECT_NE(find(*gpu_files(config, facts), "nvidia-device-plugin")
                ->content.find("ExecStart=\nExecStart=/usr/bin/nvidia-device-plugin --pass-device-specs\n"),
            std::string::npos);
  config.mutable_gpu_config()->set_gpu_instance_profile("MIG3g");
  config.mutable_gpu_config()->set_mig_strategy("mixed");
  EXPECT_NE(find(*gpu_files(config, facts), "nvidia-device-plugin")->content.find("--mig-strategy single"),
            std::string::npos);
  config.mutable_gpu_config()->set_mig_strategy("Mixed");
  config.mutable_gpu_config()->add_mig_profile_layout("a");
  config.mutable_gpu_config()->add_mig_profile_layout("b");
  const auto files = gpu_files(config, facts);
  EXPECT_NE(find(*files, "nvidia-device-plugin")->content.find("--mig-strategy mixed"), std::string::npos);
  EXPECT_EQ(find(*files, "mig-partition.service.d/10-mig-profile.conf")->content,
            "[Service]\nEnvironment=\"GPU_INSTANCE_PROFILE=MIG3g\"\nEnvironment=\"NVIDIA_MIG_PROFILE_LAYOUT=a,b\"\n");
  EXPECT_NE(find(*files, "managed-gpu-experience.enabled"), nullptr);
}

TEST(Gpu, ALayoutAloneMakesInstances) {
  Configuration config;
  EXPECT_FALSE(is_mig_node(config));
  config.mutable_gpu_config()->add_mig_profile_layout("MIG3g");
  EXPECT_TRUE(is_mig_node(config));
  config.mutable_gpu_config()->clear_mig_profile_layout();
  config.mutable_gpu_config()->set_gpu_instance_profile("MIG3g");
  EXPECT_TRUE(is_mig_node(config));
}

TEST(GpuFiles, DraNamesTheNode) {
  Configuration config = gpu("x");
  config.mutable_gpu_config()->set_enable_managed_gpu_dra(true);
  NodeFacts facts = on(Distro::kUbuntu2404);
  facts.hostname = "AKS-Node000001";
  EXPECT_NE(find(*gpu_files(config, facts), "dra-driver")->content.find("--node-name=aks-node000001\n"),
            std::string::npos);
}

TEST(DriverPackage, IsTheNewestThatWasBuiltForThisKernel) {
  constexpr std::string_view kListed =
      "cuda-open-580.9-1_6.6.57.1.2.azl3.x86_64\ncuda-open-580.10-1_6.6.57.1.2.azl3.x86_64\n"
      "cuda-open-590.1-1_6.6.57.1.22.azl3.x86_64\ncuda-590.1-1_6.6.57.1.2.azl3.x86_64\n";
  constexpr std::string_view kKernel = "6.6.57.1-2.azl3";
  EXPECT_EQ(newest_driver_package(kListed, DriverForm::kCudaOpen, kKernel),
            "cuda-open-580.10-1_6.6.57.1.2.azl3.x86_64");
  EXPECT_EQ(newest_driver_package(kListed, DriverForm::kCudaProprietary, kKernel),
            "cuda-590.1-1_6.6.57.1.2.azl3.x86_64");
  EXPECT_EQ(newest_driver_package(kListed, DriverForm::kVirtualGpu, kKernel), "");
  EXPECT_EQ(newest_driver_package(kListed, DriverForm::kCudaOpen, "6.6.57.1-2.azl"), "") << "a part of a release";
}

TEST(GpuCleanup, NodesThatUseAGpuKeepItsParts) {
  Configuration managed = gpu("x");
  managed.mutable_gpu_config()->set_enable_managed_gpu(true);
  EXPECT_TRUE(gpu_cleanup_paths(managed, on(Distro::kUbuntu2204)).empty());
  EXPECT_EQ(gpu_cleanup_paths(gpu("x"), on(Distro::kUbuntu2204)),
            (std::vector<std::string>{"/opt/azure/containers/managed-gpu-experience.enabled"}));
  EXPECT_TRUE(gpu_cleanup_paths({}, on(Distro::kOsGuard)).empty());
  EXPECT_EQ(gpu_cleanup_paths({}, on(Distro::kFlatcar)), (std::vector<std::string>{"/usr/local/nvidia", "/opt/gpu"}));
  EXPECT_EQ(gpu_cleanup_paths({}, on(Distro::kUbuntu2204)).size(), 8U);
}

TEST(PrebakedDriver, IsInTheWayOfNodesThatWantNoneOrTheOtherKind) {
  NodeFacts facts = on(Distro::kUbuntu2204);
  EXPECT_FALSE(drops_prebaked_driver({}, facts)) << "there is none";
  facts.texts[kPrebakeMarker] = "driver_kind=cuda\n";
  EXPECT_TRUE(drops_prebaked_driver({}, facts));
  EXPECT_FALSE(drops_prebaked_driver(gpu("Standard_NC24ads_A100_v4"), facts));
  EXPECT_TRUE(drops_prebaked_driver(gpu("Standard_NV6ads_A10_v5"), facts));
  facts.texts[kPrebakeMarker] = "driver_kind=grid\n";
  EXPECT_FALSE(drops_prebaked_driver(gpu("Standard_NV6ads_A10_v5"), facts));
  facts.distro = Distro::kAzureLinux3;
  EXPECT_FALSE(drops_prebaked_driver({}, facts));
}

}  // namespace
}  // namespace sunup::render::node
