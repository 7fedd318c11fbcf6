// GPUs on the simulated machine: how tags decide, what is installed and what is removed.
#include "plan/gpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/sim/machine.h"
#include "plan/catalogue.h"
#include "plan/gather.h"
#include "plan/metadata.h"
#include "render/node/gpu.h"

namespace sunup::plan {
namespace {

using host::FileKind;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Gpus : public testing::Test {
 protected:
  Gpus() {
    config.set_vm_size("Standard_NC24ads_A100_v4");
    config.mutable_gpu_config()->set_enable_nvidia(true);
    config.mutable_gpu_config()->set_config_gpu_driver(true);
    put("/etc/os-release", "ID=ubuntu\nVERSION_ID=\"22.04\"\n");
    put("/opt/azure/vhd-install.complete", "");
    put("/opt/azure/components.json",
        R"({"GPUContainerImages":[{"downloadURL":"mcr.microsoft.com/aks/aks-gpu-cuda-lts:*",)"
        R"("gpuVersion":{"latestVersion":"580.1-2026"}},{"downloadURL":"mcr.microsoft.com/aks/aks-gpu-grid:*",)"
        R"("gpuVersion":{"latestVersion":"570.2-2025"}}]})");
    world.on_spawn = [this](const host::Command& command) { spawned.push_back(command.argv); };
    world.on_operation = [this](host::TimePoint, std::string_view what, const std::string& on) {
      for (const std::string_view one : {"start unit", "stop unit", "enable", "disable"})
        if (what == one) units.push_back(std::string(what) + " " + on);
    };
    for (const char* program : {"ctr", "nvidia-modprobe", "nvidia-smi", "ldconfig", "dpkg", "dnf", "nvidia-ctk"})
      world.programs[program] = {};
    for (const std::string_view unit : node::managed_gpu_units()) world.units[std::string(unit)] = {};
    world.units["containerd.service"] = {};
    put("/run/containerd/containerd.sock", "", FileKind::kSocket);
  }

  void put(const std::string& path, std::string content, FileKind kind = FileKind::kRegular) {
    for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
      world.disk.try_emplace(path.substr(0, slash), host::sim::Node{FileKind::kDirectory, 0755, ""});
    world.disk[path] = host::sim::Node{kind, 0644, std::move(content)};
  }
  void cache_packages(const char* suffix = ".deb") {
    for (const char* name : {"datacenter-gpu-manager-4-core", "datacenter-gpu-manager-4-proprietary", "dcgm-exporter",
                             "nvidia-device-plugin", "dra-driver-nvidia-gpu"})
      put(std::string("/opt/") + name + "/downloads/" + name + "_1.0" + suffix, "package");
  }

  // As in a real run: the plan is made before the metadata service is queried.
  Result<void> run(std::string_view name) {
    host::sim::Machine machine(world);
    auto subject = std::make_shared<Subject>();
    subject->config = config;
    subject->facts = *gather_facts(machine.host().files, config);
    EXPECT_TRUE(applies(*find_step(name), *subject)) << name;
    const auto step = make_step(*find_step(name), subject);
    if (!step) return step.error();
    learned[kMetadata] = reduced_metadata(metadata);
    Context context(machine.host(), *step, learned, [this](const std::string& text) { notes.push_back(text); });
    std::optional<Result<void>> result;
    machine.loop().run(step->run(context), &result);
    return result ? *std::move(result) : Result<void>(Error("it never ended"));
  }

  host::sim::World world{1};
  aksnodeconfig::v1::Configuration config;
  node::ImdsFacts metadata;
  std::map<std::string, std::string> learned;
  std::vector<std::vector<std::string>> spawned;
  std::vector<std::string> units;
  std::vector<std::string> notes;
};

TEST_F(Gpus, AreOfferedWhereOnlyATagAsksForIt) {
  metadata.tags = {{"EnableManagedGPUExperience", "true"}};
  cache_packages();
  ASSERT_TRUE(run("gpu.plugin"));
  ASSERT_EQ(spawned.size(), 2U);
  EXPECT_THAT(spawned[0], ElementsAre("dpkg", "--install", HasSubstr("core_1.0.deb"), HasSubstr("proprietary_1.0.deb"),
                                      HasSubstr("dcgm-exporter_1.0.deb")));
  EXPECT_THAT(spawned[1], ElementsAre("dpkg", "--install", HasSubstr("nvidia-device-plugin_1.0.deb")));
  EXPECT_THAT(units, Contains("start unit nvidia-device-plugin.service"));
  EXPECT_THAT(units, Contains("start unit nvidia-dcgm-exporter.service"));
  EXPECT_THAT(units, Not(Contains("start unit dra-driver-nvidia-gpu.service")));
}

TEST_F(Gpus, ThatNobodyWantsOfferedHaveTheServicesOfTheImageSwitchedOff) {
  for (const std::string_view unit : node::managed_gpu_units()) put("/lib/systemd/system/" + std::string(unit), "");
  ASSERT_TRUE(run("gpu.plugin"));
  for (const std::string_view unit : node::managed_gpu_units()) {
    EXPECT_THAT(units, Contains("stop unit " + std::string(unit)));
    EXPECT_THAT(units, Contains("disable " + std::string(unit)));
  }
  EXPECT_THAT(spawned, IsEmpty());
}

TEST_F(Gpus, CannotBeOfferedWithoutThePackagesAndSayWhich) {
  config.mutable_gpu_config()->set_enable_managed_gpu(true);
  auto missing = run("gpu.plugin");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, 227);
  EXPECT_THAT(missing.error().what, HasSubstr("datacenter-gpu-manager-4-core"));
  cache_packages();
  world.programs["dpkg"].failures = 1;
  EXPECT_EQ(run("gpu.plugin").error().code, 235);
  world.programs["dpkg"].effect = [](const std::vector<std::string>& argv, host::Files&) {
    return argv.size() == 3 ? Result<void>(Error("broken")) : Result<void>();
  };
  EXPECT_EQ(run("gpu.plugin").error().code, 9);
}

TEST_F(Gpus, OfDynamicResourceAllocationHaveTheirDriverInstalledBeforeAndStartedAfterKubelet) {
  config.mutable_gpu_config()->set_enable_managed_gpu_dra(true);
  cache_packages();
  ASSERT_TRUE(run("gpu.plugin"));
  EXPECT_THAT(spawned.back(), ElementsAre("dpkg", "--install", HasSubstr("dra-driver-nvidia-gpu_1.0.deb")));
  EXPECT_THAT(units, IsEmpty());
  ASSERT_TRUE(run("gpu.dra"));
  EXPECT_THAT(units, Contains("start unit dra-driver-nvidia-gpu.service"));
}

TEST_F(Gpus, DriverThatATagForbidsLeavesNothingBehind) {
  metadata.tags = {{"SkipGpuDriverInstall", "true"}};
  put("/opt/gpu/driver", "left over");
  put("/usr/local/nvidia/lib", "left over");
  ASSERT_TRUE(run("image.leftovers"));
  EXPECT_FALSE(world.disk.contains("/opt/gpu/driver"));
  EXPECT_FALSE(world.disk.contains("/usr/local/nvidia/lib"));
}

TEST_F(Gpus, WithoutADriverAreRefusedOnlyWhenNoTagForbidsOne) {
  put("/etc/os-release", "ID=flatcar\nVERSION_ID=\"4152.2.0\"\n");
  EXPECT_EQ(run("gpu.files").error().code, 1);
  metadata.tags = {{"SkipGpuDriverInstall", "true"}};
  EXPECT_TRUE(run("gpu.files"));
}

TEST_F(Gpus, InstancesAreLeftAloneWhereATagForbidsTheDriver) {
  config.mutable_gpu_config()->set_gpu_instance_profile("MIG1g");
  world.programs["shutdown"] = {};
  learned["kubelet.started"] = world.boot_id();
  metadata.tags = {{"SkipGpuDriverInstall", "true"}};
  ASSERT_TRUE(run("gpu.partition"));
  ASSERT_TRUE(run("gpu.reboot"));
  EXPECT_THAT(units, IsEmpty());
  EXPECT_THAT(spawned, IsEmpty());
}

TEST_F(Gpus, RebootForInstancesOnlyInTheBootThatMadeThem) {
  config.mutable_gpu_config()->set_gpu_instance_profile("MIG1g");
  world.programs["shutdown"] = {};
  ASSERT_TRUE(run("gpu.reboot"));
  learned["kubelet.started"] = "another boot";
  ASSERT_TRUE(run("gpu.reboot"));
  EXPECT_THAT(spawned, IsEmpty());
  learned["kubelet.started"] = world.boot_id();
  ASSERT_TRUE(run("gpu.reboot"));
  EXPECT_THAT(spawned, ElementsAre(ElementsAre("shutdown", "--reboot", "+1")));
}

TEST_F(Gpus, DriverIsLoadedAtTheBootsToCome) {
  put("/lib/systemd/system/nvidia-modprobe.service", "");
  put("/lib/systemd/system/node-problem-detector.service", "");
  world.units["nvidia-modprobe.service"] = {};
  world.units["node-problem-detector.service"] = {};
  ASSERT_TRUE(run("gpu.driver"));
  EXPECT_THAT(units, Contains("enable nvidia-modprobe.service"));
  EXPECT_THAT(units, Contains("start unit nvidia-modprobe.service"));
}

TEST_F(Gpus, PackagesThatCannotBeHadEndWithTheirOwnCodes) {
  put("/etc/os-release", "ID=azurelinux\nVERSION_ID=\"3.0\"\n");
  EXPECT_EQ(run("gpu.driver").error().code, 10) << "none for this kernel";
  world.programs["dnf"].failures = 1;
  EXPECT_EQ(run("gpu.driver").error().code, 9);
}

TEST_F(Gpus, DriverOfTheImageIsTakenOutWhereThereIsNoGpu) {
  config.mutable_gpu_config()->set_enable_nvidia(false);
  put("/opt/azure/aks-gpu/dkms-marker", "driver_kind=cuda\n");
  put("/var/lib/dkms/nvidia/580.1/source", "");
  put("/usr/bin/nvidia-modprobe", "");
  put("/lib/modules/5.15.0-1116-azure/updates/dkms/nvidia-uvm.ko.zst", "");
  put("/lib/modules/5.15.0-1116-azure/updates/dkms/other.ko", "");
  world.modules = {"nvidia", "nvidia_uvm"};
  ASSERT_TRUE(run("gpu.unused_driver"));
  EXPECT_THAT(world.modules, IsEmpty());
  for (const char* gone : {"/var/lib/dkms/nvidia", "/usr/bin/nvidia-modprobe", "/opt/azure/aks-gpu/dkms-marker",
                           "/lib/modules/5.15.0-1116-azure/updates/dkms/nvidia-uvm.ko.zst"})
    EXPECT_FALSE(world.disk.contains(gone)) << gone;
  EXPECT_TRUE(world.disk.contains("/lib/modules/5.15.0-1116-azure/updates/dkms/other.ko"));
  EXPECT_THAT(notes, Contains(HasSubstr("AKS_GPU_PREBAKE event=teardown driver_kind=cuda")));
  EXPECT_THAT(notes, Contains(HasSubstr("status=cleaned")));
}

TEST_F(Gpus, DriverInUseStaysAndSoDoesItsMark) {
  config.mutable_gpu_config()->set_enable_nvidia(false);
  put("/opt/azure/aks-gpu/dkms-marker", "driver_kind=cuda\n");
  put("/sys/module/nvidia/refcnt", "3\n");
  world.modules = {"nvidia"};
  ASSERT_TRUE(run("gpu.unused_driver"));
  EXPECT_THAT(world.modules, ElementsAre("nvidia"));
  EXPECT_TRUE(world.disk.contains("/opt/azure/aks-gpu/dkms-marker"));
  EXPECT_THAT(notes, Contains(HasSubstr("status=incomplete")));
}

TEST_F(Gpus, DriverOfTheOtherKindGivesWayBeforeGridIsInstalled) {
  config.set_vm_size("Standard_NV6ads_A10_v5");
  put("/opt/azure/aks-gpu/dkms-marker", "driver_kind=cuda\n");
  put("/var/lib/dkms/nvidia/580.1/source", "");
  ASSERT_TRUE(run("gpu.driver"));
  EXPECT_FALSE(world.disk.contains("/var/lib/dkms/nvidia"));
  EXPECT_FALSE(world.disk.contains("/opt/azure/aks-gpu/dkms-marker"));
  put("/opt/azure/aks-gpu/dkms-marker", "driver_kind=grid\n");
  ASSERT_TRUE(run("gpu.driver"));
  EXPECT_TRUE(world.disk.contains("/opt/azure/aks-gpu/dkms-marker")) << "it is the right one";
}

TEST_F(Gpus, DriverIsPulledFromWhereTheCloudHasItAndKnownByItsUsualName) {
  config.mutable_cluster_config()->set_location("chinaeast2");
  ASSERT_TRUE(run("gpu.driver"));
  EXPECT_THAT(spawned,
              Contains(ElementsAre("ctr", "-n", "k8s.io", "images", "pull", "--hosts-dir", "/etc/containerd/certs.d",
                                   "mcr.azure.cn/aks/aks-gpu-cuda-lts:580.1-2026")));
  EXPECT_THAT(spawned, Contains(ElementsAre("ctr", "-n", "k8s.io", "images", "tag", "--force",
                                            "mcr.azure.cn/aks/aks-gpu-cuda-lts:580.1-2026",
                                            "mcr.microsoft.com/aks/aks-gpu-cuda-lts:580.1-2026")));
}

TEST_F(Gpus, DriverOfTheImageThatDoesNotLoadIsInstalled) {
  config.mutable_gpu_config()->set_config_gpu_driver(false);
  ASSERT_TRUE(run("gpu.driver"));
  EXPECT_THAT(spawned, Not(Contains(Contains("run"))));
  world.programs["nvidia-modprobe"].failures = 24;
  ASSERT_TRUE(run("gpu.driver"));
  EXPECT_THAT(spawned, Contains(Contains("run")));
}

TEST_F(Gpus, FabricManagerIsInstalledForTheDriverOnAzureLinux) {
  put("/etc/os-release", "ID=azurelinux\nVERSION_ID=\"3.0\"\n");
  put("/proc/sys/kernel/osrelease", "6.6.57.1-2.azl3\n");
  config.set_vm_size("Standard_ND96isr_H100_v5");
  world.programs["dnf"].output = "cuda-open-580.1-1_6.6.57.1.2.azl3.x86_64\n";
  for (const char* unit : {"nvidia-persistenced.service", "nvidia-fabricmanager.service"}) world.units[unit] = {};
  ASSERT_TRUE(run("gpu.driver"));
  EXPECT_THAT(spawned, Contains(ElementsAre("dnf", "install", "-y", "nvidia-fabric-manager-580.1")));
  EXPECT_THAT(units, Contains("start unit nvidia-fabricmanager.service"));
}

}  // namespace
}  // namespace sunup::plan
