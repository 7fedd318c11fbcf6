// Steps that nothing waits for: they start when kubelet runs and never delay the node's readiness.
#include <set>

#include "base/exit_code.h"
#include "base/node_paths.h"
#include "host/running.h"
#include "plan/subjects.h"
#include "render/node/upgrades.h"

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;

Task<Result<void>> start_queued(Context& c, SubjectPtr) {
  for (const std::string& unit : c.step.units)
    if (auto started = co_await c.host.units.start(unit, host::JobWait::kQueued); !started) co_return started;
  co_return Result<void>();
}

// Enables the step's units and queues their start without waiting for it.
Task<Result<void>> enable_and_queue(Context& c, SubjectPtr s) {
  Names units = c.step.units;
  if (auto enabled = co_await c.host.units.enable(std::move(units)); !enabled) co_return enabled;
  co_return co_await start_queued(c, std::move(s));
}

template <const char* kUnit>
bool has_unit(const Subject& s) {
  return s.facts.has_unit(kUnit);
}
constexpr char kCollector[] = "aks-log-collector.timer";

bool updates_snapshots(const Subject& s) {
  return render::traits(s.facts.distro).snapshot_update_timer && s.facts.has_unit("snapshot-update.timer");
}

bool has_node_exporter(const Subject& s) {
  return s.facts.has("/etc/node-exporter.d/skip_vhd_node_exporter") && s.facts.has_unit("node-exporter.service");
}

Names node_exporter_units(const Subject& s) {
  if (s.facts.has_unit("node-exporter-restart.path")) return {"node-exporter-restart.path"};
  return {};
}

bool filters_bridge(const Subject& s) {
  const auto& network = s.config.network_config();
  return network.network_plugin() == aksnodeconfig::v1::NETWORK_PLUGIN_KUBENET &&
         network.network_policy() != aksnodeconfig::v1::NETWORK_POLICY_CALICO &&
         s.facts.has_unit("ensure-no-dup.service");
}

bool upgrades(const Subject& s) {
  const auto units = node::upgrade_units(s.config, s.facts);
  return !units.start.empty();
}

Names upgrade_unit_names(const Subject& s) {
  const auto units = node::upgrade_units(s.config, s.facts);
  std::set<std::string> names;
  for (const auto* list : {&units.disable, &units.unmask, &units.enable, &units.start})
    names.insert(list->begin(), list->end());
  return {names.begin(), names.end()};
}

Task<Result<void>> switch_upgrades_on(Context& c, SubjectPtr s) {
  const auto units = node::upgrade_units(s->config, s->facts);
  const auto names = [](const std::vector<std::string_view>& list) { return Names(list.begin(), list.end()); };
  host::Units& manager = c.host.units;
  if (!units.disable.empty()) {
    Names off = names(units.disable);
    for (const std::string& unit : off)
      if (auto stopped = co_await manager.stop(unit); !stopped) c.note(stopped.error().what);
    if (auto done = co_await manager.disable(std::move(off)); !done) c.note(done.error().what);
  }
  Names masked = names(units.unmask);
  auto done = co_await manager.unmask(std::move(masked));
  if (!done) co_return done;
  Names enabled = names(units.enable);
  done = co_await manager.enable(std::move(enabled));
  if (!done) co_return done;
  for (const auto unit : units.start)
    if (auto started = co_await manager.start(std::string(unit), host::JobWait::kQueued); !started) co_return started;
  co_return Result<void>();
}

std::string administrator(const Subject& s) {
  const std::string& name = s.config.linux_admin_username();
  return name.empty() ? "azureuser" : name;
}

// The account is the last way to log in to the node, so its password must not expire.
Task<Result<void>> keep_accounts(Context& c, SubjectPtr s) {
  std::vector<host::Command> commands;
  commands.push_back(host::command("chage", "-I", "-1", "-m", "0", "-M", "99999", "-E", "-1", "--", administrator(*s)));
  commands.push_back(host::command("chage", "-I", "-1", "-M", "-1", "root"));
  for (host::Command& command : commands) {
    auto exit = co_await c.host.processes.run(std::move(command));
    if (!exit) co_return std::move(exit).error();
    if (!exit->ok()) c.note(exit->as_error("chage").what);
  }
  co_return Result<void>();
}

bool is_isolated(const Subject& s) {
  return !s.config.bootstrap_profile_container_registry_server().empty();
}

std::vector<FileEffect> skipped_marks(const Subject&) {
  return {{"/opt/azure/outbound-check-skipped", 0644}, {"/run/outbound-check-skipped", 0644}};
}

Task<Result<void>> mark_skipped(Context& c, SubjectPtr s) {
  for (const FileEffect& mark : skipped_marks(*s))
    if (auto written = c.host.files.write(mark.path, "", mark.mode); !written) co_return written;
  co_return Result<void>();
}

constexpr auto kBootstrapLimit = 300s;

bool waits_for_kubeconfig(const Subject& s) {
  return !s.files_only;
}

std::vector<FileEffect> used_up_stamp(const Subject&) {
  return {{kBootstrapStart, 0}};
}

// The file contains the time of its creation, so the order of the two writers does not matter.
Task<Result<void>> wait_for_kubeconfig(Context& c, SubjectPtr) {
  auto appears = c.host.watch.path_appears(paths::kKubeconfig);
  auto there = co_await host::within(c.host.loop, kBootstrapLimit, std::move(appears), "kubelet's kubeconfig");
  auto removed = c.host.files.remove(kBootstrapStart);
  co_return there ? removed : there;
}

