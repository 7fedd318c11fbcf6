// GPU drivers that are built into the image. A node that needs no driver, or another kind, removes them.
#include <fmt/format.h>

#include <algorithm>

#include "plan/gpu.h"
#include "plan/subjects.h"
#include "render/node/gpu.h"

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;

// The driver is loaded and may be in use.
Result<bool> is_busy(Context& c) {
  const auto users = c.host.files.read_if_there("/sys/module/nvidia/refcnt");
  if (!users) return users.error();
  if (*users && !(*users)->empty() && (*users)->substr(0, (*users)->find('\n')) != "0") return true;
  const auto devices = c.host.files.list_if_there("/dev");
  if (!devices) return devices.error();
  return std::any_of(devices->begin(), devices->end(),
                     [](const std::string& name) { return name.starts_with("nvidia"); });
}

Task<Result<void>> unload_driver(Context& c) {
  const auto loaded = c.host.kernel.module_loaded("nvidia");
  if (!loaded) co_return loaded.error();
  const auto busy = *loaded ? is_busy(c) : Result<bool>(false);
  if (!busy) co_return busy.error();
  if (!*loaded || *busy) co_return Result<void>();
  for (const char* module : {"nvidia_uvm", "nvidia_drm", "nvidia_modeset", "nvidia_peermem", "nvidia"}) {
    auto unloaded = co_await c.host.kernel.unload_module(module);
    if (!unloaded) c.note("still loaded: " + unloaded.error().what);
  }
  co_return Result<void>();
}

// True if nothing of the driver is left on the disk.
Result<bool> is_gone(host::Files& files) {
  for (const char* path : {"/var/lib/dkms/nvidia", "/usr/bin/nvidia-modprobe"}) {
    const auto there = files.exists(path);
    if (!there) return there.error();
    if (*there) return false;
  }
  return true;
}

bool has_prebaked_driver(const Subject& s) {
  return !node::prebaked_driver(s.facts).empty();
}

std::vector<FileEffect> dropped_files(const Subject& s) {
  return node::drops_prebaked_driver(s.config, s.facts) && !s.config.gpu_config().enable_nvidia()
             ? prebaked_driver_files(s.facts)
             : std::vector<FileEffect>();
}

// A node that needs the other kind has removed this one before it installed its own driver.
Task<Result<void>> drop_unwanted_driver(Context& c, SubjectPtr s) {
  auto facts = facts_now(c, *s);
  if (!facts) co_return std::move(facts).error();
  const auto plan = node::driver_plan(s->config, *facts);
  const bool unused = plan && plan->action == node::DriverAction::kNone;
  if (!unused || !node::drops_prebaked_driver(s->config, *facts)) co_return Result<void>();
  co_return co_await drop_prebaked_driver(c, *std::move(facts));
}

}  // namespace

Task<Result<void>> drop_prebaked_driver(Context& c, NodeFacts facts) {
  host::Files& files = c.host.files;
  if (auto unloaded = co_await unload_driver(c); !unloaded) co_return unloaded;
  for (const std::string& path : node::prebaked_driver_paths(facts))
    if (auto removed = files.remove_tree(path); !removed) c.note("stays: " + removed.error().what);
  if (auto linked = co_await run_gpu_program(c, host::command("ldconfig").with_limit(60s)); !linked)
    c.note(linked.error().what);
  const auto loaded = c.host.kernel.module_loaded("nvidia");
  if (!loaded) co_return loaded.error();
  const auto removed = is_gone(files);
  if (!removed) co_return removed.error();
  const bool gone = !*loaded && *removed;
  c.note(fmt::format("AKS_GPU_PREBAKE event=teardown driver_kind={} module_loaded={} status={}",
                     node::prebaked_driver(facts), *loaded, gone ? "cleaned" : "incomplete"));
  if (!gone) co_return Result<void>();
  co_return files.remove(node::kPrebakeMarker);
}

std::vector<FileEffect> prebaked_driver_files(const NodeFacts& facts) {
  std::vector<FileEffect> effects;
  for (std::string& path : node::prebaked_driver_paths(facts)) effects.push_back({std::move(path), 0});
  effects.push_back({node::kPrebakeMarker, 0});
  return effects;
}

Declarations gpu_prebake_steps() {
  return {
      {.name = "gpu.unused_driver",
       .purpose = "removes the driver that was built into the image if the node does not need it",
       .original = "N27",
       .when = "the image has a built-in driver",
       .wanted = has_prebaked_driver,
       .needs = {kMetadata},
       .after = {"kernel.mitigation"},
       .files = dropped_files,
       .touches = {"kernel modules"},
       .deferred = true,
       .deadline = 300s,
       .fatal = false,
       .body = drop_unwanted_driver},
  };
}

}  // namespace sunup::plan
