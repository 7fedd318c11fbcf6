// kubelet: its files, the conditions of its start, and the start itself.
#include "base/exit_code.h"
#include "base/node_paths.h"
#include "base/version_changes.h"
#include "contract/kubelet_flag_values.h"
#include "plan/kubelet_health.h"
#include "plan/prestart.h"
#include "plan/serving_certificate.h"
#include "plan/subjects.h"
#include "plan/unit_files.h"
#include "render/node/credentials.h"
#include "render/node/kubelet_serving.h"
#include "render/node/kubelet_unit.h"

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;

std::vector<FileEffect> serving_pair(const Subject& s) {
  // Before the tags are known, assume that they do not disable rotation.
  if (!node::needs_own_certificate(node::serving_certificate(s.config, s.facts))) return {};
  return {{std::string(paths::kServingCertificate), 0644}, {std::string(paths::kServingKey), 0600}};
}

Task<Result<void>> make_certificate(Context& c, SubjectPtr s) {
  auto facts = facts_now(c, *s);
  if (!facts) co_return std::move(facts).error();
  const std::string certificate(paths::kServingCertificate);
  const std::string key(paths::kServingKey);
  if (!node::needs_own_certificate(node::serving_certificate(s->config, *facts))) co_return Result<void>();
  if (facts->hostname.empty())
    co_return Error("kubelet's serving certificate needs a host name, but the host has none")
        .with_hint(s->files_only ? "the tree has no /etc/hostname: write one"
                                 : "set the host's name before provisioning");
  // Existing files may be incomplete after a power failure, and only the journal would show that. So a new pair is
  // always written.
  auto generate = [name = facts->hostname, make = s->make_certificate] { return make(name); };
  Result<ServingPair> pair = co_await host::offload(c.host.work, generate);
  if (!pair) co_return std::move(pair).error();
  c.wrote(key);
  c.wrote(certificate);
  // The key is written first: the existence of the certificate means that both exist.
  if (auto written = c.host.files.write(key, pair->key, 0600); !written) co_return written;
  co_return c.host.files.write(certificate, pair->certificate, 0644);
}

Task<Result<void>> make_folders(Context& c, SubjectPtr) {
  for (const char* folder : {"/etc/kubernetes/manifests", "/etc/kubernetes/volumeplugins", "/var/lib/cni"})
    if (auto made = c.host.files.make_directories(folder); !made) co_return made;
  co_return Result<void>();
}

std::vector<FileEffect> folders(const Subject&) {
  return {{"/etc/kubernetes/manifests", 0755}, {"/etc/kubernetes/volumeplugins", 0755}, {"/var/lib/cni", 0755}};
}

Task<Result<void>> protect(Context& c, SubjectPtr s) {
  auto facts = facts_now(c, *s);
  if (!facts) co_return std::move(facts).error();
  const auto& config = s->config.imds_restriction_config();
  node::MetadataRestriction restriction;
  restriction.enabled = config.enable_imds_restriction() && !s->files_only;
  restriction.in_mangle_table = config.insert_imds_restriction_rule_to_mangle_table();
  restriction.primary_ip = facts->primary_ipv4();
  co_return co_await protect_kubelet(c.host, std::move(restriction));
}

Task<Result<void>> load_units(Context& c, SubjectPtr) {
  co_return co_await have_read(c, kKubelet);
}

// From 1.35 on, kubelet exits immediately on cgroup v1 unless a flag allows it. Below --root there is no kernel to
// check.
Result<void> has_right_cgroups(const Subject& s) {
  const std::string& version = s.config.kubernetes_version();
  if (s.files_only || s.facts.has(paths::kCgroup2) || !package_at_least(version, versions::kNoCgroupV1)) return {};
  const auto& flags = s.config.kubelet_config().kubelet_flags();
  const auto flag = flags.find("--fail-cgroupv1");
  if (flag != flags.end() && contract::as_go_bool(flag->second) == false) return {};
  return Error("kubelet " + version + " does not run on cgroup v1, which this machine uses")
      .with_hint("use an image that boots with cgroup v2, or set --fail-cgroupv1 to \"false\" in kubelet_flags");
}

// The second stage uses the files that the first stage has installed and does not look for them again. Below --root
// some of them may be missing.
Result<void> was_prepared(const Subject& s) {
  if (!s.facts.base_prep_done || s.files_only || s.facts.has(paths::kKubeletProgram)) return {};
  return Error("this image is marked as prepared, but there is no /opt/bin/kubelet")
      .with_hint("prepare it again, or remove /opt/azure/containers/base_prep.complete");
}

