// GPUs partitioned into instances (MIG). All instances are available only after a reboot.
#include "plan/gpu.h"
#include "plan/subjects.h"
#include "plan/unit_files.h"
#include "render/node/containerd_files.h"
#include "render/node/gpu.h"

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;

bool cuts_gpus(const Subject& s) {
  return s.config.gpu_config().enable_nvidia() && node::is_mig_node(s.config);
}

// A tag of the VM can disable the setup of its GPUs.
Task<Result<bool>> leaves_gpus_alone(Context& c, SubjectPtr s) {
  auto facts = facts_now(c, *s);
  if (!facts) co_return std::move(facts).error();
  co_return node::skips_gpu_driver(s->config, *facts);
}

Task<Result<void>> cut_gpus(Context& c, SubjectPtr s) {
  auto alone = co_await leaves_gpus_alone(c, s);
  if (!alone) co_return std::move(alone).error();
  if (*alone) {
    c.note("no driver is requested, so nothing is partitioned");
    co_return Result<void>();
  }
  if (auto enabled = co_await c.host.units.enable({"mig-partition.service"}); !enabled) co_return enabled;
  if (auto read = co_await have_read(c, "mig-partition.service"); !read) co_return read;
  co_return co_await c.host.units.start("mig-partition.service");
}

// All instances are available only after a reboot. The reboot is delayed by a minute, so that the result can be read
// before it.
Task<Result<void>> reboot_soon(Context& c, SubjectPtr s) {
  auto alone = co_await leaves_gpus_alone(c, s);
  if (!alone) co_return std::move(alone).error();
  if (*alone) co_return Result<void>();
  // A run that completes the remaining steps of an earlier run must not reboot the machine again. The reboot is needed
  // only in the boot in which this program is known to have started kubelet.
  if (auto started_in = c.fact("kubelet.started"); !started_in || *started_in != c.host.boot_id) {
    c.note("the machine may have been rebooted since then");
    co_return Result<void>();
  }
  co_return co_await run_gpu_program(c, host::command("shutdown", "--reboot", "+1").with_limit(20s));
}

}  // namespace

Declarations gpu_instance_steps() {
  return {
      {.name = "gpu.partition",
       .purpose = "partitions GPUs into instances",
       .original = "N17",
       .when = "the config names an instance profile or a layout",
       .wanted = cuts_gpus,
       .needs = {kMetadata, "gpu.ready"},
       .units = {"mig-partition.service"},
       .deadline = 300s,
       .fatal = false,
       .body = cut_gpus},
      {.name = "gpu.reboot",
       .purpose = "reboots a minute after success, which creates the instances",
       .original = "N17, N32",
       .when = "the config names an instance profile or a layout",
       .wanted = cuts_gpus,
       .needs = {kMetadata, "kubelet.started"},
       .after = {"gpu.partition", "gpu.plugin", "gpu.dra", "kubelet.health", "apiserver.reach", "network.outbound"},
       .touches = {"power"},
       .deferred = true,
       .lasts = Lasts::kOnDisk,
       .fatal = false,
       .body = reboot_soon},
  };
}

}  // namespace sunup::plan
