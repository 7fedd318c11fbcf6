#include "render/node/local_dns_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/base64.h"
#include "base/exit_code.h"
#include "base/node_paths.h"
#include "render/local_dns.h"
#include "render/node/unit_text.h"

namespace sunup::render::node {
namespace {

constexpr const char* kHosts = "/etc/localdns/hosts";
constexpr const char* kTimerDropin = "/etc/systemd/system/aks-localdns-hosts-setup.timer.d/10-refresh-interval.conf";

NodeFile slice(const Configuration& config) {
  // systemd ignores a negative limit, and the slice would have no limit.
  auto limits = config.local_dns_profile();
  if (limits.memory_limit_in_mb() < 0) limits.clear_memory_limit_in_mb();
  if (limits.cpu_limit_in_milli_cores() < 0) limits.clear_cpu_limit_in_milli_cores();
  UnitText text;
  text.section("Unit")
      .set("Description", "localdns Slice")
      .set("DefaultDependencies", "no")
      .set("Before", "slices.target")
      .set("Requires", "system.slice")
      .set("After", "system.slice")
      .section("Slice")
      .set("MemoryMax", local_dns_memory_limit(limits))
      .set("CPUQuota", local_dns_cpu_limit(limits));
  return {"/etc/systemd/system/localdns.slice", 0644, std::move(text).take()};
}

// The text that the sender of a command has rendered, or else the text that follows from the config.
std::string corefile(const Configuration& config, const NodeFacts& facts, HostsPlugin hosts) {
  const bool plain = hosts == HostsPlugin::kNo;
  const std::string* sent = facts.sent_text(plain ? "LOCALDNS_COREFILE_BASE" : "LOCALDNS_COREFILE_WITH_HOSTS");
  if (plain && sent == nullptr) sent = facts.sent_text("LOCALDNS_GENERATED_COREFILE");  // its name in older commands
  return sent ? *sent : local_dns_corefile(config, hosts, ClusterNames::kWholeLabels);
}

NodeFile environment(const Configuration& config, const NodeFacts& facts, const std::string& names) {
  const auto& profile = config.local_dns_profile();
  const std::string encoded = base64_encode(corefile(config, facts, HostsPlugin::kNo));
  return {"/etc/localdns/environment", 0644,
          fmt::format("LOCALDNS_BASE64_ENCODED_COREFILE={0}\n"
                      "LOCALDNS_COREFILE_BASE={0}\n"
                      "LOCALDNS_COREFILE_WITH_HOSTS={1}\n"
                      "SHOULD_ENABLE_HOSTS_PLUGIN={2}\n"
                      "LOCALDNS_CRITICAL_FQDNS={3}\n",
                      encoded, base64_encode(corefile(config, facts, HostsPlugin::kYes)),
                      profile.enable_hosts_plugin() ? "true" : "false", names)};
}

// The cache's own script restores the node's DNS servers when it is stopped, but not when it is killed: the node would
// then use a server that does not answer. systemd runs this however the unit ends; a start reverts it.
NodeFile restore_dns() {
  UnitText text;
  text.section("Service")
      .set("ExecStopPost", "-/usr/bin/find /run/systemd/network -name 70-localdns.conf -delete")
      .set("ExecStopPost", "-/usr/bin/networkctl reload");
  return {"/etc/systemd/system/localdns.service.d/10-restore-dns.conf", 0644, std::move(text).take()};
}

// Empty if the image's interval applies.
NodeFiles timer_dropin(const Configuration& config) {
  const int seconds = config.local_dns_profile().hosts_plugin_refresh_interval_in_seconds();
  if (seconds <= 0) return {};
  UnitText text;
  text.section("Timer").set("OnUnitActiveSec", fmt::format("{}s", std::max(seconds, 5))).set("AccuracySec", "1s");
  return {{kTimerDropin, 0644, std::move(text).take()}};
}

}  // namespace

bool wants_local_dns(const Configuration& config, const NodeFacts& facts) {
  return config.local_dns_profile().enable_local_dns() && facts.has_unit("localdns.service") &&
         facts.has(paths::kLocalDnsScript);
}

bool wants_dns_hosts_timer(const Configuration& config, const NodeFacts& facts) {
  const auto& profile = config.local_dns_profile();
  return profile.enable_local_dns() && profile.enable_hosts_plugin() && !local_dns_critical_names(profile).empty() &&
         facts.has(kHostsSetup) && (facts.mode(kHostsSetup, 0755) & 0111) != 0 &&
         facts.has_unit("aks-localdns-hosts-setup.service") && facts.has_unit("aks-localdns-hosts-setup.timer");
}

bool has_local_dns_exporter(const Configuration& config, const NodeFacts& facts) {
  return config.local_dns_profile().enable_local_dns() && facts.has_unit("localdns-exporter.socket");
}

Result<NodeFiles> local_dns_files(const Configuration& config, const NodeFacts& facts) {
  if (!wants_local_dns(config, facts)) return NodeFiles{};
  const std::string names = local_dns_critical_names(config.local_dns_profile());
  if (names.find_first_of("\r\n") != std::string::npos) {
    return Error("local_dns_profile.critical_fqdns contains a line break").with_code(exit_code::kLocaldnsFail);
  }
  NodeFiles files = {{paths::kLocalDnsCorefile, 0644, corefile(config, facts, HostsPlugin::kNo)},
                     environment(config, facts, names),
                     slice(config),
                     restore_dns()};
  if (wants_dns_hosts_timer(config, facts)) {
    append(files, timer_dropin(config));
    // The timer writes the content; a second run must not remove entries that a working resolver uses.
    files.push_back(edited_file(kHosts, facts.mode(kHosts), std::string(facts.text(kHosts))));
  }
  return files;
}

std::vector<std::string> stale_local_dns_files(const Configuration& config, const NodeFacts& facts) {
  const auto& profile = config.local_dns_profile();
  if (!profile.enable_local_dns()) return {};
  std::vector<std::string> stale;
  const bool timer = wants_dns_hosts_timer(config, facts);
  if ((!timer || profile.hosts_plugin_refresh_interval_in_seconds() <= 0) && facts.has(kTimerDropin)) {
    stale.emplace_back(kTimerDropin);
  }
  if (!profile.enable_hosts_plugin() && facts.has(kHosts)) stale.emplace_back(kHosts);
  return stale;
}

Result<NodeFiles> local_dns_exporter_files(const Configuration& config, const NodeFacts& facts) {
  const std::string address = facts.primary_ipv4();
  if (!has_local_dns_exporter(config, facts) || address.empty()) return NodeFiles{};
  UnitText text;
  text.section("Socket").set("ListenStream", "").set("ListenStream", address + ":9353");
  return NodeFiles{
      {"/etc/systemd/system/localdns-exporter.socket.d/10-listen-address.conf", 0644, std::move(text).take()}};
}

}  // namespace sunup::render::node
