#include "render/containerd_config.h"

#include <gmock/gmock.h>

#include <set>
#include <sstream>

namespace sunup::render {
namespace {

using aksnodeconfig::v1::Configuration;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr auto kOne = ContainerdGeneration::kOne, kTwo = ContainerdGeneration::kTwo;

TEST(ContainerdGeneration, IsReadFromTheThirdWordOfTheVersionLine) {
  EXPECT_EQ(containerd_generation("containerd containerd.io 1.7.22 7f7fdf5fed64eb6a7caf99b3e12efcf9d60e311c"), kOne);
  EXPECT_EQ(containerd_generation("containerd github.com/containerd/containerd/v2 v2.0.0 207ad711eabd\n"), kTwo);
  EXPECT_EQ(containerd_generation("containerd github.com/containerd/containerd/v2 2.0.0-6.azl3"), kTwo);
  EXPECT_EQ(containerd_generation("containerd x 10.0.0"), kTwo);
}

TEST(ContainerdGeneration, IsReadFromABareVersionToo) {
  EXPECT_EQ(containerd_generation("2.0.0"), kTwo);
  EXPECT_EQ(containerd_generation("v2.1.4-ubuntu"), kTwo);
  EXPECT_EQ(containerd_generation("1.7.22"), kOne);
}

TEST(ContainerdGeneration, IsOneWhenItCannotBeUnderstood) {
  for (const auto* output : {"", " \n", "2.0", "a b 2.1", "a b 2.0.0~rc1", "a b 2.0.0+x", "a b 2.0.0.0", "a b -2.0.0",
                             "a b vv2.0.0", "a 2.0.0", "a b 2..0", "a b 99999999999999999999.0.0"})
    EXPECT_EQ(containerd_generation(output), kOne) << output;
}

// Every table header occurs once, and every key once in its table. TOML requires this, and a careless combination of
// features violates it.
void expect_no_duplicates(const std::string& toml) {
  std::istringstream lines(toml);
  std::set<std::string> tables, keys;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('[')) {
      EXPECT_TRUE(tables.insert(line).second) << line;
      keys.clear();
    } else if (!line.empty()) {
      EXPECT_TRUE(keys.insert(line.substr(0, line.find(" = "))).second) << line;
    }
  }
}

TEST(ContainerdConfig, IsWellFormedWhateverFeaturesComeTogether) {
  for (const auto generation : {kOne, kTwo}) {
    for (const auto gpu : {GpuFile::kYes, GpuFile::kNo}) {
      for (unsigned features = 0; features < 32; ++features) {
        Configuration config;
        config.set_is_kata(features & 1);
        config.set_enable_artifact_streaming(features & 2);
        config.mutable_gpu_config()->set_enable_nvidia(features & 4);
        config.set_needs_cgroupv2(features & 8);
        if (features & 16)
          config.mutable_network_config()->set_network_plugin(aksnodeconfig::v1::NETWORK_PLUGIN_KUBENET);
        config.set_kubernetes_version("1.33.0");
        SCOPED_TRACE(features);
        expect_no_duplicates(containerd_config(config, generation, gpu));
      }
    }
  }
}

TEST(ContainerdConfig, OfABareConfigIsRuncAndTheClientHeader) {
  EXPECT_EQ(containerd_config({}, kOne, GpuFile::kNo), R"(version = 2
oom_score = -999

[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = ""

[plugins."io.containerd.grpc.v1.cri".containerd]
default_runtime_name = "runc"

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
BinaryName = "/usr/bin/runc"

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.untrusted]
runtime_type = "io.containerd.runc.v2"

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.untrusted.options]
BinaryName = "/usr/bin/runc"

[plugins."io.containerd.grpc.v1.cri".registry.headers]
X-Meta-Source-Client = ["azure/aks"]

[metrics]
address = "0.0.0.0:10257"
)");
}

TEST(ContainerdConfig, EscapesWhatTheConfigSays) {
  Configuration config;
  config.mutable_kube_binary_config()->set_pod_infra_container_image_url("a\"b\\c\nd");
  config.mutable_kubelet_config()->set_container_data_dir("/mnt/\"x\"");
  EXPECT_THAT(containerd_config(config, kTwo, GpuFile::kNo),
              AllOf(HasSubstr(R"(sandbox = "a\"b\\c\nd")"), HasSubstr(R"(root = "/mnt/\"x\"")")));
}

TEST(ContainerdConfig, UsesNvidiaInTheGpuFileOnly) {
  Configuration config;
  config.mutable_gpu_config()->set_enable_nvidia(true);
  const auto* nvidia = "default_runtime_name = \"nvidia-container-runtime\"";
  EXPECT_THAT(containerd_config(config, kOne, GpuFile::kYes), AllOf(HasSubstr(nvidia), HasSubstr("enable_cdi = true")));
  EXPECT_THAT(containerd_config(config, kOne, GpuFile::kNo),
              AllOf(Not(HasSubstr("nvidia")), Not(HasSubstr("enable_cdi"))));
  EXPECT_THAT(containerd_config(config, kTwo, GpuFile::kYes), AllOf(HasSubstr(nvidia), Not(HasSubstr("enable_cdi"))));
}

TEST(ContainerdConfig, StreamsAllImagesAlsoNextToKata) {
  Configuration config;
  config.set_is_kata(true);
  config.set_enable_artifact_streaming(true);
  EXPECT_THAT(containerd_config(config, kOne, GpuFile::kNo),
              HasSubstr(R"([plugins."io.containerd.grpc.v1.cri".containerd]
snapshotter = "overlaybd")"));
}

TEST(ContainerdConfig, ChoosesSystemdCgroupsByConfigInOneAndAlwaysInTwo) {
  const Configuration config;
  EXPECT_THAT(containerd_config(config, kOne, GpuFile::kNo), Not(HasSubstr("SystemdCgroup = true")));
  EXPECT_THAT(containerd_config(config, kTwo, GpuFile::kNo), HasSubstr("SystemdCgroup = true"));
}

TEST(ContainerdConfig, PointsAtRegistryHostsFromKubernetes122On) {
  Configuration config;
  config.set_kubernetes_version("1.21.14");
  EXPECT_THAT(containerd_config(config, kTwo, GpuFile::kNo), Not(HasSubstr("certs.d")));
  config.set_kubernetes_version("1.22.0");
  EXPECT_THAT(containerd_config(config, kTwo, GpuFile::kNo), HasSubstr("certs.d"));
}

}  // namespace
}  // namespace sunup::render
