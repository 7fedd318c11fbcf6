#include "native.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/node_paths.h"
#include "contract/load.h"
#include "engine/test_trace.h"
#include "plan/gather.h"
#include "plan/kubelet_health.h"
#include "plan/metadata.h"
#include "plan/test_joined.h"

namespace sunup::simulation {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using host::FileKind;
using host::sim::EndOfRun;
using host::sim::Machine;
using host::sim::World;

constexpr const char* kMarker = "/opt/azure/containers/provision.complete";
constexpr const char* kWhole = "whole";  // its content if no step has failed, except possibly deferred ones

// Files that both this program and others edit: every image has them.
constexpr const char* kShared[] = {
    "/etc/apt/apt.conf.d/99periodic",
    "/etc/dnf/automatic.conf",
    "/etc/environment",
    "/etc/fstab",
    "/etc/network/interfaces.d/50-cloud-init.cfg",
    "/etc/ssh/sshd_config",
    "/etc/sysfs.conf",
    "/etc/systemd/networkd.conf",
};

bool is_unit_file(const std::string& path) {
  return path.starts_with("/etc/systemd/system/");
}

// All files that a plan edits, and that other programs may edit, too. Without kubelet's unit, which systemd would have
// to read again.
std::vector<std::string> shared_files(const std::vector<engine::Step>& steps) {
  std::set<std::string> paths(std::begin(kShared), std::end(kShared));
  for (const engine::Step& step : steps)
    for (const engine::FileEffect& file : step.files)
      if (file.shared && !is_unit_file(file.path)) paths.insert(file.path);
  return {paths.begin(), paths.end()};
}

bool is_done(const engine::StepReport& step) {
  return step.outcome == engine::StepOutcome::kDone || step.outcome == engine::StepOutcome::kSkipped;
}

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void put(World& world, const std::string& path, std::string content, mode_t mode = 0644) {
  for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
    world.disk.try_emplace(path.substr(0, slash), host::sim::Node{FileKind::kDirectory, 0755, ""});
  world.disk[path] = host::sim::Node{FileKind::kRegular, mode, std::move(content)};
}

// Files that systemd creates at every boot.
void boot(World& world) {
  put(world, "/run/systemd/resolve/resolv.conf", "nameserver 10.0.0.10\n");
}

// Units that the boot needs mention some other units, so systemd has already read the files of those that existed then.
void load_some_units(World& world, host::sim::Random& random) {
  for (auto& [name, unit] : world.units)
    if (random.chance(30)) unit.read.emplace().emplace("/etc/systemd/system/" + name, "as it was at boot");
}

// The power fails and returns. systemd starts the enabled units; those that have been active before become active.
void cut_power(World& world) {
  std::set<std::string> up;
  for (const auto& [name, unit] : world.units)
    if (unit.active == "active") up.insert(name);
  world.power_cut();
  boot(world);
  for (const std::string& name : up) {
    if (!world.disk.contains("/etc/systemd/system/multi-user.target.wants/" + name)) continue;
    host::sim::Unit& unit = world.units[name];
    unit.active = "active";
    unit.runs_from = world.read_by(unit);
    for (auto& [path, node] : host::sim::appears_with(unit)) world.disk[path] = std::move(node);
  }
}

std::string os_release(const render::node::NodeFacts& facts) {
  using render::Distro;
  switch (facts.distro) {
    case Distro::kFlatcar:
      return "ID=flatcar\nVERSION_ID=4230.2.1\n";
    case Distro::kAzureLinux3:
      return "ID=azurelinux\nVERSION_ID=\"3.0\"\n";
    default:
      return fmt::format("ID=ubuntu\nVERSION_ID=\"{}\"\n", facts.os_version);
  }
}

Result<plan::ServingPair> quick_certificate(const std::string& hostname) {
  return plan::ServingPair{"certificate of " + hostname + "\n", "key of " + hostname + "\n"};
}

Result<plan::SubjectPtr> subject_of(const NativeCase& which, host::Files& files) {
  auto facts = plan::gather_facts(files, which.config);
  if (!facts) return std::move(facts).error();
  auto subject = std::make_shared<plan::Subject>();
  subject->config = which.config;
  subject->facts = *std::move(facts);
  subject->make_certificate = quick_certificate;
  subject->hooks = plan::read_hooks(files, false);
  return plan::SubjectPtr(std::move(subject));
}

Result<engine::Graph> graph_of(const NativeCase& which, host::Files& files) {
  const auto subject = subject_of(which, files);
  if (!subject) return subject.error();
  return plan::derive(*subject);
}

bool reads(std::string_view what) {
  return what == "read" || what == "look at" || what == "list" || what == "read link";
}

// Units that a run is responsible for. A unit that was only queued, by steps that may fail, is left to systemd.
std::set<std::string> answered_for(const std::vector<engine::Step>& steps) {
  std::set<std::string> units;
  for (const engine::Step& step : steps)
    if (step.fatal && step.phase != engine::Phase::kDeferred) units.insert(step.units.begin(), step.units.end());
  std::erase_if(units, [](const std::string& unit) { return unit.starts_with("nvidia-dcgm"); });
  return units;
}

// The content of the file without the lines of other programs.
std::string ours_of(const World& world, const std::string& path, const host::sim::Node& node) {
  std::string text = node.content;
  for (const host::sim::OtherWriter& other : world.written_by_others)
    if (const size_t at = text.find(other.line); other.path == path && at != std::string::npos)
      text.erase(at, other.line.size());
  return text;
}

// The complete observable state that a run leaves behind.
std::map<std::string, std::string> state_of(const World& world, const std::set<std::string>& units) {
  std::map<std::string, std::string> state;
  for (const auto& [path, node] : world.disk)
    if (!path.starts_with("/var/lib/sunup/") && path != kMarker && !path.starts_with("/run/") &&
        node.kind != FileKind::kDirectory)
      state["file " + path] = fmt::format("{:o} {}", node.mode, ours_of(world, path, node));
  for (const auto& [name, unit] : world.units)
    if (units.contains(name)) state["unit " + name] = unit.active;
  for (const auto& [name, value] : world.sysctls) state["sysctl " + name] = value;
  for (const std::string& name : world.modules) state["module " + name] = "loaded";
  for (const host::Mount& mount : world.mounts) state["mount " + mount.target + " " + mount.options] = mount.source;
  return state;
}

// Removes what is right about the files that other programs have removed: a file is as a run makes it on an image
// without it, or absent if it was removed after this program had made it.
void forget_removed(const std::set<std::string>& removed, const std::map<std::string, std::string>& without,
                    bool may_be_absent, std::map<std::string, std::string>& want,
                    std::map<std::string, std::string>& got) {
  for (const std::string& path : removed) {
    const std::string key = "file " + path;
    const auto made = without.find(key);
    const auto found = got.find(key);
    const bool same = (found == got.end() && made == without.end()) ||
                      (found != got.end() && made != without.end() && found->second == made->second);
    if (same || (found == got.end() && may_be_absent)) {
      want.erase(key);
      got.erase(key);
    } else if (made != without.end()) {
      want[key] = made->second;
    } else {
      want.erase(key);
    }
  }
}

std::map<std::string, std::string> files_of(std::map<std::string, std::string> state) {
  std::erase_if(state, [](const auto& entry) { return !entry.first.starts_with("file "); });
  return state;
}

std::string first_difference(const std::map<std::string, std::string>& want,
                             const std::map<std::string, std::string>& got) {
  for (const auto& [key, value] : want) {
    const auto found = got.find(key);
    if (found == got.end()) return fmt::format("{} is missing", key);
    if (found->second != value) return fmt::format("{} is '{}', not '{}'", key, found->second, value);
  }
  for (const auto& [key, value] : got)
    if (!want.contains(key)) return fmt::format("{} should not be there", key);
  return "";
}

bool removes(const host::sim::Faults& faults) {
  return std::any_of(faults.others.begin(), faults.others.end(),
                     [](const auto& other) { return other.how == host::sim::OtherWriter::How::kRemoves; });
}

void calm_down(World& world) {
  world.faults = {};
  for (auto& [name, unit] : world.units) unit.failures = 0, unit.flaps = 0;
  for (auto& [name, program] : world.programs) program.failures = 0;
  for (auto& [url, endpoint] : world.endpoints) endpoint.failures = 0, endpoint.from = host::Duration::zero();
}

// Files that a run has made or edited on this image, and that it can make again.
std::vector<std::string> made_by(const World& image, const World& provisioned) {
  std::vector<std::string> made;
  for (const auto& [path, node] : provisioned.disk) {
    if (node.kind != FileKind::kRegular && node.kind != FileKind::kSymlink) continue;
    const auto before = image.disk.find(path);
    if (before != image.disk.end() && before->second == node) continue;
    bool once = path == kMarker;  // made from a source that no longer exists, or not made by a step
    for (const char* folder : {"/var/lib/sunup/", "/opt/bin/", "/opt/cni/", "/proc/", "/sys/",
                               "/var/lib/kubelet/kubeconfig", plan::kNodePem})
      once |= path.starts_with(folder);
    once |= path.find(".wants/") != std::string::npos;  // created by systemd for enabled units
    once |= node.content.find("/usr/bin/nvidia-container-runtime") != std::string::npos;  // an edited file of the image
    if (!once) made.push_back(path);
  }
  return made;
}

// A user removes a file, changes it or its mode, or restores the file of the image (with the later lines of other
// programs).
std::string change_by_hand(World& world, host::sim::Random& random, const World& image, const std::string& path) {
  const auto found = world.disk.find(path);
  if (found == world.disk.end()) return "";
  const auto original = image.disk.find(path);
  std::optional<host::sim::Node> node = found->second;
  std::string what;
  if (original != image.disk.end()) {
    what = "as the image had it";
    world.removed_by_others.erase(path);
    node->content = original->second.content;
    for (const host::sim::OtherWriter& other : world.written_by_others)
      if (other.path == path) node->content += other.line;
  } else if (random.chance(40)) {
    what = "removed";
    node = std::nullopt;
    std::erase_if(world.written_by_others, [&path](const host::sim::OtherWriter& other) { return other.path == path; });
  } else if (node->kind == FileKind::kSymlink) {
    what = "linked elsewhere";
    node->content = "/nowhere";
  } else if (random.chance(30)) {
    what = "with another mode";
    node->mode ^= 0110;
  } else {
    what = "edited";
    node->content += "# by hand\n";
  }
  if (node) {
    node->modified_ns = 1;
    world.disk[path] = *node;
  } else {
    world.disk.erase(found);
  }
  world.made_durable({{path, node}});
  return fmt::format("{}: {}", path, what);
}

// A different version from the package repository.
void upgrade_containerd(World& world, const NativeCase& which) {
  const bool first = which.facts.containerd_version.starts_with("1.");
  put(world, "/var/lib/dpkg/status", fmt::format("\nPackage: containerd\nVersion: {}\n\n", first ? "2.0.6" : "1.7.27"));
  world.durable["/var/lib/dpkg/status"] = world.disk["/var/lib/dpkg/status"];
}

// Hooks of the image: one that kubelet waits for, one after it that may fail, and two that nothing waits for. A node
// that gets its certificate from the cluster can ask about itself, so one of them waits for Ready there.
void add_hooks(World& world) {
  std::vector<std::pair<const char*, const char*>> declared = {
      {"site.before", R"("before": ["kubelet.started"], "needs": ["kernel.settings"], "retries": 2)"},
      {"site.after", R"("needs": ["kubelet.started", "site.before"], "fatal": false, "retries": 1)"},
      {"site.later", R"("deferred": true, "after": ["kubectl.binary"])"},
  };
  if (!world.units["kubelet.service"].writes.empty())
    declared.emplace_back("site.joined", R"("deferred": true, "needs": ["node.ready", "site.before"])");
  for (const auto& [name, order] : declared) {
    const std::string program = fmt::format("/usr/local/bin/{}", name);
    put(world, fmt::format("{}/{}.json", paths::kHooks, name),
        fmt::format(R"({{"argv": ["{}"], {}}})", program, order));
    put(world, program, "", 0755);
    const std::string left = fmt::format("/var/lib/site/{}", name);
    world.programs[program].effect = [left](const std::vector<std::string>&, host::Files& files) {
      return files.write(left, "done\n");
    };
  }
  world.durable = world.disk;
  world.dirty.clear();
}

}  // namespace

