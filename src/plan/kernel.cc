// The kernel: modules, settings, huge pages, swap, and the modules that must not be loaded.
#include <cerrno>
#include <limits>

#include "base/exit_code.h"
#include "plan/subjects.h"
#include "render/node/huge_pages.h"
#include "render/node/kernel_modules.h"
#include "render/node/kernel_settings.h"
#include "render/node/swap.h"

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;

// Detects a module by its effect, so that a module that is built into the kernel counts as well.
Result<bool> works(Context& c, std::string_view module) {
  host::Files& files = c.host.files;
  if (module == "overlay") {
    const auto known = files.read_if_there("/proc/filesystems");
    if (!known) return known.error();
    return *known && (*known)->find("\toverlay\n") != std::string::npos;
  }
  if (module == "br_netfilter") return files.exists("/proc/sys/net/bridge");
  if (module == "nf_conntrack") return files.exists("/proc/sys/net/netfilter/nf_conntrack_max");
  return false;
}

Task<Result<void>> load_modules(Context& c, SubjectPtr s) {
  std::vector<std::string> missing;
  for (const auto module : node::modules_to_load(s->config)) {
    auto there = s->files_only ? Result<bool>(false) : works(c, module);
    if (there && !*there) there = c.host.kernel.module_loaded(std::string(module));
    if (!there) co_return std::move(there).error();
    if (!*there) missing.emplace_back(module);
  }
  if (missing.empty()) co_return Result<void>();
  const auto takes_modules = s->files_only ? Result<bool>(true) : c.host.files.exists("/proc/modules");
  if (!takes_modules) co_return takes_modules.error();
  if (!*takes_modules) {
    c.note("this kernel does not support modules");
    co_return Result<void>();
  }
  co_return co_await c.host.kernel.load_modules(std::move(missing));
}

Task<Result<void>> set_keys(Context& c, SubjectPtr s) {
  constexpr std::string_view kProcSys = "/proc/sys/";
  for (const node::KernelSetting& setting : node::kernel_settings(s->config, s->facts)) {
    const std::string key = setting.path.substr(kProcSys.size());
    auto set = c.host.kernel.set_sysctl(key, setting.value);
    if (set) continue;
    // A key that does not exist in this kernel or network namespace cannot be set, and a retry does not help.
    if (set.error().os_errno != ENOENT) co_return std::move(set).error();
    c.note("there is no " + key);
  }
  co_return Result<void>();
}

bool wants_huge_pages(const Subject& s) {
  const auto settings = node::huge_page_settings(s.config);
  return !settings || !settings->empty();
}

Names huge_page_units(const Subject& s) {
  if (!render::traits(s.facts.distro).huge_page_unit) return {};
  return {"aks-transparent-hugepage.service"};
}

Task<Result<void>> set_huge_pages(Context& c, SubjectPtr s) {
  auto settings = node::huge_page_settings(s->config);
  if (!settings) co_return std::move(settings).error();
  for (const node::KernelSetting& setting : *settings) {
    if (s->files_only) {
      (void)c.leave_out("set " + setting.path);
      continue;
    }
    if (auto set = c.host.files.write_in_place(setting.path, setting.value); !set) co_return set;
  }
  for (const std::string& path : node::stale_huge_page_files(s->config, s->facts))
    if (auto removed = c.host.files.remove(path); !removed) co_return removed;
  Names units = huge_page_units(*s);
  if (units.empty()) co_return Result<void>();
  co_return co_await c.host.units.enable(std::move(units));
}

std::vector<FileEffect> stale_huge_pages(const Subject& s) {
  std::vector<FileEffect> files;
  for (std::string& path : node::stale_huge_page_files(s.config, s.facts)) files.push_back({std::move(path), 0});
  return files;
}

Task<Result<void>> keep_modules_out(Context& c, SubjectPtr s) {
  if (node::module_mitigation(s->facts) != node::Mitigation::kApply) co_return Result<void>();
  for (const auto module : node::vulnerable_modules()) {
    auto unloaded = co_await c.host.kernel.unload_module(std::string(module));
    if (!unloaded) c.note("still loaded: " + unloaded.error().what);  // in use; the next boot does not load it
  }
  co_return Result<void>();
}

bool wants_swap(const Subject& s) {
  return node::wants_swap(s.config);
}

