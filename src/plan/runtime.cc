// containerd: its files, its start, and what must exist on the machine when it starts.
#include "base/exit_code.h"
#include "host/running.h"
#include "plan/prestart.h"
#include "plan/subjects.h"
#include "plan/unit_files.h"
#include "render/node/ca_trust.h"
#include "render/node/containerd_files.h"
#include "render/node/kubelet_unit.h"
#include "render/node/proxy.h"
#include "render/node/reserved_cgroups.h"

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;

constexpr char kContainerd[] = "containerd.service";
// Less than kubelet's pre-start waits (prestart.cc), so that the failure is attributed to containerd and not to
// kubelet.
constexpr auto kListensWithin = 60s;

// A tag of the VM determines whether NVIDIA's runtime is configured.
Names gpu_needs_tags(const Subject& s) {
  if (s.config.gpu_config().enable_nvidia()) return {kMetadata};
  return {};
}

// Whether the running containerd has read files that have changed since. The image may have enabled it, or an earlier
// run may have started it.
Task<Result<bool>> has_read_older_files(Context& c, SubjectPtr s) {
  const auto changed = c.fact(kRuntimeChanged);
  if (c.renews() || (changed && *changed == "yes")) co_return true;
  co_return co_await runs_from_older_files(c, std::move(s), kContainerd, "containerd.files");
}

Task<Result<void>> start_containerd(Context& c, SubjectPtr s) {
  // systemd caches which drop-in directories exist until it notices that the parent directory has changed, and it
  // compares timestamps of coarse resolution. kubelet's drop-in directory is therefore created before systemd looks for
  // it on behalf of containerd.
  if (auto made = c.host.files.make_directories("/etc/systemd/system/kubelet.service.d"); !made) co_return made;
  // A query of the unit's state would make systemd load the unit, discard it and load it again for the start, and all
  // later steps would wait for that.
  const auto loaded = co_await c.host.units.is_loaded(kContainerd);
  if (loaded && !*loaded && !comes_after_other_units(c)) {
    if (auto queued = co_await c.host.units.start(kContainerd, host::JobWait::kQueued); !queued) co_return queued;
    co_return co_await see_what_was_read(c, kContainerd);
  }
  if (auto read = co_await have_read(c, kContainerd); !read) co_return read;
  const auto state = co_await c.host.units.state(kContainerd);
  const bool runs = state && state->active != "inactive" && state->active != "failed";
  const auto older = runs ? co_await has_read_older_files(c, std::move(s)) : Result<bool>(false);
  if (!older) co_return older.error();
  if (*older) {
    c.note("it is already running, with older files");
    co_return co_await c.host.units.restart(kContainerd, host::JobWait::kQueued);
  }
  co_return co_await c.host.units.start(kContainerd, host::JobWait::kQueued);
}

Task<Result<void>> wait_for_containerd(Context& c, SubjectPtr s) {
  if (s->files_only) co_return c.leave_out("wait for containerd");
  auto active = co_await c.host.units.becomes_active(kContainerd);
  if (!active) {
    c.note(active.error().what + "; starting it once more");
    if (auto started = co_await c.host.units.start(kContainerd); !started) co_return started;
  }
  // A unit that does not notify is active as soon as containerd is executed.
  auto accepts = c.host.watch.socket_accepts(kContainerdSocket);
  auto there = co_await host::within(c.host.loop, kListensWithin, std::move(accepts), "containerd's socket");
  if (there) co_return there;
  co_return std::move(there).error().with_hint("see journalctl -u containerd");
}

Task<Result<void>> enable_containerd(Context& c, SubjectPtr s) {
  const std::string behind_copy = node::containerd_unit_behind_copy(s->facts);
  co_return co_await c.host.units.enable({behind_copy.empty() ? kContainerd : behind_copy});
}

bool has_proxy(const Subject& s) {
  return node::has_proxy(s.config);
}

bool has_authorities(const Subject& s) {
  return !node::ca_update_command(s.config, s.facts).empty();
}

std::vector<FileEffect> stale_authorities(const Subject& s) {
  std::vector<FileEffect> files;
  const std::string folder(render::traits(s.facts.distro).custom_ca_folder);
  for (const std::string& name : node::stale_custom_certificates(s.facts.names_in(folder), s.config, s.facts))
    files.push_back({.path = folder + "/" + name, .mode = 0});
  return files;
}

