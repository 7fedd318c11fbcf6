// The network of the node: resolver, search domains, network cards.

#include "base/exit_code.h"
#include "base/node_paths.h"
#include "plan/subjects.h"

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;

constexpr auto& kNetworkdConf = paths::kNetworkdConfig;
constexpr char kNetworkd[] = "systemd-networkd.service";
constexpr char kLogger[] = "rsyslog.service";

bool relinks_resolver(const Subject& s) {
  return render::traits(s.facts.distro).relinks_resolv_conf;
}

std::vector<FileEffect> resolver_link(const Subject&) {
  return {{.path = "/etc/resolv.conf", .mode = 0777}};
}

// Pods must not be given the address of the host's local stub resolver.
Task<Result<void>> relink_resolver(Context& c, SubjectPtr s) {
  constexpr auto& kReal = paths::kSystemdResolvConf;
  const auto runs = s->files_only ? Result<bool>(true) : c.host.files.exists(kReal);
  if (!runs) co_return runs.error();
  if (!*runs) {
    c.note("systemd-resolved is not running: the resolver's file is not changed");
    co_return Result<void>();
  }
  const auto link = c.host.files.link_if_there("/etc/resolv.conf");
  if (!link) co_return link.error();
  if (*link == kReal) co_return Result<void>();
  co_return c.host.files.symlink(kReal, "/etc/resolv.conf");
}

bool has_more_cards(const Subject& s) {
  return s.config.network_config().standard_secondary_nic_count() > 0;
}

Names card_units(const Subject& s) {
  if (render::traits(s.facts.distro).secondary_nic_tool == render::SecondaryNicTool::kNetworkdRestart)
    return {kNetworkd};
  return {};
}

// The kernel's name of a card; empty if the card does not exist. With accelerated networking there is a second, faster
// card with the same address, which is enslaved to the first one and must be skipped.
Result<std::string> card_name(host::Files& files, const std::string& mac) {
  const auto names = files.list_if_there("/sys/class/net");
  if (!names) return names.error();
  for (const std::string& name : *names) {
    const std::string card = "/sys/class/net/" + name;
    const auto address = files.read_if_there(card + "/address");
    if (!address) return address.error();
    if (!*address || (*address)->substr(0, (*address)->find('\n')) != mac) continue;
    const auto obeys = files.exists(card + "/master");
    if (!obeys) return obeys.error();
    if (!*obeys) return name;
  }
  return std::string();
}

Task<Result<void>> run_tool(Context& c, host::Command command) {
  const std::string what = command.argv[0];
  auto exit = co_await c.host.processes.run(std::move(command));
  if (!exit) co_return std::move(exit).error();
  if (!exit->ok()) co_return exit->as_error(what);
  co_return Result<void>();
}

Task<Result<void>> bring_cards_up(Context& c, SubjectPtr s) {
  auto facts = facts_now(c, *s);
  if (!facts) co_return std::move(facts).error();
  auto reloaded = co_await run_tool(c, host::command("networkctl", "reload").with_limit(20s));
  if (!reloaded || !facts->imds) co_return reloaded;
  for (size_t i = 1; i < facts->imds->interfaces.size(); ++i) {
    const auto name = card_name(c.host.files, facts->imds->interfaces[i].mac);
    if (!name) co_return name.error();
    if (name->empty()) continue;  // networkd brings it up when it appears
    if (auto up = co_await run_tool(c, host::command("networkctl", "up", *name).with_limit(20s)); !up) co_return up;
  }
  co_return Result<void>();
}

Task<Result<void>> apply_cards(Context& c, SubjectPtr s) {
  switch (render::traits(s->facts.distro).secondary_nic_tool) {
    case render::SecondaryNicTool::kNetworkdRestart:
      co_return co_await c.host.units.restart(kNetworkd);
    case render::SecondaryNicTool::kNetplan:
      co_return co_await run_tool(c, host::command("netplan", "apply").with_limit(20s));
    case render::SecondaryNicTool::kNetworkctl:
      co_return co_await bring_cards_up(c, std::move(s));
  }
  co_return Result<void>();
}

bool takes_dhcp_domains(const Subject& s) {
  return render::traits(s.facts.distro).use_domains && s.facts.has(kNetworkdConf);
}

Names domain_units(const Subject& s) {
  Names units = {kNetworkd};
  if (s.facts.has_unit(kLogger)) units.emplace_back(kLogger);
  return units;
}

// networkd reads its own config only when it starts (a reload affects .network and .netdev files). If it started after
// the last change, it has read the current config; in doubt it is restarted.
Task<Result<void>> restart_networkd(Context& c, SubjectPtr s) {
  const auto conf = c.host.files.info(kNetworkdConf);
  if (!conf) co_return conf.error();
  auto started = co_await c.host.units.main_started(kNetworkd);
  if (started && static_cast<int64_t>(*started) * 1000 > conf->modified_ns + host::kFileTimeTickNs)
    co_return Result<void>();
  auto again = co_await c.host.units.restart(kNetworkd);
  if (!again || !s->facts.has_unit(kLogger)) co_return again;
  // Log lines contain the host's full name. The restart is queued, because nothing waits for it.
  co_return co_await c.host.units.restart(kLogger, host::JobWait::kQueued);
}

bool dual_stack(const Subject& s) {
  return s.config.ipv6_dual_stack_enabled() && s.facts.has_unit("dhcpv6.service");
}

Task<Result<void>> start_dhcpv6(Context& c, SubjectPtr) {
  if (auto enabled = co_await c.host.units.enable({"dhcpv6.service"}); !enabled) co_return enabled;
  co_return co_await c.host.units.start("dhcpv6.service");
}

}  // namespace

Declarations network_steps() {
  return {
      {.name = "resolver.link",
       .purpose = "links /etc/resolv.conf to the list of real name servers, which pods inherit",
       .original = "B16",
       .task = "AKS.CSE.disableSystemdResolved",
       .when = "the distribution's image links it to the local stub",
       .wanted = relinks_resolver,
       .phase = node::Phase::kBasePrep,
       .files = resolver_link,
       .lasts = Lasts::kOnDisk,
       .fatal = false,
       .body = relink_resolver},
      {.name = "network.domains",
       .purpose = "enables search domains from DHCP",
       .original = "B28",
       .task = "AKS.CSE.configureSystemdUseDomains",
       .when = "they are disabled in the distribution's image",
       .wanted = takes_dhcp_domains,
       .phase = node::Phase::kBasePrep,
       .concerns = {"DHCP domains"},
       .more_units = domain_units,
       .fatal = false,
       .body = restart_networkd},
      {.name = "network.dhcpv6",
       .purpose = "gets an IPv6 address",
       .original = "B27",
       .task = "AKS.CSE.ensureDHCPv6",
       .when = "dual stack, and the image has the unit",
       .wanted = dual_stack,
       .phase = node::Phase::kBasePrep,
       .needs = {"kernel.modules"},
       .units = {"dhcpv6.service"},
       .exit_code = exit_code::kSystemctlStartFail,
       .body = start_dhcpv6},
      {.name = "network.cards",
       .purpose = "configures network cards beyond the first",
       .original = "N13",
       .task = "AKS.CSE.configureSecondaryNICs",
       .when = "the config has secondary network cards",
       .wanted = has_more_cards,
       .needs = {kMetadata},
       .concerns = {"secondary network cards"},
       .more_units = card_units,
       .retry = {.attempts = 5, .pause = 1s, .longest_pause = 3s},
       .exit_code = exit_code::kSecondaryNicConfigFail,
       .body = apply_cards},
  };
}

}  // namespace sunup::plan
