#include "render/node/kubelet_unit.h"

#include <gtest/gtest.h>

namespace sunup::render::node {
namespace {

const NodeFile* find(const NodeFiles& files, std::string_view path) {
  for (const auto& file : files)
    if (file.path == path) return &file;
  return nullptr;
}

constexpr const char* kUnit = "/etc/systemd/system/kubelet.service";

TEST(KubeletUnit, OneNativeHelperRunsBeforeKubeletAndNothingElse) {
  const auto files = kubelet_unit_files({}, {});
  EXPECT_EQ(find(*files, "/etc/systemd/system/kubelet.service.d/20-native-prestart.conf")->content,
            "[Service]\nExecStartPre=\nExecStartPre=/opt/azure/containers/aks-node-controller kubelet-prestart\n");
}

TEST(KubeletUnit, AnImageWithoutOneGetsOurs) {
  const auto files = kubelet_unit_files({}, {});
  const NodeFile* unit = find(*files, kUnit);
  ASSERT_NE(unit, nullptr);
  EXPECT_NE(unit->content.find("\nConditionPathExists=/opt/bin/kubelet\n"), std::string::npos);
  EXPECT_NE(unit->content.find("\nEnvironmentFile=/etc/default/kubelet\n"), std::string::npos);
  EXPECT_NE(
      unit->content.find("ExecStart=/opt/bin/kubelet --enable-server --node-labels=\"${KUBELET_NODE_LABELS}\" --v=2 "
                         "--volume-plugin-dir=/etc/kubernetes/volumeplugins $KUBELET_TLS_BOOTSTRAP_FLAGS "
                         "$KUBELET_CONFIG_FILE_FLAGS $KUBELET_CONTAINERD_FLAGS $KUBELET_CONTAINER_RUNTIME_FLAG "
                         "$KUBELET_CGROUP_FLAGS $KUBELET_FLAGS\n"),
      std::string::npos);
}

TEST(KubeletUnit, AnImagesUnitIsKeptButForTheWaitForAllOfTheNetwork) {
  NodeFacts facts;
  facts.texts[kUnit] =
      "[Unit]\nDescription=Kubelet\nWants=network-online.target containerd.service\n"
      "After=network-online.target containerd.service\n[Service]\nExecStart=/opt/bin/kubelet $NEW_FLAGS\n";
  EXPECT_EQ(find(*kubelet_unit_files({}, facts), kUnit)->content,
            "[Unit]\nDescription=Kubelet\nWants=containerd.service\nAfter=containerd.service\n[Service]\n"
            "ExecStart=/opt/bin/kubelet $NEW_FLAGS\n");
  facts.texts[kUnit] = "[Unit]\nAfter=containerd.service\n";
  EXPECT_EQ(find(*kubelet_unit_files({}, facts), kUnit), nullptr);
}

TEST(KubeletUnit, AUnitOfThePackageIsNotReplaced) {
  NodeFacts facts;
  facts.paths.insert("/usr/lib/systemd/system/kubelet.service");
  EXPECT_EQ(find(*kubelet_unit_files({}, facts), kUnit), nullptr);
}

TEST(WithoutDependency, TouchesOnlyDependenciesOnThatUnit) {
  EXPECT_EQ(without_dependency("After = a.target\nWants=a.target b.service\nBefore=a.target\n# After=a.target\n"
                               "ExecStart=/bin/x a.target\nAfter=a.target.wants\nAfter=a.target",
                               "a.target"),
            "Wants=b.service\nBefore=a.target\n# After=a.target\nExecStart=/bin/x a.target\nAfter=a.target.wants\n");
}

TEST(FirstBoot, OrderingIsRelaxedForThisBootOnly) {
  const auto files = first_boot_files({}, {});
  ASSERT_EQ(files->size(), 2U);
  for (const auto& file : *files) {
    EXPECT_TRUE(file.path.starts_with("/run/systemd/system/")) << file.path;
    EXPECT_NE(file.content.find("DefaultDependencies=no\n"), std::string::npos);
    EXPECT_NE(file.content.find("Conflicts=shutdown.target\nBefore=shutdown.target\n"), std::string::npos);
  }
}

constexpr const char* kCopy = "/run/systemd/system/containerd.service";

TEST(FirstBoot, ContainerdDoesNotWaitForTheMessageBusAndSoForCloudInit) {
  NodeFacts facts;
  facts.texts["/lib/systemd/system/containerd.service"] =
      "[Unit]\nAfter=network.target dbus.service local-fs.target\n[Service]\nType=notify\n";
  const auto files = first_boot_files({}, facts);
  ASSERT_NE(find(*files, kCopy), nullptr);
  EXPECT_EQ(find(*files, kCopy)->content, "[Unit]\nAfter=network.target local-fs.target\n[Service]\nType=notify\n");
  EXPECT_EQ(containerd_unit_behind_copy(facts), "/lib/systemd/system/containerd.service");
  // The same file at the path that every version of systemd reads.
  facts.texts["/usr/lib/systemd/system/containerd.service"] = facts.texts["/lib/systemd/system/containerd.service"];
  EXPECT_EQ(containerd_unit_behind_copy(facts), "/usr/lib/systemd/system/containerd.service");
}

TEST(FirstBoot, AUnitOfContainerdThatDoesNotWaitIsNotCopied) {
  NodeFacts facts;
  facts.texts["/usr/lib/systemd/system/containerd.service"] = "[Unit]\nAfter=network.target\n";
  EXPECT_EQ(find(*first_boot_files({}, facts), kCopy), nullptr);
  EXPECT_EQ(containerd_unit_behind_copy(facts), "");
}

TEST(FirstBoot, AnImagesOwnUnitOfContainerdIsLeft) {
  NodeFacts facts;
  facts.texts["/usr/lib/systemd/system/containerd.service"] = "[Unit]\nAfter=dbus.service\n";
  facts.paths.insert("/etc/systemd/system/containerd.service");
  EXPECT_EQ(find(*first_boot_files({}, facts), kCopy), nullptr);
}

}  // namespace
}  // namespace sunup::render::node