constexpr char kLogFolder[] = "/var/log/azure/aks";

// Support bundles include this directory. The links add the logs that are stored elsewhere.
std::vector<std::pair<std::string, std::string>> log_links(const NodeFacts& facts) {
  std::vector<std::string> targets = {paths::kScriptLog, paths::kCseOutput, "/opt/azure/cloud-init-files.paved",
                                      paths::kImageMarker};
  for (const std::string& name : facts.names_in("/opt/azure"))
    if (name.ends_with(".json")) targets.push_back("/opt/azure/" + name);
  std::vector<std::pair<std::string, std::string>> links;
  for (const std::string& target : targets)
    links.emplace_back(std::string(kLogFolder) + target.substr(target.rfind('/')), target);
  return links;
}

std::vector<FileEffect> log_link_files(const Subject& s) {
  std::vector<FileEffect> files;
  for (const auto& [path, target] : log_links(s.facts)) files.push_back({path, 0777});
  return files;
}

Task<Result<void>> link_logs(Context& c, SubjectPtr s) {
  for (const auto& [path, target] : log_links(s->facts)) {
    const auto link = c.host.files.link_if_there(path);
    if (!link) co_return link.error();
    if (*link == target) continue;
    if (auto linked = c.host.files.symlink(target, path); !linked) co_return linked;
  }
  co_return Result<void>();
}

}  // namespace

Declarations later_steps() {
  return {
      {.name = "bootstrap.latency",
       .purpose = "measures how long kubelet took to get its credentials",
       .original = "N23",
       .task = "AKS.Runtime.waitForTLSBootstrapping",
       .wanted = waits_for_kubeconfig,
       .needs = {"kubelet.started"},
       .files = used_up_stamp,
       .deferred = true,
       .deadline = kBootstrapLimit + 10s,
       .fatal = false,
       .body = wait_for_kubeconfig},
      {.name = "network.outbound_skipped",
       .purpose = "tells other agents that the outbound check is skipped",
       .original = "N11",
       .when = "the cluster is isolated from the network",
       .wanted = is_isolated,
       .files = skipped_marks,
       .fatal = false,
       .body = mark_skipped},
      {.name = "network.bridge_filter",
       .purpose = "prevents kubenet's bridge from duplicating packets",
       .original = "N25",
       .task = "AKS.CSE.ensureNoDupOnPromiscuBridge",
       .when = "kubenet without Calico",
       .wanted = filters_bridge,
       .needs = {"kubelet.started"},
       .units = {"ensure-no-dup.service"},
       .exit_code = exit_code::kSystemctlStartFail,
       .body = enable_and_queue},
      {.name = "node_exporter.start",
       .purpose = "starts the node exporter",
       .original = "N26",
       .task = "AKS.CSE.configureNodeExporter",
       .when = "the image has it",
       .wanted = has_node_exporter,
       .needs = {"kubelet.started"},
       .units = {"node-exporter.service"},
       .more_units = node_exporter_units,
       .deferred = true,
       .fatal = false,
       .body = enable_and_queue},
      {.name = "logs.collector",
       .purpose = "starts the timer that collects logs",
       .original = "N30",
       .when = "the image has it",
       .wanted = has_unit<kCollector>,
       .needs = {"kubelet.started"},
       .units = {kCollector},
       .deferred = true,
       .fatal = false,
       .body = enable_and_queue},
      {.name = "upgrades.snapshots",
       .purpose = "starts the timer that updates the node from snapshots",
       .original = "N31",
       .task = "AKS.CSE.ubuntuSnapshotUpdate",
       .when = "the distribution updates from snapshots and the image has the timer",
       .wanted = updates_snapshots,
       .needs = {"kubelet.started"},
       .units = {"snapshot-update.timer"},
       .deferred = true,
       .fatal = false,
       .exit_code = exit_code::kSnapshotUpdateStartFail,
       .body = enable_and_queue},
      {.name = "upgrades.unattended",
       .purpose = "enables unattended upgrades",
       .original = "N32",
       .when = "the config enables them and the distribution supports them",
       .wanted = upgrades,
       .needs = {"kubelet.started"},
       .concerns = {"unattended upgrades"},
       .more_units = upgrade_unit_names,
       .deferred = true,
       .fatal = false,
       .exit_code = exit_code::kSystemctlStartFail,
       .body = switch_upgrades_on},
      {.name = "access.accounts",
       .purpose = "prevents the administrator's account from expiring",
       .original = "B03",
       .task = "AKS.CSE.configureAdminUser",
       .phase = node::Phase::kBasePrep,
       .touches = {"/etc/shadow"},
       .deferred = true,
       .fatal = false,
       .body = keep_accounts},
      {.name = "access.motd",
       .purpose = "sets the message of the day",
       .original = "B31",
       .when = "the config has one",
       .wanted = [](const Subject& s) { return !s.config.message_of_the_day().empty(); },
       .phase = node::Phase::kBasePrep,
       .after = {"kubelet.started"},
       .concerns = {"message of the day"},
       .lasts = Lasts::kOnDisk,
       .fatal = false},
      {.name = "logs.links",
       .purpose = "links the node's logs into the directory that support bundles contain",
       .original = "S5",
       .phase = node::Phase::kBoth,
       .files = log_link_files,
       .lasts = Lasts::kOnDisk,
       .fatal = false,
       .body = link_logs},
  };
}

}  // namespace sunup::plan
