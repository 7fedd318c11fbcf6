#include "render/node/upgrades.h"

#include <gtest/gtest.h>

namespace sunup::render::node {
namespace {

Configuration wanted() {
  Configuration config;
  config.set_enable_unattended_upgrade(true);
  return config;
}

TEST(Upgrades, AptIsToldOnce) {
  NodeFacts facts = golden_image(Distro::kUbuntu2204);
  EXPECT_TRUE(upgrade_files({}, facts)->empty());
  facts.texts["/etc/apt/apt.conf.d/99periodic"] = "APT::Periodic::Update-Package-Lists \"0\";";
  const std::string once = upgrade_files(wanted(), facts)->front().content;
  EXPECT_EQ(once,
            "APT::Periodic::Update-Package-Lists \"0\";\nAPT::Periodic::Update-Package-Lists \"1\";\n"
            "APT::Periodic::Unattended-Upgrade \"1\";\n");
  facts.texts["/etc/apt/apt.conf.d/99periodic"] = once;
  EXPECT_EQ(upgrade_files(wanted(), facts)->front().content, once);
}

TEST(Upgrades, UnitsFollowTheDistribution) {
  EXPECT_EQ(upgrade_units(wanted(), golden_image(Distro::kUbuntu2404)).enable.size(), 4U);
  EXPECT_EQ(upgrade_units(wanted(), golden_image(Distro::kAzureLinux3)).disable.front(),
            "dnf-automatic-notifyonly.timer");
  EXPECT_TRUE(upgrade_units(wanted(), golden_image(Distro::kOsGuard)).start.empty());
  EXPECT_TRUE(upgrade_units({}, golden_image(Distro::kUbuntu2404)).start.empty());
  Configuration kata = wanted();
  kata.set_is_kata(true);
  EXPECT_TRUE(upgrade_units(kata, golden_image(Distro::kAzureLinux3)).start.empty());
}

}  // namespace
}  // namespace sunup::render::node
