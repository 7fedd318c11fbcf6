#include "render/node/huge_pages.h"

#include <gtest/gtest.h>

namespace sunup::render::node {
namespace {

Configuration with(const char* enabled, const char* defrag) {
  Configuration config;
  config.mutable_custom_linux_os_config()->set_transparent_hugepage_support(enabled);
  config.mutable_custom_linux_os_config()->set_transparent_defrag(defrag);
  return config;
}

NodeFacts on(Distro distro) {
  return golden_image(distro);
}

TEST(HugePages, NothingIsSetWithoutAValue) {
  EXPECT_TRUE(huge_page_files({}, {})->empty());
  EXPECT_TRUE(huge_page_settings({})->empty());
}

TEST(HugePages, UbuntuReadsSysfsConf) {
  const auto files = huge_page_files(with("madvise", "defer+madvise"), on(Distro::kUbuntu2204));
  ASSERT_EQ(files->size(), 1U);
  EXPECT_EQ(files->front().content,
            "kernel/mm/transparent_hugepage/enabled=madvise\nkernel/mm/transparent_hugepage/defrag=defer+madvise\n");
  EXPECT_EQ(huge_page_settings(with("madvise", ""))->front(),
            (KernelSetting{"/sys/kernel/mm/transparent_hugepage/enabled", "madvise"}));
}

TEST(HugePages, AWordThatNoKernelKnowsIsRefused) {
  EXPECT_EQ(huge_page_files(with("bogus", ""), on(Distro::kUbuntu2204)).error().code, 103);
  EXPECT_EQ(huge_page_files(with("defer", ""), on(Distro::kUbuntu2204)).error().code, 103);
}

TEST(HugePages, ASecondRunAddsNoLines) {
  NodeFacts facts = on(Distro::kUbuntu2204);
  facts.texts["/etc/sysfs.conf"] = "# mine\nkernel/mm/transparent_hugepage/enabled = always\nx=1";
  const std::string once = huge_page_files(with("never", ""), facts)->front().content;
  EXPECT_EQ(once, "# mine\nx=1\nkernel/mm/transparent_hugepage/enabled=never\n");
  facts.texts["/etc/sysfs.conf"] = once;
  EXPECT_EQ(huge_page_files(with("never", ""), facts)->front().content, once);
}

TEST(HugePages, AzureLinuxGetsAUnitThatCopiesValueFiles) {
  const auto files = huge_page_files(with("never", ""), on(Distro::kAzureLinux3));
  ASSERT_EQ(files->size(), 3U);
  EXPECT_EQ(
      (*files)[1].content,
      "[Unit]\nDescription=Transparent huge pages as this node's config wants them\nAfter=systemd-sysctl.service\n"
      "Before=kubelet.service\nConditionPathExists=/sys/kernel/mm/transparent_hugepage\n\n[Service]\nType=oneshot\n"
      "ExecStart=/usr/bin/cp /opt/azure/containers/aks-transparent-hugepage/enabled "
      "/sys/kernel/mm/transparent_hugepage/enabled\n\n[Install]\nWantedBy=multi-user.target\n");
  EXPECT_EQ((*files)[2].path, "/opt/azure/containers/aks-transparent-hugepage/enabled");
  EXPECT_EQ((*files)[2].content, "never\n");
}

TEST(HugePages, AValueThatIsNoWordIsRefused) {
  for (const char* value : {"never; rm -rf /", "$(id)", "a\nb", "trail "}) {
    EXPECT_EQ(huge_page_files(with(value, ""), on(Distro::kAzureLinux3)).error().code, 103) << value;
    EXPECT_EQ(huge_page_settings(with("", value)).error().code, 103) << value;
  }
}

TEST(HugePages, AValueFileOfAnEarlierConfigIsStale) {
  NodeFacts facts = on(Distro::kAzureLinux3);
  facts.paths.insert("/opt/azure/containers/aks-transparent-hugepage/defrag");
  EXPECT_EQ(stale_huge_page_files(with("never", ""), facts),
            (std::vector<std::string>{"/opt/azure/containers/aks-transparent-hugepage/defrag"}));
}

}  // namespace
}  // namespace sunup::render::node
