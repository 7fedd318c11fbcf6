// NVIDIA GPUs: what is decided about drivers and the services around them, and the files that follow. Installing is not
// done here; this says which, or that there is nothing to do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

enum class DriverAction : uint8_t {
  kNone,      // no GPU, an ARM machine, or a tag that forbids it: clean up what the image brought
  kInstall,   // put the driver in
  kValidate,  // the driver is there: see that it works
};

enum class DriverForm : uint8_t { kContainerImage, kCudaOpen, kCudaProprietary, kVirtualGpu };

struct DriverPlan {
  DriverAction action = DriverAction::kNone;
  DriverForm form = DriverForm::kContainerImage;
  std::string image;  // of kContainerImage: "mcr.microsoft.com/aks/aks-gpu-cuda-lts:580.1-2026"
  std::string pull;   // the same image where this cloud has it; it is known by the name above afterwards
  std::string type;   // "cuda-lts", "cuda", "grid", "grid-v20"
  bool fabric_manager = false;
  bool licence_service = false;  // virtual GPUs outside Ubuntu
};

// Exit code 224 for a driver that does not exist for this distribution, 1 where GPUs are not supported at all.
Result<DriverPlan> driver_plan(const Configuration& config, const NodeFacts& facts);

// Outside Ubuntu the driver is a package that was built for one kernel: "cuda-open-580.1-1_6.6.57.1.2.azl3.x86_64".
std::string_view driver_package_name(DriverForm form);  // "cuda-open"
// The newest one for this kernel in a list, one a line; empty: there is none.
std::string newest_driver_package(std::string_view listed, DriverForm form, std::string_view kernel_release);

enum class ManagedGpu : uint8_t { kOff, kDevicePlugin, kDra, kContradiction };

// Which of the two ways the config (or a tag) wants GPUs offered to pods by services of the node.
ManagedGpu managed_gpu(const Configuration& config, const NodeFacts& facts);

// The packages that an image has cached for it, in /opt/<name>/downloads: those of the metrics, and the one that
// offers.
std::vector<std::string_view> managed_gpu_packages();
std::string_view offering_package(ManagedGpu way);
// What is switched off where GPUs are not managed.
std::vector<std::string_view> managed_gpu_units();

// Images may have a driver built in ("cuda", "grid"); empty: this one has none.
std::string prebaked_driver(const NodeFacts& facts);
// It is in the way of a node that wants none, and of one that needs the other kind.
bool drops_prebaked_driver(const Configuration& config, const NodeFacts& facts);
// What it has put where; modules are among the facts (/lib/modules/*/updates/dkms/nvidia*.ko*).
std::vector<std::string> prebaked_driver_paths(const NodeFacts& facts);
inline constexpr const char* kPrebakeMarker = "/opt/azure/aks-gpu/dkms-marker";

bool is_mig_node(const Configuration& config);  // GPUs cut into instances; needs a reboot at the end

// Drop-ins for the GPU units and the managed-GPU marker. Exit code 123 for both managed ways at once.
Result<NodeFiles> gpu_files(const Configuration& config, const NodeFacts& facts);

// Folders and files that a node without a (wanted) GPU driver does not keep, or without managed GPUs.
std::vector<std::string> gpu_cleanup_paths(const Configuration& config, const NodeFacts& facts);

}  // namespace sunup::render::node
