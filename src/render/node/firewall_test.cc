#include "render/node/firewall.h"

#include <gtest/gtest.h>

namespace sunup::render::node {
namespace {

constexpr const char* kBothWireRules =
    "# Generated\n*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n"
    "-A FORWARD -d 168.63.129.16/32 -p tcp -m tcp --dport 32526 -j DROP\n"
    "-A FORWARD -d 168.63.129.16/32 -p tcp -m tcp --dport 80 -j DROP\nCOMMIT\n";

constexpr const char* kRestriction =
    "! -s 10.0.0.4/32 -d 169.254.169.254/32 -p tcp -m tcp --dport 80 -m comment --comment "
    "\"AKS managed: added by AgentBaker ensureIMDSRestriction for IMDS restriction feature\" -j DROP\n";

TEST(Firewall, AFreshTableGetsBothWireServerRules) {
  EXPECT_EQ(*firewall_changes("", {}),
            "*filter\n"
            "-I FORWARD 1 -d 168.63.129.16/32 -p tcp -m tcp --dport 80 -j DROP\n"
            "-I FORWARD 1 -d 168.63.129.16/32 -p tcp -m tcp --dport 32526 -j DROP\n"
            "COMMIT\n");
}

TEST(Firewall, WhatIsThereIsNotAddedAgain) {
  EXPECT_EQ(*firewall_changes(kBothWireRules, {}), "");
}

TEST(Firewall, ARuleThatProtectsLessDoesNotCount) {
  const auto changes = firewall_changes(
      "*filter\n-A FORWARD -s 10.0.0.0/8 -d 168.63.129.16/32 -p tcp -m tcp --dport 80 -j DROP\n"
      "-A FORWARD ! -d 168.63.129.16/32 -p tcp -m tcp --dport 32526 -j DROP\n"
      "-A INPUT -d 168.63.129.16/32 -p tcp -m tcp --dport 80 -j DROP\nCOMMIT\n"
      "*mangle\n-A FORWARD -d 168.63.129.16/32 -p tcp -m tcp --dport 80 -j DROP\nCOMMIT\n",
      {});
  EXPECT_NE(changes->find("--dport 80 -j DROP"), std::string::npos);
  EXPECT_NE(changes->find("--dport 32526 -j DROP"), std::string::npos);
}

TEST(Firewall, TheMetadataRestrictionGoesIntoTheTableAskedFor) {
  EXPECT_EQ(*firewall_changes(kBothWireRules, {true, false, "10.0.0.4"}),
            std::string("*filter\n-I FORWARD 1 ") + kRestriction + "COMMIT\n");
  EXPECT_EQ(*firewall_changes(kBothWireRules, {true, true, "10.0.0.4"}),
            std::string("*mangle\n-I FORWARD 1 ") + kRestriction + "COMMIT\n");
}

TEST(Firewall, AnExistingRestrictionStaysAndIsDeletedWhenSwitchedOff) {
  const std::string saved = std::string(kBothWireRules) + "*mangle\n-A FORWARD " + kRestriction + "COMMIT\n";
  EXPECT_EQ(*firewall_changes(saved, {true, true, "10.0.0.4"}), "");
  EXPECT_EQ(*firewall_changes(saved, {}), std::string("*mangle\n-D FORWARD ") + kRestriction + "COMMIT\n");
}

TEST(Firewall, ARestrictionNeedsAnAddress) {
  EXPECT_FALSE(firewall_changes("", {true, false, ""}));
  EXPECT_FALSE(firewall_changes("", {true, false, "10.0.0.4 -j ACCEPT"}));
  EXPECT_TRUE(firewall_changes("", {false, false, ""}));
}

}  // namespace
}  // namespace sunup::render::node