Task<Result<void>> update_trust(Context& c, SubjectPtr s) {
  for (const FileEffect& stale : stale_authorities(*s))
    if (auto removed = c.host.files.remove(stale.path); !removed) co_return removed;
  host::Command command = host::command().with_limit(120s);
  command.argv = node::ca_update_command(s->config, s->facts);
  const std::string what = command.argv[0];
  auto exit = co_await c.host.processes.run(std::move(command));
  if (!exit) co_return std::move(exit).error();
  if (!exit->ok()) co_return exit->as_error(what);
  co_return Result<void>();
}

bool reserves_cgroups(const Subject& s) {
  return !node::reserved_cgroups(s.config).kube.empty();
}

Task<Result<void>> enable_slice(Context& c, SubjectPtr) {
  co_return co_await c.host.units.enable({"kubereserved.slice"});
}

}  // namespace

Declarations runtime_steps() {
  return {
      {.name = "proxy.files",
       .purpose = "configures the HTTP proxy for services, package tools and logins",
       .original = "B05, B11",
       .when = "the config has an HTTP proxy",
       .wanted = has_proxy,
       .phase = node::Phase::kBasePrep,
       .concerns = {"proxy"},
       .lasts = Lasts::kOnDisk},
      {.name = "trust.update",
       .purpose = "adds the proxy's and custom certificate authorities to the system's trust store",
       .original = "B10, B12",
       .task = "AKS.CSE.configureCustomCaCertificate",
       .when = "the config contains certificate authorities",
       .wanted = has_authorities,
       .phase = node::Phase::kBasePrep,
       .concerns = {"CA trust"},
       .files = stale_authorities,
       .touches = {"certificate authorities"},
       .lasts = Lasts::kOnDisk,
       .deadline = 120s,
       .exit_code = exit_code::kUpdateCaCerts,
       .body = update_trust},
      {.name = "containerd.files",
       .purpose = "writes containerd's config and the drop-ins of its unit",
       .original = "B29, B30, B37",
       .phase = node::Phase::kBoth,
       .more_needs = gpu_needs_tags,
       .provides = {kRuntimeChanged},
       .concerns = {"containerd", "reserved cgroups", "first boot"},
       .exit_code = exit_code::kFileWatchTimeout},
      {.name = "containerd.start",
       .purpose = "starts containerd as soon as its files and modules are ready",
       .original = "B30",
       .task = "AKS.CSE.ensureContainerd",
       .phase = node::Phase::kBoth,
       .needs = {"containerd.files", "kernel.modules", kRuntimeChanged},
       .after = {"trust.update", "trust.cloud", "proxy.files", "localdns.files", "private_hosts.files"},
       .provides = {"containerd.started"},
       .units = {kContainerd},
       .deadline = 90s,
       .retry = {.attempts = 3, .pause = 1s},
       .exit_code = exit_code::kSystemctlStartFail,
       .body = start_containerd},
      {.name = "containerd.ready",
       .purpose = "checks that containerd is running",
       .original = "N21",
       .phase = node::Phase::kBoth,
       .needs = {"containerd.started"},
       .deadline = 300s,
       .exit_code = exit_code::kSystemctlStartFail,
       .body = wait_for_containerd},
      {.name = "containerd.enable",
       .purpose = "makes containerd start at every boot",
       .original = "B30",
       .phase = node::Phase::kBoth,
       .needs = {"containerd.started"},
       .after = {"kubelet.started"},
       .units = {kContainerd},
       .lasts = Lasts::kOnDisk,
       .exit_code = exit_code::kSystemctlStartFail,
       .body = enable_containerd},
      {.name = "cgroups.slice",
       .purpose = "enables the slice of reserved resources for every boot",
       .original = "B30, N23",
       .task = "AKS.CSE.ensureKubelet.ensureKubeletCgroupHierarchy",
       .when = "the config reserves cgroups for Kubernetes",
       .wanted = reserves_cgroups,
       .phase = node::Phase::kBoth,
       .needs = {"containerd.files"},
       .after = {"kubelet.started"},
       .units = {"kubereserved.slice"},
       .lasts = Lasts::kOnDisk,
       .exit_code = exit_code::kKubeletStartFail,
       .body = enable_slice},
      {.name = "registry.hosts",
       .purpose = "configures where containerd pulls images of the Microsoft registry from",
       .original = "B30",
       .task = "AKS.CSE.ensureContainerd.configureContainerdRegistryHost",
       .phase = node::Phase::kBasePrep,
       .needs = {kMetadata},
       .provides = {"registry.known"},
       .concerns = {"registry hosts"},
       .lasts = Lasts::kOnDisk,
       .exit_code = exit_code::kFileWatchTimeout},
  };
}

}  // namespace sunup::plan
