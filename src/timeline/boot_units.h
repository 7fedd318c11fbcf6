// The units that are involved until NodeReady, and their roles. Only this file knows that cloud-init's network stage is
// cloud-init.service up to cloud-init 24.2 and cloud-init-network.service since 24.3, and that the guest agent is
// walinuxagent.service on Debian and Ubuntu and waagent.service on Azure Linux and Flatcar.
#pragma once

#include <string_view>

namespace sunup::timeline {

// Units whose start time is in provision.json (controller/boot_facts.h).
enum class BootRole { kOther, kCloudInitLocal, kCloudInitNetwork, kCloudInitFinal, kNetworkd, kGuestAgent, kKubelet };

struct BootUnit {
  const char* name;
  BootRole role = BootRole::kOther;
  // The milestones (milestones.h) for the start of the unit and for its becoming active; empty if there is none.
  std::string_view begin = {};
  std::string_view active = {};
};

inline constexpr BootUnit kBootUnits[] = {
    {"cloud-init-local.service", BootRole::kCloudInitLocal, "cloudinit.local.start", "cloudinit.local.done"},
    {"cloud-init.service", BootRole::kCloudInitNetwork, "cloudinit.network.start", "cloudinit.network.done"},
    {"cloud-init-network.service", BootRole::kCloudInitNetwork, "cloudinit.network.start", "cloudinit.network.done"},
    {"cloud-config.service", BootRole::kOther, "cloudinit.config.start"},
    {"cloud-final.service", BootRole::kCloudInitFinal, "cloudinit.final.start", "cloudinit.final.done"},
    {"systemd-networkd.service", BootRole::kNetworkd},
    {"systemd-networkd-wait-online.service"},
    {"walinuxagent.service", BootRole::kGuestAgent},
    {"waagent.service", BootRole::kGuestAgent},
    {"aks-node-controller.service"},
    {"containerd.service", BootRole::kOther, "", "containerd.ready"},
    {"kubelet.service", BootRole::kKubelet},
    // systemd orders networkd after cloud-init's local stage through this target only.
    {"network-pre.target"},
    {"sysinit.target"},
    {"basic.target"},
    {"network-online.target"},
    {"multi-user.target"},
};

// Null if the unit is not in the table.
constexpr const BootUnit* find_boot_unit(std::string_view name) {
  for (const BootUnit& unit : kBootUnits)
    if (unit.name == name) return &unit;
  return nullptr;
}

}  // namespace sunup::timeline