// If the free space is unknown, assume enough: fallocate reports an error if there is not.
node::DiskSpace space(const Subject& s) {
  node::DiskSpace space = s.facts.disks.value_or(node::DiskSpace{});
  if (!space.root_free_kib) space.root_free_kib = std::numeric_limits<uint64_t>::max();
  return space;
}

std::vector<FileEffect> swap_file(const Subject& s) {
  auto chosen = node::choose_swap_file(s.config, space(s));
  if (!chosen) return {};
  return {{.path = chosen->path, .mode = 0600}};
}

Task<Result<void>> make_swap(Context& c, SubjectPtr s) {
  auto chosen = node::choose_swap_file(s->config, space(*s));
  if (!chosen) co_return std::move(chosen).error();
  const auto swaps = c.host.files.read_if_there("/proc/swaps");
  if (!swaps) co_return swaps.error();
  const bool active = *swaps && node::is_active_swap(**swaps, chosen->path);
  if (!active) {
    const std::string size = std::to_string(chosen->size_kib * 1024);
    // The file is created with its final mode, because memory of other programs is written to it.
    if (auto made = c.host.files.write(chosen->path, "", 0600); !made) co_return made;
    std::vector<host::Command> commands;
    commands.push_back(host::command("fallocate", "--length", size, chosen->path));
    commands.push_back(host::command("mkswap", chosen->path));
    commands.push_back(host::command("swapon", chosen->path));
    for (host::Command& command : commands) {
      const std::string what = command.argv[0];
      auto exit = co_await c.host.processes.run(std::move(command));
      if (!exit) co_return std::move(exit).error();
      if (!exit->ok()) co_return exit->as_error(what).with_code(what == "fallocate" ? 131 : 130);
    }
  }
  co_return co_await c.host.units.enable({"aks-swapfile.service"});
}

}  // namespace

Declarations kernel_steps() {
  return {
      {.name = "kernel.modules",
       .purpose = "loads the modules that containerd and the network need, now and at every boot",
       .original = "B26, B27",
       .task = "AKS.CSE.configureCNI",
       .phase = node::Phase::kBoth,
       .concerns = {"kernel modules"},
       .touches = {"kernel modules"},
       .retry = {.attempts = 5, .pause = 200ms, .longest_pause = 5s},
       .exit_code = exit_code::kModprobeFail,
       .body = load_modules},
      {.name = "kernel.settings",
       .purpose = "sets kernel parameters, now and for later boots",
       .original = "B30, B40",
       .task = "AKS.CSE.ensureSysctl",
       .phase = node::Phase::kBoth,
       .needs = {"kernel.modules"},
       .concerns = {"kernel settings"},
       .touches = {"kernel settings"},
       .retry = {.attempts = 5, .pause = 200ms, .longest_pause = 5s},
       .exit_code = exit_code::kSysctlReload,
       .body = set_keys},
      {.name = "kernel.huge_pages",
       .purpose = "sets transparent huge pages, now and for later boots",
       .original = "B34, N05",
       .task = "AKS.CSE.configureTransparentHugePage",
       .when = "the config sets transparent huge pages",
       .wanted = wants_huge_pages,
       .phase = node::Phase::kBoth,
       .concerns = {"huge pages"},
       .files = stale_huge_pages,
       .more_units = huge_page_units,
       .exit_code = exit_code::kSysctlReload,
       .body = set_huge_pages},
      {.name = "kernel.swap",
       .purpose = "creates the swap file and enables it for later boots",
       .original = "B35, N06",
       .task = "AKS.CSE.configureSwapFile",
       .when = "the config asks for a swap file",
       .wanted = wants_swap,
       .phase = node::Phase::kBoth,
       .concerns = {"swap"},
       .files = swap_file,
       .units = {"aks-swapfile.service"},
       .deadline = 120s,
       .retry = {.attempts = 5, .pause = 1s},
       .exit_code = exit_code::kSwapCreateFail,
       .body = make_swap},
      {.name = "kernel.mitigation",
       .purpose = "blocks modules with known vulnerabilities, or allows them again on a fixed kernel",
       .original = "B41, N04",
       .phase = node::Phase::kBoth,
       .needs = {"kernel.modules"},
       .after = {"containerd.started", "kubelet.started"},
       .concerns = {"kernel module mitigation"},
       .touches = {"kernel modules"},
       .exit_code = exit_code::kModprobeFail,
       .body = keep_modules_out},
  };
}

}  // namespace sunup::plan
