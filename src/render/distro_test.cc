#include "render/distro.h"

#include <gtest/gtest.h>

namespace sunup::render {
namespace {

TEST(Identify, KnowsEachDistroByItsReleaseFile) {
  const auto judged = [](const char* text) { return identify({text}).distro; };
  EXPECT_EQ(judged("NAME=\"Ubuntu\"\nVERSION_ID=\"22.04\"\nID=ubuntu\n"), Distro::kUbuntu2204);
  EXPECT_EQ(judged("ID=ubuntu\nVERSION_ID=\"24.04\""), Distro::kUbuntu2404);
  EXPECT_EQ(judged("ID=ubuntu\nVERSION_ID=\"26.04\""), Distro::kUbuntuOther);
  EXPECT_EQ(judged("ID=azurelinux\nVERSION_ID=\"3.0\"\n"), Distro::kAzureLinux3);
  EXPECT_EQ(judged("ID=azurelinuxkata\nVERSION_ID=\"3.0\"\n"), Distro::kAzureLinux3);
  EXPECT_EQ(judged("ID=azurelinux\nVERSION_ID=\"2.0\"\n"), Distro::kMariner2);
  EXPECT_EQ(judged("ID=mariner\nVERSION_ID=\"2.0\"\n"), Distro::kMariner2);
  EXPECT_EQ(judged("ID=azurelinux\nVERSION_ID=\"3.0\"\nVARIANT_ID=osguard\n"), Distro::kOsGuard);
  EXPECT_EQ(judged("ID=azurelinux\nVERSION_ID=\"3.0\"\nVARIANT_ID=azurecontainerlinux\n"), Distro::kAcl);
  EXPECT_EQ(judged("ID=azurecontainerlinux\n"), Distro::kAcl);
  EXPECT_EQ(judged("ID=flatcar\nVERSION_ID=4152.2.0\n"), Distro::kFlatcar);
  EXPECT_EQ(judged("ID=debian\nVERSION_ID=\"12\"\n"), Distro::kUnknown);
  EXPECT_EQ(judged(""), Distro::kUnknown);
}

TEST(Identify, TheFirstFileWinsAndOtherKeysThatEndAlikeDoNotCount) {
  const OsIdentity os =
      identify({"PLATFORM_ID=x\nDISTRIB_ID=y\nID='ubuntu'\r\n", "ID=flatcar\nVERSION_ID=\"22.04\"\n"});
  EXPECT_EQ(os.id, "UBUNTU");
  EXPECT_EQ(os.version, "22.04");
  EXPECT_EQ(os.distro, Distro::kUbuntu2204);
}

TEST(Traits, HoldTheDistroMatrix) {
  EXPECT_TRUE(traits(Distro::kUbuntu2404).relinks_resolv_conf);
  EXPECT_FALSE(traits(Distro::kFlatcar).relinks_resolv_conf);
  EXPECT_EQ(traits(Distro::kOsGuard).proxy_ca_folder, "/etc/pki/ca-trust/source/anchors");
  EXPECT_EQ(traits(Distro::kMariner2).proxy_ca_folder, "/usr/share/pki/ca-trust-source/anchors");
  EXPECT_EQ(traits(Distro::kFlatcar).ca_suffix, "pem");
  EXPECT_TRUE(traits(Distro::kOsGuard).huge_page_unit);
  EXPECT_EQ(traits(Distro::kOsGuard).mitigation, ModuleMitigation::kAlways);
  EXPECT_EQ(traits(Distro::kAcl).secondary_nic_tool, SecondaryNicTool::kNetworkdRestart);
  EXPECT_FALSE(traits(Distro::kOsGuard).installs_cni);
}

TEST(Traits, EveryNameLeadsBackToItsDistro) {
  for (const auto name : distro_names()) EXPECT_EQ(traits(*distro_by_name(name)).name, name);
  EXPECT_FALSE(distro_by_name("windows"));
}

}  // namespace
}  // namespace sunup::render