Result<void> can_start(const Subject& s) {
  if (auto prepared = was_prepared(s); !prepared) return prepared;
  return has_right_cgroups(s);
}

std::vector<FileEffect> start_marks(const Subject&) {
  return {{kBootstrapStart, 0644}, {std::string(node::kPrestartDone), 0600}};
}

Task<Result<void>> move_to_temporary_disk(Context& c, SubjectPtr) {
  co_return co_await c.host.units.start("bind-mount.service");
}

Names start_needs(const Subject& s) {
  Names needs = {"containerd.started", "kubelet.load",        "kubelet.folders",
                 "kubelet.protect",    "kubelet.certificate", "kernel.settings"};
  if (node::runs_phase(node::Phase::kBasePrep, s.config, s.facts)) {
    needs.emplace_back("kubelet.binary");
    needs.emplace_back("cni.plugins");
    needs.emplace_back("registry.known");
  }
  return needs;
}

// "2026-11-15 18:59:35.129"
std::string stamp(host::WallTime now) {
  const auto since = now.time_since_epoch();
  const time_t seconds = std::chrono::duration_cast<std::chrono::seconds>(since).count();
  struct tm parts;
  localtime_r(&seconds, &parts);
  char text[40];
  const size_t length = strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
  char fraction[8];
  snprintf(fraction, sizeof fraction, ".%03d", static_cast<int>(since / 1ms % 1000));
  return std::string(text, length) + fraction;
}

void remove_start_marks(host::Files& files) {
  (void)files.remove(kBootstrapStart);
  (void)files.remove(std::string(node::kPrestartDone));
}

// kubelet's start may be queued behind containerd's or wait for containerd's socket. Without this, the node would get a
// kubelet although its result reports that there is none. A kubelet that was active before this step requested its
// start is left running.
Task<Result<void>> take_kubelet_back(Context& c, SubjectPtr) {
  remove_start_marks(c.host.files);
  auto state = co_await c.host.units.state(kKubelet);
  if (!state) co_return std::move(state).error();
  const auto asked = c.given().find(c.step.name);
  if (asked == c.given().end()) co_return Result<void>();
  const bool older = state->active_since_us < std::strtoull(asked->second.c_str(), nullptr, 10);
  if (state->is_active() && older) co_return Result<void>();
  co_return co_await c.host.units.stop(kKubelet);
}

Task<Result<void>> start_kubelet(Context& c, SubjectPtr s) {
  if (auto marked = c.host.files.write(kBootstrapStart, stamp(c.host.loop.wall()) + "\n", 0644); !marked)
    co_return marked;
  const host::TimePoint asked = c.host.loop.now();
  if (auto given = c.give(c.step.name, std::to_string(asked.time_since_epoch() / 1us)); !given) co_return given;
  if (auto marked = c.host.files.write(std::string(node::kPrestartDone), "", 0600); !marked) co_return marked;
  // kubelet's pre-start waits for containerd's socket while containerd starts.
  auto started = co_await c.host.units.start_beside(kKubelet, "containerd.service");
  if (!started) {
    remove_start_marks(c.host.files);
    co_return started;
  }
  if (auto given = c.give("kubelet.started", c.host.boot_id); !given) co_return given;
  if (s->files_only) co_return Result<void>();
  // systemd skips a unit whose condition does not hold without reporting an error. kubelet does not run in that case.
  auto state = co_await c.host.units.state(kKubelet);
  if (!state) co_return std::move(state).error();
  if (state->active == "inactive" || state->active == "failed")
    co_return Error("kubelet.service did not start: it is " + state->active)
        .with_hint("journalctl -u kubelet tells why; is there a /opt/bin/kubelet?");
  // kubelet was already active: the image enables it, or an earlier run has started it.
  const host::TimePoint since(std::chrono::microseconds(state->active_since_us));
  if (!state->is_active() || since >= asked) co_return Result<void>();
  const auto older = c.renews() ? true : co_await runs_from_older_files(c, s, kKubelet, "kubelet.files");
  if (!older) co_return older.error();
  if (!*older) co_return Result<void>();
  c.note("it is already running, with older files");
  co_return co_await c.host.units.restart(kKubelet);
}

Task<Result<void>> enable_kubelet(Context& c, SubjectPtr) {
  co_return co_await c.host.units.enable({kKubelet});
}

}  // namespace

