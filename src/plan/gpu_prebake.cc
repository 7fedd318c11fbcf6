// Drivers that images are built with: a node that wants none, or another kind, takes them out.
#include <fmt/format.h>

#include <algorithm>

#include "plan/gpu.h"
#include "plan/subjects.h"
#include "render/node/gpu.h"

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;

// Loaded, and somebody may be using it.
bool is_busy(Context& c) {
  const std::string users = c.host.files.read("/sys/module/nvidia/refcnt").value_or("");
  if (!users.empty() && users.substr(0, users.find('\n')) != "0") return true;
  const auto devices = c.host.files.list("/dev").value_or({});
  return std::any_of(devices.begin(), devices.end(),
                     [](const std::string& name) { return name.starts_with("nvidia"); });
}

Task<void> unload_driver(Context& c) {
  for (const char* module : {"nvidia_uvm", "nvidia_drm", "nvidia_modeset", "nvidia_peermem", "nvidia"}) {
    auto unloaded = co_await c.host.kernel.unload_module(module);
    if (!unloaded) c.note("still loaded: " + unloaded.error().what);
  }
}

bool has_prebaked_driver(const Subject& s) {
  return !node::prebaked_driver(s.facts).empty();
}

std::vector<FileEffect> dropped_files(const Subject& s) {
  return node::drops_prebaked_driver(s.config, s.facts) && !s.config.gpu_config().enable_nvidia()
             ? prebaked_driver_files(s.facts)
             : std::vector<FileEffect>();
}

// A node that needs the other kind has dropped it before its own driver was installed.
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
  if (c.host.kernel.module_loaded("nvidia") && !is_busy(c)) co_await unload_driver(c);
  for (const std::string& path : node::prebaked_driver_paths(facts))
    if (auto removed = files.remove_tree(path); !removed) c.note("stays: " + removed.error().what);
  if (auto linked = co_await run_gpu_program(c, host::command("ldconfig").with_limit(60s)); !linked)
    c.note(linked.error().what);
  const bool loaded = c.host.kernel.module_loaded("nvidia");
  const bool gone = !loaded && !files.exists("/var/lib/dkms/nvidia") && !files.exists("/usr/bin/nvidia-modprobe");
  c.note(fmt::format("AKS_GPU_PREBAKE event=teardown driver_kind={} module_loaded={} status={}",
                     node::prebaked_driver(facts), loaded, gone ? "cleaned" : "incomplete"));
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
       .purpose = "takes out the driver that the image was built with, where the node wants none",
       .original = "N27",
       .when = "the image has a driver built in",
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
