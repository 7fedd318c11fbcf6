#include "render/node/network_files.h"

#include <gtest/gtest.h>

namespace sunup::render::node {
namespace {

constexpr const char* kConf =
    "[Network]\n#UseDomains=no\n\n[DHCPv4]\n#DUIDType=vendor\n#UseDomains=no\n\n[DHCPv6]\n#UseDomains=no\n";

TEST(DhcpDomains, OnlyTheDhcpSectionsChange) {
  EXPECT_EQ(with_dhcp_domains(kConf, false),
            "[Network]\n#UseDomains=no\n\n[DHCPv4]\n#DUIDType=vendor\nUseDomains=yes\n\n[DHCPv6]\n#UseDomains=no\n");
  EXPECT_EQ(with_dhcp_domains(kConf, true),
            "[Network]\n#UseDomains=no\n\n[DHCPv4]\n#DUIDType=vendor\nUseDomains=yes\n\n[DHCPv6]\nUseDomains=yes\n");
}

TEST(DhcpDomains, AreLeftAloneWhereTheImageHasThemOn) {
  NodeFacts facts;
  facts.texts["/etc/systemd/networkd.conf"] = kConf;
  facts.distro = Distro::kUbuntu2204;
  EXPECT_TRUE(dhcp_domain_files({}, facts)->empty());
  facts.distro = Distro::kAzureLinux3;
  EXPECT_EQ(dhcp_domain_files({}, facts)->size(), 1U);
  facts.texts["/etc/systemd/networkd.conf"] = with_dhcp_domains(kConf, false);
  EXPECT_TRUE(dhcp_domain_files({}, facts)->empty());
}

NodeFacts three_cards(Distro distro) {
  NodeFacts facts;
  facts.distro = distro;
  facts.imds.emplace();
  facts.imds->interfaces = {{.mac = "00:00:00:00:00:01", .ipv4 = {"10.0.0.4"}, .ipv6 = {}},
                            {.mac = "00:00:00:00:00:02", .ipv4 = {}, .ipv6 = {}},
                            {.mac = "00:00:00:00:00:03", .ipv4 = {}, .ipv6 = {"fd00::1"}}};
  return facts;
}

Configuration counting(int cards) {
  Configuration config;
  config.mutable_network_config()->set_standard_secondary_nic_count(cards);
  return config;
}

TEST(SecondaryNics, NetplanOnUbuntu) {
  const auto files = secondary_nic_files(counting(2), three_cards(Distro::kUbuntu2404));
  ASSERT_EQ(files->size(), 2U);
  EXPECT_EQ((*files)[0].path, "/etc/netplan/60-secondary-nic-1.yaml");
  EXPECT_EQ((*files)[0].mode, 0600U);
  EXPECT_EQ((*files)[0].content,
            "network:\n  version: 2\n  ethernets:\n    secondary-nic-1:\n      match:\n"
            "        macaddress: \"00:00:00:00:00:02\"\n      dhcp4: true\n      dhcp4-overrides:\n"
            "        route-metric: 200\n        use-dns: false\n");
  EXPECT_NE((*files)[1].content.find("dhcp6: true\n      dhcp6-overrides:\n        route-metric: 300\n"),
            std::string::npos);
}

TEST(SecondaryNics, NetworkdElsewhere) {
  const auto files = secondary_nic_files(counting(2), three_cards(Distro::kAzureLinux3));
  ASSERT_EQ(files->size(), 2U);
  EXPECT_EQ((*files)[0].path, "/etc/systemd/network/10-secondary-nic-1.network");
  EXPECT_EQ(
      (*files)[0].content,
      "[Match]\nMACAddress=00:00:00:00:00:02\n\n[Network]\nDHCP=ipv4\n\n[DHCPv4]\nRouteMetric=2100\nUseDNS=false\n"
      "UseDomains=false\nSendRelease=false\n");
  EXPECT_EQ(
      (*files)[1].content,
      "[Match]\nMACAddress=00:00:00:00:00:03\n\n[Network]\nDHCP=yes\nIPv6AcceptRA=yes\n\n[DHCPv4]\nRouteMetric=2200\n"
      "UseDNS=false\nUseDomains=false\nSendRelease=false\n\n[DHCPv6]\nRouteMetric=2200\nUseDNS=false\n"
      "UseDomains=false\n");
}

TEST(SecondaryNics, ASingleCardIsNothingToDo) {
  EXPECT_TRUE(secondary_nic_files(counting(0), {})->empty());
  NodeFacts facts = three_cards(Distro::kUbuntu2404);
  facts.imds->interfaces.resize(1);
  EXPECT_TRUE(secondary_nic_files(counting(1), facts)->empty());
}

TEST(SecondaryNics, MissingMetadataHasItsExitCode) {
  EXPECT_EQ(secondary_nic_files(counting(1), {}).error().code, 243);
  NodeFacts facts = three_cards(Distro::kUbuntu2404);
  facts.imds->interfaces[1].mac.clear();
  EXPECT_EQ(secondary_nic_files(counting(1), facts).error().code, 243);
}

}  // namespace
}  // namespace sunup::render::node
