#include "timeline/milestones.h"

namespace sunup::timeline {
namespace {

constexpr MilestoneRule kMilestones[] = {
    {"kernel.start", "kernel started", "", "", "systemd, journal"},
    {"systemd.start", "systemd started", "kernel.start", "the kernel and the initial RAM disk", "systemd"},
    {"cloudinit.local.start", "cloud-init local stage", "systemd.start", "systemd mounting the root file system",
     "systemd, journal"},
    {"cloudinit.local.done", "cloud-init local stage done", "cloudinit.local.start",
     "cloud-init finding its data source", "systemd, journal"},
    {"cloudinit.network.start", "cloud-init network stage", "cloudinit.local.done systemd.start",
     "the network to come up", "systemd, journal"},
    {"boothook.start", "boothook", "cloudinit.network.start", "cloud-init reading and unpacking the custom data",
     "cloud-init.log"},
    {"controller.start", "controller started",
     "boothook.start cloudinit.network.start cloudinit.final.start systemd.start",
     "the boothook to write the config, or the controller's unit to start", "run record, aks-node-controller.log"},
    {"cse.start", "CSE start", "controller.start",
     "the controller loading the config and asking the image's containerd", "guest-agent events"},
    {"cloudinit.network.done", "cloud-init network stage done", "boothook.start cloudinit.network.start",
     "cloud-init's remaining modules of the network stage", "systemd, journal"},
    {"cloudinit.config.start", "cloud-init config stage", "cloudinit.network.done",
     "systemd reaching its config target", "systemd, journal"},
    {"containerd.started", "containerd started", "", "", "systemd, journal"},
    {"containerd.ready", "containerd ready", "containerd.started", "containerd loading its plugins",
     "systemd, journal"},
    {"kubelet.started", "kubelet started", "", "", "systemd, journal"},
    {"kubelet.first_log", "first kubelet log", "kubelet.started", "the kubelet program to load", "journal"},
    {"kubelet.tls", "TLS bootstrap done", "kubelet.first_log kubelet.started",
     "kubelet's certificate request to be approved and issued by the cluster", "journal, guest-agent events"},
    {"kubelet.runtime", "runtime initialized", "kubelet.tls kubelet.first_log containerd.ready",
     "kubelet gathering machine facts and connecting to containerd", "journal"},
    {"kubelet.sync_loop", "main sync loop", "kubelet.runtime kubelet.tls",
     "kubelet starting its managers and its watches of the API server", "journal"},
    {"node.registered", "node registered", "kubelet.sync_loop kubelet.runtime kubelet.tls",
     "kubelet's first node object to be accepted by the API server", "journal"},
    {"node.ready", "NodeReady", "node.registered kubelet.sync_loop",
     "the container network and kubelet's next status report", "journal"},
    {"pod.running", "first pod running", "node.ready node.registered",
     "a pod to be scheduled, its images to be pulled and its containers to start", "journal"},
    {"cse.done", "CSE finish", "cse.start", "the provisioning script", "guest-agent events"},
    {"provision.complete", "provision complete", "cse.done controller.start kubelet.started",
     "the controller publishing the result", "run record, aks-node-controller.log"},
    {"cloudinit.final.start", "cloud-init final stage", "cloudinit.config.start",
     "cloud-init's config stage and multi-user units", "systemd, journal"},
    {"cloudinit.final.done", "cloud-init done", "cloudinit.final.start", "cloud-init's final modules",
     "systemd, journal"},
};

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

std::span<const MilestoneRule> milestones() {
  return kMilestones;
}

const MilestoneRule* find_milestone(std::string_view id) {
  for (const MilestoneRule& rule : kMilestones)
    if (rule.id == id) return &rule;
  return nullptr;
}

bool is_step_end(std::string_view id) {
  return (id.starts_with("step:") || id.starts_with("script:")) && id.ends_with(":end");
}

std::string_view kubelet_milestone(std::string_view message) {
  // Messages of kubelet 1.20 to 1.36. Lines that print a flag may contain any of them and are skipped.
  if (has(message, "FLAG:")) return "";
  if (has(message, "certificate signing request csr-") && has(message, " is issued")) return "kubelet.tls";
  if (has(message, "ertificate signing request is issued")) return "kubelet.tls";
  if (has(message, "Container runtime") && has(message, "initialized")) return "kubelet.runtime";
  if (has(message, "Starting kubelet main sync loop")) return "kubelet.sync_loop";
  if (has(message, "Successfully registered node")) return "node.registered";
  if (has(message, "NodeReady") || has(message, "Fast updating node status as it just became ready"))
    return "node.ready";
  if (has(message, "Observed pod startup duration")) return "pod.running";
  return "";
}

}  // namespace sunup::timeline