Declarations kubelet_steps() {
  return {
      {.name = "kubelet.files",
       .purpose = "writes kubelet's flags, labels, config file, kubeconfig and the drop-ins of its unit",
       .original = "B25, B36, B38, B39, N08, N22, N23",
       .task = "AKS.CSE.configureK8s",
       .phase = node::Phase::kBoth,
       .needs = {kMetadata},
       .concerns = {"kubelet config", "kubelet defaults", "kubelet flags", "kubelet runtime flags", "kubelet start",
                    "kubeconfig", "credential provider"},
       .lasts = Lasts::kOnDisk,
       .exit_code = exit_code::kKubeletStartFail},
      {.name = "kubelet.folders",
       .purpose = "creates the directories that kubelet reads",
       .original = "B23",
       .files = folders,
       .lasts = Lasts::kOnDisk,
       .exit_code = exit_code::kKubeletStartFail,
       .body = make_folders},
      {.name = kFolderMoved,
       .purpose = "moves /var/lib/kubelet to the temporary disk, now and at every later boot",
       .original = "B39",
       .when = "the config puts kubelet's files on the temporary disk",
       .wanted = on_temporary_disk,
       .after = {"disk.resource"},
       .units = {"bind-mount.service"},
       .deadline = 120s,
       // Early in a first boot the disk's mount unit does not exist yet.
       .retry = {.attempts = 60, .pause = 500ms, .longest_pause = 2s, .each = 60s},
       .exit_code = exit_code::kKubeletStartFail,
       .body = move_to_temporary_disk},
      {.name = "kubelet.certificate",
       .purpose = "creates a serving certificate unless the cluster issues it; kubelet.files writes the corresponding "
                  "flags, config keys and label",
       .original = "N07",
       .task = "AKS.CSE.configureKubeletServing",
       .needs = {kMetadata},
       .files = serving_pair,
       .lasts = Lasts::kOnDisk,
       .exit_code = exit_code::kKubeletStartFail,
       .body = make_certificate},
      {.name = "kubelet.protect",
       .purpose = "blocks access of pods to services of the host and makes /var/lib/kubelet a shared mount",
       .original = "N23",
       .task = "AKS.CSE.ensureKubelet.getPrimaryNicIP",
       .needs = {kMetadata},
       .files = [](const Subject&) { return std::vector<FileEffect>{{"/var/lib/kubelet", 0755}}; },
       .touches = {"firewall", "mounts"},
       .retry = {.attempts = 5, .pause = 200ms, .longest_pause = 5s},
       .exit_code = exit_code::kKubeletStartFail,
       .body = protect},
      {.name = kUnitsLoaded,
       .purpose =
           "makes systemd load kubelet's unit and drop-ins, and all other unit files written before kubelet starts",
       .original = "N23",
       .needs = {"kubelet.files", "containerd.started"},
       .retry = {.attempts = 3, .pause = 1s},
       .exit_code = exit_code::kKubeletStartFail,
       .body = load_units},
      {.name = "kubelet.start",
       .purpose = "starts kubelet",
       .original = "N23",
       .task = "AKS.CSE.ensureKubelet",
       .possible = can_start,
       .needs = {"identity.cloud", "identity.certificates"},
       .after = {"kubelet.credential_provider", "identity.secure_tls", "localdns.start", "cni.config", "resolver.link",
                 "network.cards", "network.domains", "network.dhcpv6", "kernel.swap", "kernel.huge_pages",
                 "private_hosts.start", "gpu.ready", "gpu.partition", "images.retag"},
       .more_needs = start_needs,
       .provides = {"kubelet.started"},
       .files = start_marks,
       .units = {kKubelet},
       .lasts = Lasts::kThisRun,
       .deadline = 240s,
       .retry = {.attempts = 3, .pause = 1s},
       .exit_code = exit_code::kKubeletStartFail,
       .body = start_kubelet,
       .take_back = take_kubelet_back},
      {.name = "kubelet.enable",
       .purpose = "makes kubelet start at every boot",
       .original = "N23",
       .needs = {"kubelet.started"},
       .units = {kKubelet},
       .lasts = Lasts::kOnDisk,
       .exit_code = exit_code::kKubeletStartFail,
       .body = enable_kubelet},
      {.name = "kubelet.health",
       .purpose = "checks that kubelet completes its start and does not exit repeatedly",
       .original = "N28",
       .needs = {"kubelet.started"},
       .after = {"containerd.ready", "kubelet.enable"},
       .lasts = Lasts::kThisRun,
       .exit_code = exit_code::kKubeletStartFail,
       .body = look_at_kubelet},
  };
}

}  // namespace sunup::plan