bool writes(std::string_view what) {
  for (const std::string_view one : {"write", "write durably", "rename to", "remove", "remove tree", "link",
                                     "set mode of", "make directory", "copy to", "append", "edit"})
    if (what == one) return true;
  return false;
}

void draw_faults(World& world, host::sim::Random& random, const NativeLife& usual) {
  host::sim::Faults& faults = world.faults;
  faults = {};
  if (random.chance(30)) faults.file_errors = 1;
  if (random.chance(40)) faults.delays = 10;
  if (random.chance(20)) faults.overlooked_folders = 50;
  constexpr int kReadErrors[] = {EIO, EMFILE, EACCES};
  if (random.chance(30))
    for (uint64_t left = 1 + random.below(3); left > 0; --left)
      faults.unreadable[usual.read[random.below(usual.read.size())]] = kReadErrors[random.below(3)];
  constexpr int kWriteErrors[] = {ENOSPC, EIO, EROFS};
  if (random.chance(15) && !usual.written.empty())
    faults.unwritable[usual.written[random.below(usual.written.size())]] = kWriteErrors[random.below(3)];
  if (random.chance(50))
    for (uint64_t left = 1 + random.below(8); left > 0; --left) {
      using How = host::sim::OtherWriter::How;
      constexpr How kHow[] = {How::kAppends,  How::kAppends,  How::kAppends,
                              How::kReplaces, How::kReplaces, How::kRemoves};
      const std::vector<std::string> shared = shared_files(usual.steps);
      host::sim::OtherWriter other{.at = 1 + random.below(usual.operations),
                                   .path = shared[random.below(shared.size())],
                                   .line = fmt::format("# written by another program, {}\n", random.next()),
                                   .how = kHow[random.below(std::size(kHow))]};
      // Every second one writes right between the reading and the replacing of a file, where an update is lost.
      if (!usual.edits.empty() && random.chance(50)) {
        const auto& [at, path] = usual.edits[random.below(usual.edits.size())];
        other.at = at, other.path = path;
      }
      faults.others.push_back(std::move(other));
    }
  if (random.chance(faults.unreadable.empty() ? 85 : 30))
    faults.crash_at = 1 + random.below(usual.operations * 5 / 4 + 2);
  faults.cut_power = random.chance(50);
  if (random.chance(10)) faults.terminate_after = host::Duration(random.between(1, 600'000'000));
  for (auto& [name, unit] : world.units) {
    unit.failures = random.chance(10) ? 1 : 0;
    unit.flaps = random.chance(5) ? 1 : 0;
    unit.takes = host::Duration(random.between(100'000, 400'000'000));
  }
  for (auto& [name, program] : world.programs) program.failures = random.chance(10) ? 1 : 0;
  for (auto& [url, endpoint] : world.endpoints) {
    endpoint.failures = random.chance(20) ? static_cast<int>(random.between(1, 3)) : 0;
    endpoint.from = random.chance(20) ? host::Duration(random.between(0, 12'000'000'000)) : host::Duration::zero();
  }
}

const std::vector<NativeCase>& native_cases() {
  static const std::vector<NativeCase> kCases = [] {
    std::vector<NativeCase> cases;
    std::vector<fs::path> folders;
    for (const auto& entry : fs::directory_iterator(SUNUP_GOLDEN_CASES))
      if (entry.is_directory()) folders.push_back(entry.path());
    std::sort(folders.begin(), folders.end());
    for (const fs::path& folder : folders) {
      const std::string facts = read(folder / "facts.json");
      auto config = contract::load_text(read(folder / "config.json"), "config.json");
      auto known = render::node::facts_from_json(facts);
      if (!config || !known) continue;
      NativeCase one{.name = folder.filename(), .config = config->config, .facts = *known, .metadata = ""};
      one.metadata = nlohmann::json::parse(facts)["imds"].dump();
      cases.push_back(std::move(one));
    }
    return cases;
  }();
  return kCases;
}

void furnish(World& world, const NativeCase& which) {
  const auto& facts = which.facts;
  const std::string version = which.config.kubernetes_version();
  put(world, "/etc/os-release", os_release(facts));
  put(world, "/proc/sys/kernel/hostname", facts.hostname + "\n");
  put(world, "/proc/sys/kernel/osrelease", facts.kernel_release + "\n");
  put(world, "/proc/modules", "");
  put(world, "/proc/filesystems", "nodev\tproc\n");
  for (const char* name : {"enabled", "defrag"})
    put(world, std::string("/sys/kernel/mm/transparent_hugepage/") + name, "always\n");
  for (const char* path : kShared) put(world, path, "# the image's own\n");
  for (const auto& [path, text] : facts.texts) put(world, path, text, facts.mode(path));
  for (const std::string& path : facts.paths) put(world, path, "");
  if (facts.base_prep_done) put(world, "/opt/azure/containers/base_prep.complete", "");
  put(world, "/var/lib/dpkg/status", fmt::format("\nPackage: containerd\nVersion: {}\n\n", facts.containerd_version));
  for (const char* tool : {"kubelet", "kubectl"})
    put(world, fmt::format("/opt/bin/{}{}", tool, facts.base_prep_done ? "" : "-" + version),
        fmt::format("{} {}", tool, version), 0755);
  put(world, "/var/lib/kubelet/credential-provider/acr-credential-provider", "provider", 0755);
  for (const char* plugin : {"azure-vnet", "bridge", "host-local", "loopback"})
    put(world, std::string("/opt/cni/bin/") + plugin, plugin, 0755);
  put(world, "/opt/cni/bin/10-azure.conflist", R"({"plugins":[{"type":"azure-vnet","mode":"bridge"}]})");
  // The packages that an image with GPUs has cached, for configs that use them.
  if (which.config.gpu_config().enable_managed_gpu())
    for (const char* name : {"datacenter-gpu-manager-4-core", "datacenter-gpu-manager-4-proprietary", "dcgm-exporter",
                             "nvidia-device-plugin"})
      put(world, fmt::format("/opt/{0}/downloads/{0}_1.0_amd64.deb", name), name);
  boot(world);

  for (const char* program : {"iptables-save",
                              "iptables-restore",
                              "update-ca-certificates",
                              "update-ca-trust",
                              "netplan",
                              "networkctl",
                              "fallocate",
                              "mkswap",
                              "swapon",
                              "chage",
                              "sshd",
                              "ctr",
                              "nvidia-modprobe",
                              "nvidia-smi",
                              "ldconfig",
                              "systemd-sysext",
                              "systemctl",
                              "dpkg",
                              "apt-get",
                              "realm",
                              "/opt/acr/bin/acr-config",
                              "shutdown",
                              "/opt/azure/containers/init-aks-cloud.sh"})
    world.programs[program] = {};
  std::string kernel = facts.kernel_release;
  std::replace(kernel.begin(), kernel.end(), '-', '.');
  world.programs["nvidia-ctk"] = {};
  world.programs["dnf"] = {.output = fmt::format("cuda-open-580.1-1_{}.x86_64\n", kernel)};
  world.endpoints[plan::kMetadataUrl] = {.body = which.metadata};
  const std::string& server = which.config.api_server_config().api_server_name();
  world.endpoints["https://" + server + ":443/version?timeout=5s"] = {};
  world.endpoints["http://168.63.129.16/acms/isOptedInForRootCerts"] = {.body = R"({"IsOptedInForRootCerts": true})"};
  if (std::string registry = which.config.bootstrap_profile_container_registry_server(); !registry.empty()) {
    registry = registry.substr(0, registry.find('/'));
    world.endpoints["https://" + registry + "/v2/_catalog"] = {.status = 401};
    world.endpoints["https://" + registry + "/oauth2/exchange"] = {.body = R"({"refresh_token": "a.e30.b"})"};
    world.endpoints
        ["http://169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01&resource="
         "https%3A%2F%2Fcontainerregistry.azure.net&client_id=" +
         which.config.auth_config().assigned_identity_id()] = {.body = R"({"access_token": "token"})"};
  }
  for (const std::string& name : {which.config.api_server_config().api_server_name(), std::string("mcr.microsoft.com"),
                                  std::string("proxy.example.com"), std::string("10.0.0.1")})
    world.names[name] = {"10.0.0.1"};
  if (const auto& proxy = which.config.http_proxy_config();
      !proxy.https_proxy().empty() || !proxy.http_proxy().empty()) {
    std::string host = proxy.https_proxy().empty() ? proxy.http_proxy() : proxy.https_proxy();
    host = host.substr(host.find("://") + 3);
    if (const size_t at = host.find('@'); at != std::string::npos) host = host.substr(at + 1);
    world.names[host.substr(0, host.find_first_of(":/"))] = {"10.0.0.2"};
  }
  {
    Machine machine(world);
    if (const auto graph = graph_of(which, machine.host().files))
      for (const engine::Step& step : graph->steps())
        for (const std::string& unit : step.units) world.units[unit] = {};
  }
  // kubelet writes this file after it has used its token; with a client certificate this program writes it.
  const bool own = !which.config.kubelet_config().kubelet_client_key().empty();
  world.units["containerd.service"].makes = {"/run/containerd/containerd.sock"};
  world.units["kubelet.service"].makes = {plan::kKubeletStarted};
  if (!own)
    world.units["kubelet.service"].writes = {{paths::kKubeconfig, plan::kNodeKubeconfig},
                                             {plan::kNodePem, plan::kNodeCertificate}};
  world.units["kubelet.service"].takes = 20ms;
  const std::pair<const char*, std::vector<std::string>> readers[] = {
      {"containerd.service", {"/etc/containerd/config.toml"}},
      {"kubelet.service", {"/etc/default/kubelet", "/etc/kubernetes/certs/", "/var/lib/kubelet/bootstrap-kubeconfig"}},
      {"localdns.service", {"/opt/azure/containers/localdns/localdns.corefile", "/etc/localdns/environment"}},
      {"reconcile-private-hosts.service", {}},
  };
  for (const auto& [name, files] : readers) {
    const auto unit = world.units.find(name);
    if (unit == world.units.end()) continue;
    unit->second.reads = files;
    for (const char* folder : {"/etc/systemd/system/", "/run/systemd/system/"})
      unit->second.reads.push_back(std::string(folder) + name);
  }
  world.durable = world.disk;
  world.dirty.clear();
  world.clock = 1s;
}

Result<engine::Graph> announced(World& world, const NativeCase& which) {
  Machine machine(world);
  const auto known = subject_of(which, machine.host().files);
  if (!known) return known.error();
  auto subject = std::make_shared<plan::Subject>(**known);
  subject->facts.imds = which.facts.imds;
  return plan::derive(subject);
}

NativeLife live(World& world, const NativeCase& which, std::string* trace) {
  NativeLife life;
  engine::TextTrace text;
  {
    Machine machine(world);
    auto tell = std::exchange(world.on_operation, nullptr);
    world.on_operation = [&](host::TimePoint at, std::string_view what, const std::string& on) {
      ++life.operations;
      if (reads(what)) life.read.push_back(on);
      if (writes(what)) life.written.push_back(on);
      if (what == "look again at" && !is_unit_file(on)) life.edits.emplace_back(life.operations, on);
      if (tell) tell(at, what, on);
    };
    world.endpoints[plan::kNodeWatchUrl].body = plan::node_event("ADDED", world.boot_id(), "True");
    auto graph = graph_of(which, machine.host().files);
    // As in the controller: a result that cannot be read is kept.
    const auto marker = machine.host().files.read_if_there(kMarker);
    if (!graph || !marker) {
      life.end = machine.loop().crashed() ? EndOfRun::kCrashed : EndOfRun::kDone;
      life.report.emplace();
      life.report->failed_step = graph ? "result" : "plan";
      life.report->error = graph ? marker.error() : graph.error();
    } else {
      engine::Options options;
      options.observers = {&text};
      options.generation = which.name;
      options.deadline = 900s;
      options.profile = plan::usual_profile();
      host::Files& files = machine.host().files;
      life.finishes = *marker == kWhole;
      options.only_deferred = life.finishes;
      options.on_complete = [&](const engine::Report& report) -> host::Task<Result<void>> {
        if (!report.ok || life.finishes) co_return Result<void>();
        bool whole = true;
        for (size_t i = 0; i < graph->size(); ++i)
          whole &= graph->rank(i) == engine::Rank::kDeferred || is_done(report.steps[i]);
        co_return files.write_durable(kMarker, whole ? kWhole : "partial");
      };
      life.end = machine.loop().run(engine::run(machine.host(), *graph, std::move(options)), &life.report);
      life.steps = graph->steps();
      if (life.end == EndOfRun::kDone) {
        life.all_done = life.report->ok;
        for (size_t i = 0; i < graph->size(); ++i)
          if (!life.finishes || graph->rank(i) == engine::Rank::kDeferred)
            life.all_done &= is_done(life.report->steps[i]);
      }
    }
    world.on_operation = std::move(tell);
  }
  if (trace != nullptr) *trace += text.text();
  return life;
}

Verdict play_native(uint64_t seed, std::string* trace) {
  Verdict verdict;
  auto say = [&](const std::string& text) {
    if (trace != nullptr) *trace += text + "\n";
  };
  const NativeCase& which = native_cases()[seed % native_cases().size()];
  say("case " + which.name);
  World image(seed);
  furnish(image, which);
  const bool hooks = seed % 3 == 0;
  if (hooks) add_hooks(image);
  World calm = image;
  const NativeLife usual = live(calm, which);
  const std::string context = which.name + ": ";
  if (!usual.all_done) {
    std::string why = usual.report ? usual.report->failed_step + ": " + usual.report->error.what : "it never ended";
    if (usual.report && usual.report->ok)
      for (size_t i = 0; i < usual.steps.size(); ++i)
        if (!usual.report->steps[i].error.what.empty())
          why += " " + usual.steps[i].name + ": " + usual.report->steps[i].error.what;
    verdict.broken.push_back(context + "the calm run did not succeed: " + why);
    return verdict;
  }
  const auto units = answered_for(usual.steps);
  auto want = state_of(calm, units);
  const std::vector<std::string> made = made_by(image, calm);

  host::sim::Random random(seed);
  World world(seed + 1);
  furnish(world, which);
  if (hooks) add_hooks(world);
  load_some_units(world, random);
  bool upgraded = false;
  // The state that a calm run makes on an image without the files that other programs have removed.
  const auto without_removed = [&] {
    World without = image;
    for (const std::string& path : world.removed_by_others) without.disk.erase(path), without.durable.erase(path);
    if (upgraded) upgrade_containerd(without, which);
    (void)live(without, which);
    return state_of(without, units);
  };
  const uint64_t bad_lives = 1 + random.below(4);
  for (uint64_t number = 1; number <= bad_lives + 1; ++number) {
    const bool last = number == bad_lives + 1;
    if (last)
      calm_down(world);
    else
      draw_faults(world, random, usual);
    // A user requests another run.
    if (random.chance(50)) world.disk.erase(kMarker), world.durable.erase(kMarker);
    // The user may have changed something before.
    if (number > 1 && random.chance(40)) {
      world.disk.erase(kMarker), world.durable.erase(kMarker);
      for (uint64_t left = 1 + random.below(3); left > 0; --left)
        say("by hand: " + change_by_hand(world, random, image, made[random.below(made.size())]));
      if (random.chance(30)) {
        say("containerd is upgraded");
        upgrade_containerd(world, which);
        upgraded = true;
        calm = image;
        upgrade_containerd(calm, which);
        (void)live(calm, which);
        want = state_of(calm, units);
      }
    }
    say(fmt::format("--- life {} in {}{}", number, world.boot_id(), last ? ", nothing goes wrong" : ""));
    const NativeLife life = live(world, which, trace);
    ++verdict.lives;
    verdict.trace_hash = verdict.trace_hash * 31 + life.operations;
    if (life.end == EndOfRun::kHung) {
      verdict.broken.push_back(context + fmt::format("life {} never ended", number));
      return verdict;
    }
    if (life.end == EndOfRun::kCrashed) {
      ++verdict.crashes;
      if (world.faults.cut_power) {
        ++verdict.power_cuts;
        cut_power(world);
        load_some_units(world, random);
        if (world.disk.contains(kMarker))
          for (const engine::Step& step : life.steps) {
            if (step.phase == engine::Phase::kDeferred || !step.fatal) continue;
            for (const engine::FileEffect& file : step.files) {
              const auto wanted = calm.disk.find(file.path);
              const auto found = world.disk.find(file.path);
              if (wanted == calm.disk.end() || file.path.starts_with("/run/")) continue;
              if (world.removed_by_others.contains(file.path)) continue;
              if (found == world.disk.end() || found->second.mode != wanted->second.mode ||
                  ours_of(world, file.path, found->second) != wanted->second.content)
                verdict.broken.push_back(context + "the marker survived the power cut, " + file.path + " did not");
            }
          }
      }
    } else {
      if (!life.report->ok && life.report->failed_step.empty())
        verdict.broken.push_back(context + fmt::format("life {} failed without naming a step", number));
      // On a provisioned node systemd restores the state that does not survive a reboot.
      const auto compared = [&life](auto state) { return life.finishes ? files_of(std::move(state)) : state; };
      if (life.all_done) {
        auto expected = compared(want);
        auto got = compared(state_of(world, units));
        const bool removed_now = life.finishes || removes(world.faults);
        if (!world.removed_by_others.empty())
          forget_removed(world.removed_by_others, without_removed(), removed_now, expected, got);
        if (const std::string difference = first_difference(expected, got); !difference.empty())
          verdict.broken.push_back(context + fmt::format("life {} succeeded, but {}", number, difference));
      }
    }
    for (const host::sim::OtherWriter& other : world.written_by_others)
      if (const auto found = world.disk.find(other.path);
          found == world.disk.end() || found->second.content.find(other.line) == std::string::npos)
        verdict.broken.push_back(
            context + fmt::format("life {} has lost what another program wrote into {}", number, other.path));
    for (const std::string& unit : life.all_done ? world.started_outdated : std::set<std::string>())
      verdict.broken.push_back(context +
                               fmt::format("life {} started {} from files that had changed since", number, unit));
    if (life.all_done && !life.finishes)
      for (const auto& [name, unit] : world.units)
        if (unit.active == "active")
          if (const std::string difference = first_difference(world.read_by(unit), unit.runs_from); !difference.empty())
            verdict.broken.push_back(
                context + fmt::format("life {} left {} running from other files: {}", number, name, difference));
    if (last && !life.all_done)
      verdict.broken.push_back(context + "the last life did not succeed: " +
                               (life.report ? life.report->failed_step + ": " + life.report->error.what : "crashed"));
  }
  return verdict;
}

}  // namespace sunup::simulation
