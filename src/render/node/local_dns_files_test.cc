#include "render/node/local_dns_files.h"

#include <gtest/gtest.h>

namespace sunup::render::node {
namespace {

Configuration enabled(bool hosts = false) {
  Configuration config;
  auto* profile = config.mutable_local_dns_profile();
  profile->set_enable_local_dns(true);
  profile->set_enable_hosts_plugin(hosts);
  if (hosts) profile->add_critical_fqdns("mcr.microsoft.com");
  (*profile->mutable_vnet_dns_overrides())["."].set_query_logging("Error");
  return config;
}

const NodeFile* find(const NodeFiles& files, std::string_view path) {
  for (const auto& file : files)
    if (file.path == path) return &file;
  return nullptr;
}

constexpr const char* kTimerDropin = "/etc/systemd/system/aks-localdns-hosts-setup.timer.d/10-refresh-interval.conf";

const NodeFacts kImage = golden_image(Distro::kUbuntu2404);

TEST(LocalDns, GivesTheNodeItsServersBackHoweverTheCacheEnds) {
  const auto files = local_dns_files(enabled(), kImage);
  EXPECT_EQ(find(*files, "/etc/systemd/system/localdns.service.d/10-restore-dns.conf")->content,
            "[Service]\nExecStopPost=-/usr/bin/find /run/systemd/network -name 70-localdns.conf -delete\n"
            "ExecStopPost=-/usr/bin/networkctl reload\n");
}

TEST(LocalDns, FourFilesWithoutTheHostsPlugin) {
  const auto files = local_dns_files(enabled(), kImage);
  ASSERT_EQ(files->size(), 4U);
  EXPECT_EQ(find(*files, "/etc/systemd/system/localdns.slice")->content,
            "[Unit]\nDescription=localdns Slice\nDefaultDependencies=no\nBefore=slices.target\nRequires=system.slice\n"
            "After=system.slice\n\n[Slice]\nMemoryMax=128M\nCPUQuota=200.0%\n");
  const std::string& text = find(*files, "/etc/localdns/environment")->content;
  EXPECT_TRUE(text.starts_with("LOCALDNS_BASE64_ENCODED_COREFILE="));
  EXPECT_NE(text.find("\nSHOULD_ENABLE_HOSTS_PLUGIN=false\nLOCALDNS_CRITICAL_FQDNS=\n"), std::string::npos);
}

TEST(LocalDns, LimitsBelowZeroAreNone) {
  auto config = enabled();
  config.mutable_local_dns_profile()->set_memory_limit_in_mb(-1);
  config.mutable_local_dns_profile()->set_cpu_limit_in_milli_cores(-500);
  const auto files = local_dns_files(config, kImage);
  EXPECT_TRUE(
      find(*files, "/etc/systemd/system/localdns.slice")->content.ends_with("MemoryMax=128M\nCPUQuota=200.0%\n"));
}

// Unset numbers were once rendered as "<nil>", which CoreDNS cannot parse.
TEST(LocalDns, UnsetNumbersAreNumbersInTheCorefile) {
  const std::string text =
      find(*local_dns_files(enabled(), kImage), "/opt/azure/containers/localdns/localdns.corefile")->content;
  EXPECT_EQ(text.find("<nil>"), std::string::npos) << text;
  EXPECT_NE(text.find("max_concurrent 1000\n"), std::string::npos) << text;
}

TEST(LocalDns, AnImageWithoutItIsNotAnError) {
  EXPECT_TRUE(local_dns_files({}, kImage)->empty());
  for (const char* missing : {"/etc/systemd/system/localdns.service", "/opt/azure/containers/localdns/localdns.sh"}) {
    NodeFacts facts = kImage;
    facts.paths.erase(missing);
    EXPECT_TRUE(local_dns_files(enabled(), facts)->empty()) << missing;
  }
}

TEST(LocalDns, TheRefreshIntervalIsAtLeastFiveSeconds) {
  Configuration config = enabled(true);
  EXPECT_EQ(find(*local_dns_files(config, kImage), kTimerDropin), nullptr);
  config.mutable_local_dns_profile()->set_hosts_plugin_refresh_interval_in_seconds(900);
  EXPECT_EQ(find(*local_dns_files(config, kImage), kTimerDropin)->content,
            "[Timer]\nOnUnitActiveSec=900s\nAccuracySec=1s\n");
  config.mutable_local_dns_profile()->set_hosts_plugin_refresh_interval_in_seconds(2);
  EXPECT_NE(find(*local_dns_files(config, kImage), kTimerDropin)->content.find("=5s\n"), std::string::npos);
}

TEST(LocalDns, TheHostsFileStartsEmptyAndIsNotEmptiedAgain) {
  EXPECT_EQ(find(*local_dns_files(enabled(true), kImage), "/etc/localdns/hosts")->content, "");
  NodeFacts later = kImage;
  later.texts["/etc/localdns/hosts"] = "10.0.0.1 a.example\n";
  const NodeFiles files = *local_dns_files(enabled(true), later);
  EXPECT_TRUE(find(files, "/etc/localdns/hosts")->edited) << "made from what it holds when it is written";
  EXPECT_EQ(find(files, "/etc/localdns/hosts")->content, "10.0.0.1 a.example\n");
}

TEST(LocalDns, WithoutThePluginItsFilesAreStale) {
  NodeFacts facts = kImage;
  facts.paths.insert("/etc/localdns/hosts");
  facts.paths.insert(kTimerDropin);
  EXPECT_EQ(stale_local_dns_files(enabled(), facts), (std::vector<std::string>{kTimerDropin, "/etc/localdns/hosts"}));
  EXPECT_EQ(stale_local_dns_files(enabled(true), facts), (std::vector<std::string>{kTimerDropin}));
  EXPECT_TRUE(stale_local_dns_files({}, facts).empty());
}

TEST(LocalDns, EveryMissingPieceOfTheTimerIsASkip) {
  Configuration config = enabled(true);
  EXPECT_TRUE(wants_dns_hosts_timer(config, kImage));
  for (const char* missing :
       {"/opt/azure/containers/aks-localdns-hosts-setup.sh", "/etc/systemd/system/aks-localdns-hosts-setup.service",
        "/etc/systemd/system/aks-localdns-hosts-setup.timer"}) {
    NodeFacts facts = kImage;
    facts.paths.erase(missing);
    EXPECT_FALSE(wants_dns_hosts_timer(config, facts)) << missing;
  }
  NodeFacts not_executable = kImage;
  not_executable.modes["/opt/azure/containers/aks-localdns-hosts-setup.sh"] = 0644;
  EXPECT_FALSE(wants_dns_hosts_timer(config, not_executable));
  config.mutable_local_dns_profile()->clear_critical_fqdns();
  EXPECT_FALSE(wants_dns_hosts_timer(config, kImage));
}

TEST(LocalDnsExporter, ListensOnTheNodesAddressOnly) {
  NodeFacts facts = kImage;
  EXPECT_TRUE(local_dns_exporter_files(enabled(), facts)->empty());
  facts.imds.emplace();
  facts.imds->interfaces = {{.mac = "", .ipv4 = {"10.0.0.4"}, .ipv6 = {}}};
  const auto files = local_dns_exporter_files(enabled(), facts);
  ASSERT_EQ(files->size(), 1U);
  EXPECT_EQ(files->front().content, "[Socket]\nListenStream=\nListenStream=10.0.0.4:9353\n");
  facts.paths.erase("/etc/systemd/system/localdns-exporter.socket");
  EXPECT_TRUE(local_dns_exporter_files(enabled(), facts)->empty());
}

}  // namespace
}  // namespace sunup::render::node
