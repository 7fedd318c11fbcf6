// NVIDIA GPUs: the decisions about drivers and the services around them, and the files that result. Only the decision
// is made here; plan/gpu.cc installs the driver.
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
  kNone,      // no GPU, an ARM machine, or a tag forbids it: remove what the image contains
  kInstall,   // install the driver
  kValidate,  // the driver is installed: check that it works
};

enum class DriverForm : uint8_t { kContainerImage, kCudaOpen, kCudaProprietary, kVirtualGpu };

struct DriverPlan {
  DriverAction action = DriverAction::kNone;
  DriverForm form = DriverForm::kContainerImage;
  std::string image;  // of kContainerImage: "mcr.microsoft.com/aks/aks-gpu-cuda-lts:580.1-2026"
  std::string pull;   // the same image in this cloud's registry; tagged with the name above after the pull
  std::string type;   // "cuda-lts", "cuda", "grid", "grid-v20"
  bool fabric_manager = false;
  bool licence_service = false;  // virtual GPUs outside Ubuntu
};

// Exit code 224 if there is no such driver for this distribution, 1 if the distribution does not support GPUs at all.
Result<DriverPlan> driver_plan(const Configuration& config, const NodeFacts& facts);

// Except on Ubuntu, the driver is a package that was built for one kernel: "cuda-open-580.1-1_6.6.57.1.2.azl3.x86_64".
std::string_view driver_package_name(DriverForm form);  // "cuda-open"
// The newest package for this kernel in a list with one package per line; empty if there is none.
std::string newest_driver_package(std::string_view listed, DriverForm form, std::string_view kernel_release);

enum class ManagedGpu : uint8_t { kOff, kDevicePlugin, kDra, kContradiction };

// By which of the two ways the config (or a tag) requests that services of the node offer GPUs to pods.
ManagedGpu managed_gpu(const Configuration& config, const NodeFacts& facts);

// The packages for it that an image has cached in /opt/<name>/downloads: those for metrics, and the one that offers the
// GPUs.
std::vector<std::string_view> managed_gpu_packages();
std::string_view offering_package(ManagedGpu way);
// The units that are disabled if GPUs are not managed.
std::vector<std::string_view> managed_gpu_units();

// The driver that is built into the image ("cuda", "grid"); empty if there is none.
std::string prebaked_driver(const NodeFacts& facts);
// True if the node needs no driver, or another kind than the built-in one.
bool drops_prebaked_driver(const Configuration& config, const NodeFacts& facts);
// The paths of the built-in driver; its modules are among the facts (/lib/modules/*/updates/dkms/nvidia*.ko*).
std::vector<std::string> prebaked_driver_paths(const NodeFacts& facts);
inline constexpr const char* kPrebakeMarker = "/opt/azure/aks-gpu/dkms-marker";

bool is_mig_node(const Configuration& config);  // GPUs partitioned into instances; needs a reboot at the end

// Drop-ins for the GPU units, and the managed-GPU marker. Exit code 123 if both ways of managing GPUs are requested.
Result<NodeFiles> gpu_files(const Configuration& config, const NodeFacts& facts);

// Directories and files that are removed from a node without a (requested) GPU driver, or without managed GPUs.
std::vector<std::string> gpu_cleanup_paths(const Configuration& config, const NodeFacts& facts);

}  // namespace sunup::render::node
