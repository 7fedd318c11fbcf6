#include "render/node/network_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "base/exit_code.h"
#include "base/node_paths.h"
#include "base/text.h"
#include "render/node/unit_text.h"

namespace sunup::render::node {
namespace {

constexpr auto& kNetworkdConf = paths::kNetworkdConfig;

NodeFile netplan(size_t index, const NetworkInterface& nic, int metric) {
  std::string yaml = fmt::format(
      "network:\n"
      "  version: 2\n"
      "  ethernets:\n"
      "    secondary-nic-{}:\n"
      "      match:\n"
      "        macaddress: \"{}\"\n",
      index, nic.mac);
  for (const char* family : {"dhcp4", "dhcp6"}) {
    if (std::string_view(family) == "dhcp6" && nic.ipv6.empty()) continue;
    yaml += fmt::format(
        "      {0}: true\n"
        "      {0}-overrides:\n"
        "        route-metric: {1}\n"
        "        use-dns: false\n",
        family, metric);
  }
  return {fmt::format("/etc/netplan/60-secondary-nic-{}.yaml", index), 0600, std::move(yaml)};
}

NodeFile networkd(size_t index, const NetworkInterface& nic, int metric) {
  const std::string number = fmt::format("{}", metric);
  UnitText text;
  text.section("Match").set("MACAddress", nic.mac).section("Network").set("DHCP", nic.ipv6.empty() ? "ipv4" : "yes");
  if (!nic.ipv6.empty()) text.set("IPv6AcceptRA", "yes");
  text.section("DHCPv4")
      .set("RouteMetric", number)
      .set("UseDNS", "false")
      .set("UseDomains", "false")
      .set("SendRelease", "false");
  if (!nic.ipv6.empty()) {
    text.section("DHCPv6").set("RouteMetric", number).set("UseDNS", "false").set("UseDomains", "false");
  }
  return {fmt::format("/etc/systemd/network/10-secondary-nic-{}.network", index), 0644, std::move(text).take()};
}

Error nic_error(std::string what, int os_errno = 0) {
  Error error(std::move(what));
  error.os_errno = os_errno;
  return std::move(error)
      .with_hint("the secondary network cards of a node are known only from the instance metadata service")
      .with_code(exit_code::kSecondaryNicConfigFail);
}

}  // namespace

std::string with_dhcp_domains(std::string_view networkd_conf, bool dual_stack) {
  std::string out;
  std::string_view section;
  while (!networkd_conf.empty()) {
    const size_t end = std::min(networkd_conf.find('\n'), networkd_conf.size() - 1);
    const std::string_view line = networkd_conf.substr(0, end + 1);
    networkd_conf.remove_prefix(end + 1);
    const std::string_view content = unicode::trimmed(line);
    if (content.starts_with('[')) section = content;
    const bool ours = section == "[DHCPv4]" || (dual_stack && section == "[DHCPv6]");
    if (ours && content == "#UseDomains=no") {
      out += "UseDomains=yes\n";
    } else {
      out.append(line);
    }
  }
  return out;
}

Result<NodeFiles> dhcp_domain_files(const Configuration& config, const NodeFacts& facts) {
  const std::string_view before = facts.text(kNetworkdConf);
  if (!traits(facts.distro).use_domains || before.empty()) return NodeFiles{};
  std::string after = with_dhcp_domains(before, config.ipv6_dual_stack_enabled());
  if (after == before) return NodeFiles{};
  return NodeFiles{edited_file(kNetworkdConf, facts.mode(kNetworkdConf), std::move(after))};
}

Result<NodeFiles> secondary_nic_files(const Configuration& config, const NodeFacts& facts) {
  if (config.network_config().standard_secondary_nic_count() <= 0) return NodeFiles{};
  if (!facts.imds || facts.imds->interfaces.empty()) return nic_error("no network cards are known", ENODATA);
  const DistroTraits& distro = traits(facts.distro);
  NodeFiles files;
  for (size_t i = 1; i < facts.imds->interfaces.size(); ++i) {
    const NetworkInterface& nic = facts.imds->interfaces[i];
    if (nic.mac.empty()) return nic_error(fmt::format("network card {} has no hardware address", i));
    const int metric = distro.secondary_nic_metric + 100 * static_cast<int>(i);
    files.push_back(distro.secondary_nic_tool == SecondaryNicTool::kNetplan ? netplan(i, nic, metric)
                                                                            : networkd(i, nic, metric));
  }
  return files;
}

}  // namespace sunup::render::node
