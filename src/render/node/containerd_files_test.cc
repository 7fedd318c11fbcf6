#include "render/node/containerd_files.h"

#include <gtest/gtest.h>

namespace sunup::render::node {
namespace {

const NodeFile* find(const NodeFiles& files, std::string_view path) {
  for (const auto& file : files)
    if (file.path == path) return &file;
  return nullptr;
}

NodeFacts skipping() {
  NodeFacts facts;
  facts.imds.emplace();
  facts.imds->tags = {{"SkipGpuDriverInstall", "true"}};
  return facts;
}

TEST(ContainerdFiles, APlainNodeGetsConfigTemplateAndStartDropin) {
  const auto files = containerd_files({}, {});
  ASSERT_EQ(files->size(), 3U);
  EXPECT_EQ(find(*files, "/etc/systemd/system/containerd.service.d/exec_start.conf")->content,
            "[Service]\nExecStartPost=/sbin/iptables -P FORWARD ACCEPT\nLimitNOFILE=1048576\n");
  EXPECT_EQ(find(*files, "/etc/containerd/config.toml")->mode, 0644U);
  EXPECT_NE(find(*files, "/etc/containerd/kubenet_template.conf"), nullptr);
}

TEST(ContainerdFiles, LimitsGoIntoTheirOwnDropin) {
  Configuration config;
  auto* limits = config.mutable_custom_linux_os_config()->mutable_ulimit_config();
  const auto dropin = [&] {
    return *find(*containerd_files(config, {}), "/etc/systemd/system/containerd.service.d/set_ulimits.conf");
  };
  EXPECT_EQ(dropin().content, "[Service]\n");
  limits->set_no_file("1048");
  limits->set_max_locked_memory("75000");
  EXPECT_EQ(dropin().content, "[Service]\nLimitMEMLOCK=75000\nLimitNOFILE=1048\n");
  EXPECT_EQ(dropin().mode, 0600U);
  limits->set_no_file("1\nExecStartPre=/bin/evil");
  EXPECT_FALSE(containerd_files(config, {}));
}

TEST(ContainerdFiles, ASkippedDriverMeansNoNvidiaRuntime) {
  Configuration config;
  config.mutable_gpu_config()->set_enable_nvidia(true);
  const auto toml = [&](const NodeFacts& facts) {
    return find(*containerd_files(config, facts), "/etc/containerd/config.toml")->content;
  };
  EXPECT_NE(toml({}).find("nvidia-container-runtime"), std::string::npos);
  EXPECT_EQ(toml(skipping()).find("nvidia-container-runtime"), std::string::npos);
}

TEST(ContainerdFiles, AnImagesOwnNvidiaConfigIsKept) {
  NodeFacts facts;
  facts.texts["/etc/containerd/config.toml"] = "x\n  BinaryName = \"/usr/bin/nvidia-container-runtime\"\n";
  EXPECT_EQ(find(*containerd_files({}, facts), "/etc/containerd/config.toml"), nullptr);
  facts.texts["/etc/containerd/config.toml"] = "version = 2\n";
  EXPECT_NE(find(*containerd_files({}, facts), "/etc/containerd/config.toml"), nullptr);
}

TEST(ContainerdFiles, OursOfAnEarlierAttemptIsReplacedEvenIfTheConfigWasAnother) {
  for (const char* containerd : {"1.7.27", "2.0.0"})
    for (const bool kata : {false, true}) {
      Configuration before;
      before.mutable_gpu_config()->set_enable_nvidia(true);
      before.set_is_kata(kata);
      before.set_kubernetes_version("1.33.2");
      before.mutable_kube_binary_config()->set_pod_infra_container_image_url("registry.example/pause:3.9");
      before.mutable_kubelet_config()->set_container_data_dir("/mnt/data");
      NodeFacts facts;
      facts.containerd_version = containerd;
      const std::string ours = find(*containerd_files(before, facts), "/etc/containerd/config.toml")->content;
      Configuration now;
      now.mutable_gpu_config()->set_enable_nvidia(true);
      now.set_kubernetes_version("1.34.1");
      now.set_enable_artifact_streaming(true);
      facts.texts["/etc/containerd/config.toml"] = ours;
      EXPECT_NE(find(*containerd_files(now, facts), "/etc/containerd/config.toml"), nullptr) << ours;
      facts.texts["/etc/containerd/config.toml"] = ours + "[debug]\nlevel = \"info\"\n";
      EXPECT_EQ(find(*containerd_files(now, facts), "/etc/containerd/config.toml"), nullptr) << "somebody else's";
    }
}

TEST(ContainerdFiles, KataRuntimesStandWhereContainerdTwoLooksForThem) {
  Configuration config;
  config.set_is_kata(true);
  NodeFacts facts;
  facts.containerd_version = "2.0.0";
  const std::string toml = find(*containerd_files(config, facts), "/etc/containerd/config.toml")->content;
  EXPECT_EQ(toml.find("io.containerd.grpc.v1.cri"), std::string::npos) << toml;
  EXPECT_NE(toml.find("[plugins.\"io.containerd.cri.v1.runtime\".containerd.runtimes.kata-cc]"), std::string::npos);
}

}  // namespace
}  // namespace sunup::render::node
