#include "controller/boot_facts.h"

#include <fmt/format.h>

#include "timeline/boot_units.h"

namespace sunup::controller {
namespace {

std::string seconds(uint64_t us) {
  return fmt::format("{}.{:03}s", us / 1'000'000, us / 1000 % 1000);
}

// The standard output of systemd-analyze. It is empty until the boot is complete, when systemd-analyze only writes an
// error message to standard error. This is always the case on a first boot, because our unit is part of the boot.
std::string summary(const host::BootTimes& times) {
  if (times.finish_us == 0) return "";
  std::string text = "Startup finished in ";
  if (times.firmware_us > 0) text += seconds(times.firmware_us - times.loader_us) + " (firmware) + ";
  if (times.loader_us > 0) text += seconds(times.loader_us) + " (loader) + ";
  if (times.initrd_us > 0) {
    text += seconds(times.initrd_us) + " (kernel) + ";
    text += seconds(times.userspace_us - times.initrd_us) + " (initrd) + ";
  } else if (times.userspace_us > 0) {
    text += seconds(times.userspace_us) + " (kernel) + ";
  }
  text += seconds(times.finish_us - times.userspace_us) + " (userspace)";
  return text + " = " + seconds(times.firmware_us + times.finish_us);
}

// Where provision.json stores the start time of the unit; null if it does not.
report::WallTime* time_of(report::RunTimes& times, timeline::BootRole role) {
  switch (role) {
    case timeline::BootRole::kCloudInitLocal:
      return &times.cloud_init_local;
    case timeline::BootRole::kCloudInitNetwork:
      return &times.cloud_init;
    case timeline::BootRole::kCloudInitFinal:
      return &times.cloud_final;
    case timeline::BootRole::kNetworkd:
      return &times.networkd;
    case timeline::BootRole::kGuestAgent:
      return &times.guest_agent;
    case timeline::BootRole::kKubelet:
      return &times.kubelet;
    default:
      return nullptr;
  }
}

}  // namespace

host::Task<void> gather_boot_facts(host::Units& units, BootFacts& facts) {
  report::RunTimes& times = facts.times;
  for (const timeline::BootUnit& unit : timeline::kBootUnits) {
    report::WallTime* into = time_of(times, unit.role);
    if (into == nullptr || *into != 0) continue;
    auto started = co_await units.main_started(unit.name);
    if (started) *into = static_cast<report::WallTime>(*started) * 1000;
  }
  if (auto kubelet = co_await units.state("kubelet.service"); kubelet)
    facts.kubelet_state = "kubelet.service: " + kubelet->load + ", " + kubelet->active + " (" + kubelet->sub + ")\n";
  auto boot = co_await units.boot_times();
  if (boot) {
    times.kernel = static_cast<report::WallTime>(boot->kernel_us) * 1000;
    facts.systemd_summary = summary(*boot);
  }
}

}  // namespace sunup::controller
