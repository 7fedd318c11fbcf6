// Name resolution: the node-local DNS cache and its helpers, and the agent that keeps the address of a private API
// server in /etc/hosts.
#include "base/exit_code.h"
#include "plan/subjects.h"
#include "render/node/local_dns_files.h"

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;

constexpr char kLocalDns[] = "localdns.service";
constexpr char kTimer[] = "aks-localdns-hosts-setup.timer";
constexpr char kExporter[] = "localdns-exporter.socket";
constexpr char kHostsAgent[] = "reconcile-private-hosts.service";

bool wants_local_dns(const Subject& s) {
  return node::wants_local_dns(s.config, s.facts);
}
bool wants_timer(const Subject& s) {
  return node::wants_dns_hosts_timer(s.config, s.facts);
}
bool wants_exporter(const Subject& s) {
  return node::has_local_dns_exporter(s.config, s.facts);
}
bool stops_timer(const Subject& s) {
  return wants_local_dns(s) && !wants_timer(s) && s.facts.has_unit(kTimer);
}
bool wants_hosts_agent(const Subject& s) {
  return s.config.enable_hosts_config_agent();
}

std::vector<FileEffect> stale(const Subject& s) {
  std::vector<FileEffect> files;
  for (std::string& path : node::stale_local_dns_files(s.config, s.facts)) files.push_back({std::move(path), 0});
  return files;
}

Task<Result<void>> remove_stale(Context& c, SubjectPtr s) {
  for (const FileEffect& file : stale(*s))
    if (auto removed = c.host.files.remove(file.path); !removed) co_return removed;
  co_return Result<void>();
}

// The start is queued, not awaited: systemd delays kubelet until the unit is active, and everything else continues.
// Here and below, a restart is equivalent to a start unless the unit is already active (since boot, or since an earlier
// run) and therefore uses older files.
Task<Result<void>> start_local_dns(Context& c, SubjectPtr) {
  if (auto enabled = co_await c.host.units.enable({kLocalDns}); !enabled) co_return enabled;
  co_return co_await c.host.units.restart(kLocalDns, host::JobWait::kQueued);
}

Task<Result<void>> see_local_dns(Context& c, SubjectPtr s) {
  if (s->files_only) co_return c.leave_out("wait for localdns");
  auto active = co_await c.host.units.becomes_active(kLocalDns);
  if (active) co_return Result<void>();
  c.note(active.error().what + "; starting it once more");
  co_return co_await c.host.units.start(kLocalDns);
}

Task<Result<void>> start_units(Context& c, SubjectPtr) {
  Names units = c.step.units;
  if (auto enabled = co_await c.host.units.enable(units); !enabled) co_return enabled;
  for (const std::string& unit : units)
    if (auto started = co_await c.host.units.restart(unit, host::JobWait::kQueued); !started) co_return started;
  co_return Result<void>();
}

Task<Result<void>> stop_timer(Context& c, SubjectPtr) {
  if (auto stopped = co_await c.host.units.stop(kTimer); !stopped) co_return stopped;
  co_return co_await c.host.units.disable({kTimer});
}

Task<Result<void>> start_hosts_agent(Context& c, SubjectPtr) {
  if (auto enabled = co_await c.host.units.enable({kHostsAgent}); !enabled) co_return enabled;
  co_return co_await c.host.units.restart(kHostsAgent);
}

}  // namespace

Declarations dns_steps() {
  return {
      {.name = "localdns.files",
       .purpose = "configures the node-local DNS cache",
       .original = "B44",
       .when = "the config asks for it and the image has it",
       .wanted = wants_local_dns,
       .phase = node::Phase::kBasePrep,
       .concerns = {"local DNS"},
       .files = stale,
       .lasts = Lasts::kOnDisk,
       .exit_code = exit_code::kLocaldnsFail,
       .body = remove_stale},
      {.name = "localdns.start",
       .purpose = "starts the node-local DNS cache before kubelet",
       .original = "B44",
       .task = "AKS.CSE.enableLocalDNS",
       .when = "the config asks for it and the image has it",
       .wanted = wants_local_dns,
       .phase = node::Phase::kBasePrep,
       .needs = {"localdns.files", "containerd.started"},
       .after = {"resolver.link", "network.domains"},
       .units = {kLocalDns},
       .exit_code = exit_code::kLocaldnsFail,
       .body = start_local_dns},
      {.name = "localdns.ready",
       .purpose = "checks that the node-local DNS cache is running",
       .original = "B44",
       .when = "the config asks for it and the image has it",
       .wanted = wants_local_dns,
       .phase = node::Phase::kBasePrep,
       .needs = {"localdns.start"},
       .deadline = 300s,
       .exit_code = exit_code::kLocaldnsFail,
       .body = see_local_dns},
      {.name = "localdns.hosts",
       .purpose = "keeps the addresses of critical names in a hosts file",
       .original = "B01",
       .task = "AKS.CSE.enableAKSLocalDNSHostsSetup",
       .when = "the config asks for the hosts plugin and the image has it",
       .wanted = wants_timer,
       .phase = node::Phase::kBasePrep,
       .needs = {"localdns.files", "containerd.started"},
       .after = {"kubelet.started"},
       .units = {kTimer},
       .fatal = false,
       .body = start_units},
      {.name = "localdns.no_hosts",
       .purpose = "stops the timer of the hosts plugin, which the config does not enable",
       .original = "B44",
       .task = "AKS.CSE.disableAKSLocalDNSHostsSetup",
       .when = "the image has the timer and the config does not enable it",
       .wanted = stops_timer,
       .phase = node::Phase::kBasePrep,
       .after = {"kubelet.started"},
       .units = {kTimer},
       .fatal = false,
       .body = stop_timer},
      {.name = "localdns.exporter_files",
       .purpose = "binds the metrics of the DNS cache to the node's address",
       .original = "N24",
       .when = "the DNS cache is on and the image has its exporter",
       .wanted = wants_exporter,
       .needs = {kMetadata},
       .concerns = {"local DNS exporter"},
       .lasts = Lasts::kOnDisk,
       .fatal = false},
      {.name = "localdns.exporter",
       .purpose = "opens the metrics socket of the DNS cache",
       .original = "N24",
       .task = "AKS.CSE.configureLocalDNSExporterSocket",
       .when = "the DNS cache is on and the image has its exporter",
       .wanted = wants_exporter,
       .needs = {"localdns.exporter_files", "kubelet.started"},
       .units = {kExporter},
       .fatal = false,
       .body = start_units},
      {.name = "private_hosts.files",
       .purpose = "configures the API server that the hosts agent writes to /etc/hosts",
       .original = "B33",
       .when = "the config asks for the hosts agent",
       .wanted = wants_hosts_agent,
       .phase = node::Phase::kBasePrep,
       .concerns = {"private cluster hosts"},
       .lasts = Lasts::kOnDisk,
       .exit_code = exit_code::kSystemctlStartFail},
      {.name = "private_hosts.start",
       .purpose = "starts the hosts agent, which provides the address of a private API server",
       .original = "B33",
       .task = "AKS.CSE.configPrivateClusterHosts",
       .when = "the config asks for the hosts agent",
       .wanted = wants_hosts_agent,
       .phase = node::Phase::kBasePrep,
       .needs = {"private_hosts.files", "containerd.started"},
       .units = {kHostsAgent},
       .exit_code = exit_code::kSystemctlStartFail,
       .body = start_hosts_agent},
  };
}

}  // namespace sunup::plan
