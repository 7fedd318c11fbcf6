#include "render/node/gpu.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/exit_code.h"
#include "base/text.h"
#include "base/version.h"
#include "render/cloud.h"
#include "render/gpu_driver.h"
#include "render/node/containerd_files.h"
#include "render/node/registry.h"
#include "render/node/unit_text.h"

namespace sunup::render::node {
namespace {

constexpr const char* kManagedMarker = "/opt/azure/containers/managed-gpu-experience.enabled";

// T4 and V100 are older than NVIDIA's open kernel modules.
bool needs_proprietary_driver(std::string_view vm_size) {
  const std::string size = unicode::lowered(vm_size);
  if (size.find("_t4_") != std::string::npos || size.starts_with("standard_nd40")) return true;
  return size.starts_with("standard_nc") && size.ends_with("_v3");
}

NodeFile dropin(std::string_view unit, std::string_view name, UnitText text) {
  return {fmt::format("/etc/systemd/system/{}.service.d/{}", unit, name), 0644, std::move(text).take()};
}

// The generation of the device description fails harmlessly while the driver is being replaced.
NodeFile tolerate_cdi_failure() {
  UnitText text;
  text.section("Service").set("SuccessExitStatus", "1 2 127");
  return dropin("nvidia-cdi-refresh", "10-aks-tolerate-generate-failure.conf", std::move(text));
}

// Keeps the driver loaded while it has no users; otherwise its next user would have to wait for it.
NodeFile persistence_daemon() {
  UnitText text;
  text.section("Unit").set("Description", "NVIDIA persistence daemon");
  text.section("Service")
      .set("Type", "forking")
      .set("ExecStart", "/usr/bin/nvidia-persistenced --verbose")
      .set("ExecStopPost", "/bin/rm -rf /var/run/nvidia-persistenced")
      .set("Restart", "always");
  text.section("Install").set("WantedBy", "multi-user.target");
  return {"/etc/systemd/system/nvidia-persistenced.service", 0644, std::move(text).take()};
}

// systemd identifies devices by number. Without these links containers lose access to their GPUs at every reload of
// units.
NodeFile device_links() {
  return {"/etc/udev/rules.d/71-nvidia-dev-char.rules", 0644,
          "ACTION==\"add\", DEVPATH==\"/bus/pci/drivers/nvidia\", "
          "RUN+=\"/usr/bin/nvidia-ctk system create-dev-char-symlinks --create-all\"\n"};
}

NodeFile mig_profile(const Configuration& config) {
  UnitText text;
  text.section("Service")
      .environment("GPU_INSTANCE_PROFILE", config.gpu_config().gpu_instance_profile())
      .environment("NVIDIA_MIG_PROFILE_LAYOUT", joined(config.gpu_config().mig_profile_layout(), ","));
  return dropin("mig-partition", "10-mig-profile.conf", std::move(text));
}

NodeFile device_plugin(const Configuration& config) {
  const bool mixed = config.gpu_config().mig_strategy() == "Mixed";
  const std::string strategy = is_mig_node(config) ? (mixed ? " --mig-strategy mixed" : " --mig-strategy single") : "";
  UnitText text;
  text.section("Service")
      .set("ExecStart", "")
      .set("ExecStart", "/usr/bin/nvidia-device-plugin" + strategy + " --pass-device-specs");
  return dropin("nvidia-device-plugin", "10-aks-device-plugin.conf", std::move(text));
}

NodeFile dcgm_exporter() {
  UnitText text;
  text.section("Service")
      .set("StandardOutput", "journal")
      .set("StandardError", "journal")
      .set("ExecStart", "")
      .set("ExecStart", "/usr/bin/dcgm-exporter --address \":19400\"");
  return dropin("nvidia-dcgm-exporter", "10-aks-override.conf", std::move(text));
}

Result<NodeFile> dra_driver(const NodeFacts& facts) {
  if (facts.hostname.find_first_of(" \t\"'\\%$\n") != std::string::npos) {
    return Error("the host name is not one").with_code(exit_code::kEnableManagedGpuExperience);
  }
  UnitText text;
  text.section("Unit")
      .set("Requires", "kubelet.service")
      .set("After", "kubelet.service")
      .section("Service")
      .set("ExecStart", "")
      .set("ExecStart",
           fmt::format("/usr/bin/gpu-kubelet-plugin --kubeconfig /var/lib/kubelet/kubeconfig --container-driver-root / "
                       "--image-name \"\" --node-name={}",
                       unicode::lowered(facts.hostname)));
  return dropin("dra-driver-nvidia-gpu", "10-aks-dra-driver.conf", std::move(text));
}

// A command does not contain the VM's size. The metadata service returns it, and the command contains the driver.
std::string vm_size(const Configuration& config, const NodeFacts& facts) {
  if (!config.vm_size().empty() || !facts.imds) return config.vm_size();
  return facts.imds->vm_size;
}

GpuDriver driver_of(const Configuration& config, const NodeFacts& facts) {
  const std::string* type = config.vm_size().empty() ? facts.sent_text("GPU_DRIVER_TYPE") : nullptr;
  if (type == nullptr) return gpu_driver(vm_size(config, facts), facts.gpu_images);
  const std::string* version = facts.sent_text("GPU_DRIVER_VERSION");
  return gpu_driver_as_sent(*type, version ? *version : "", facts.gpu_images);
}

bool wants_fabric_manager(const Configuration& config, const NodeFacts& facts) {
  const std::string* sent = config.vm_size().empty() ? facts.sent_text("GPU_NEEDS_FABRIC_MANAGER") : nullptr;
  return sent ? *sent == "true" : needs_fabric_manager(vm_size(config, facts));
}

bool has_wanted_gpu(const Configuration& config, const NodeFacts& facts) {
  return config.gpu_config().enable_nvidia() && !skips_gpu_driver(config, facts);
}

}  // namespace

Result<DriverPlan> driver_plan(const Configuration& config, const NodeFacts& facts) {
  DriverPlan plan;
  if (!has_wanted_gpu(config, facts) || facts.arch == "arm64") return plan;
  const GpuDriver driver = driver_of(config, facts);
  plan.action = config.gpu_config().config_gpu_driver() ? DriverAction::kInstall : DriverAction::kValidate;
  plan.type = driver.type;
  plan.fabric_manager = wants_fabric_manager(config, facts);
  const std::string name = fmt::format("aks/aks-gpu-{}:{}-{}", driver.type, driver.image.version, driver.image.suffix);
  plan.image = fmt::format("{}/{}", kMicrosoftRegistry, name);
  const bool china = azure_cloud(config) == AzureCloud::kChina || facts.tag("E2EMockAzureChinaCloud");
  plan.pull = china ? "mcr.azure.cn/" + name : plan.image;
  if (traits(facts.distro).packages == PackageFormat::kDeb) return plan;
  if (!traits(facts.distro).nvidia) {
    return Error("NVIDIA GPUs are not supported on " + std::string(traits(facts.distro).name))
        .with_hint("use an Ubuntu or Azure Linux image for this VM size")
        .with_code(exit_code::kFailed);
  }
  plan.image.clear();
  plan.pull.clear();
  if (plan.type == "grid-v20") {
    return Error("the GRID v20 driver of " + vm_size(config, facts) + " exists for Ubuntu only")
        .with_code(exit_code::kNvidiaDriverInstall);
  }
  plan.form = plan.type == "grid"                                ? DriverForm::kVirtualGpu
              : needs_proprietary_driver(vm_size(config, facts)) ? DriverForm::kCudaProprietary
                                                                 : DriverForm::kCudaOpen;
  plan.licence_service = plan.form == DriverForm::kVirtualGpu;
  return plan;
}

std::string_view driver_package_name(DriverForm form) {
  switch (form) {
    case DriverForm::kCudaOpen:
      return "cuda-open";
    case DriverForm::kCudaProprietary:
      return "cuda";
    case DriverForm::kVirtualGpu:
      return "nvidia-vgpu-guest-driver";
    case DriverForm::kContainerImage:
      break;
  }
  return {};
}

std::string newest_driver_package(std::string_view listed, DriverForm form, std::string_view kernel_release) {
  const std::string prefix = std::string(driver_package_name(form)) + "-";
  std::string kernel = "_" + std::string(kernel_release);
  std::replace(kernel.begin(), kernel.end(), '-', '.');  // in the form of a package's release
  std::string_view newest;
  for (const std::string_view package : unicode::words(listed)) {
    // The name "cuda-open-" also starts with "cuda-".
    if (!package.starts_with(prefix) || package.size() == prefix.size() || !is_digit(package[prefix.size()])) continue;
    const size_t built_for = package.find(kernel);
    if (built_for == std::string_view::npos) continue;
    const std::string_view rest = package.substr(built_for + kernel.size());
    if (!rest.empty() && rest[0] != '.') continue;  // a longer kernel release
    if (newest.empty() || natural_order(newest, package) < 0) newest = package;
  }
  return std::string(newest);
}

ManagedGpu managed_gpu(const Configuration& config, const NodeFacts& facts) {
  if (!has_wanted_gpu(config, facts)) return ManagedGpu::kOff;
  const bool plugin = config.gpu_config().enable_managed_gpu() || facts.tag("EnableManagedGPUExperience");
  const bool dra = config.gpu_config().enable_managed_gpu_dra();
  if (plugin && dra) return ManagedGpu::kContradiction;
  if (dra) return ManagedGpu::kDra;
  return plugin ? ManagedGpu::kDevicePlugin : ManagedGpu::kOff;
}

std::vector<std::string_view> managed_gpu_packages() {
  return {"datacenter-gpu-manager-4-core", "datacenter-gpu-manager-4-proprietary", "dcgm-exporter"};
}

std::string_view offering_package(ManagedGpu way) {
  return way == ManagedGpu::kDra ? "dra-driver-nvidia-gpu" : "nvidia-device-plugin";
}

std::vector<std::string_view> managed_gpu_units() {
  return {"nvidia-device-plugin.service", "dra-driver-nvidia-gpu.service", "nvidia-dcgm.service",
          "nvidia-dcgm-exporter.service"};
}

std::string prebaked_driver(const NodeFacts& facts) {
  if (traits(facts.distro).packages != PackageFormat::kDeb || !facts.has(kPrebakeMarker)) return "";
  constexpr std::string_view kKind = "driver_kind=";
  for (const std::string_view word : unicode::words(facts.text(kPrebakeMarker)))
    if (word.starts_with(kKind)) return std::string(word.substr(kKind.size()));
  return "cuda";  // the first markers existed for one kind only
}

bool drops_prebaked_driver(const Configuration& config, const NodeFacts& facts) {
  const std::string kind = prebaked_driver(facts);
  if (kind.empty()) return false;
  if (!has_wanted_gpu(config, facts)) return true;
  const auto plan = driver_plan(config, facts);
  return plan && plan->action != DriverAction::kNone && plan->type.starts_with("grid") && kind != "grid";
}

std::vector<std::string> prebaked_driver_paths(const NodeFacts& facts) {
  std::vector<std::string> paths = {"/var/lib/dkms/nvidia", "/usr/bin/lib64", "/etc/ld.so.conf.d/nvidia.conf"};
  for (const char* program : {"smi", "debugdump", "persistenced", "cuda-mps-control", "cuda-mps-server", "modprobe",
                              "bug-report.sh", "powerd", "ngx-updater", "sleep.sh"})
    paths.push_back(fmt::format("/usr/bin/nvidia-{}", program));
  for (const std::string& kernel : facts.names_in("/lib/modules")) {
    const std::string folder = "/lib/modules/" + kernel + "/updates/dkms";
    for (const std::string& name : facts.names_in(folder))
      if (name.starts_with("nvidia") && name.find(".ko") != std::string::npos) paths.push_back(folder + "/" + name);
  }
  return paths;
}

bool is_mig_node(const Configuration& config) {
  // The scripts' MIG_NODE depends on the profile only (cse_variables.cc), but the image's partitioning also accepts a
  // layout without a profile.
  return !config.gpu_config().gpu_instance_profile().empty() || config.gpu_config().mig_profile_layout_size() > 0;
}

Result<NodeFiles> gpu_files(const Configuration& config, const NodeFacts& facts) {
  auto plan = driver_plan(config, facts);
  // The real tags may disable the driver, in which case its absence does not matter.
  if (!plan && facts.imds && facts.imds->foreseen) return NodeFiles{};
  if (!plan) return plan.error();
  NodeFiles files;
  if (plan->action == DriverAction::kInstall && plan->form == DriverForm::kContainerImage) {
    files.push_back(tolerate_cdi_failure());
  }
  if (plan->action == DriverAction::kInstall && traits(facts.distro).packages == PackageFormat::kRpm) {
    files.push_back(persistence_daemon());
    files.push_back(device_links());
  }
  if (has_wanted_gpu(config, facts) && is_mig_node(config)) files.push_back(mig_profile(config));
  switch (managed_gpu(config, facts)) {
    case ManagedGpu::kContradiction:
      return Error("managed GPUs cannot be offered both by the device plugin and by dynamic resource allocation")
          .with_hint("set only one of gpu_config.enable_managed_gpu and gpu_config.enable_managed_gpu_dra")
          .with_code(exit_code::kEnableManagedGpuExperience);
    case ManagedGpu::kDevicePlugin:
      files.push_back(device_plugin(config));
      files.push_back(dcgm_exporter());
      files.push_back({kManagedMarker, 0644, ""});
      break;
    case ManagedGpu::kDra: {
      auto driver = dra_driver(facts);
      if (!driver) return driver.error();
      files.push_back(*std::move(driver));
      files.push_back({kManagedMarker, 0644, ""});
      break;
    }
    case ManagedGpu::kOff:
      break;
  }
  return files;
}

std::vector<std::string> gpu_cleanup_paths(const Configuration& config, const NodeFacts& facts) {
  if (has_wanted_gpu(config, facts)) {
    return managed_gpu(config, facts) == ManagedGpu::kOff ? std::vector<std::string>{kManagedMarker}
                                                          : std::vector<std::string>();
  }
  if (!traits(facts.distro).gpu_caches) return {};
  std::vector<std::string> paths = {"/usr/local/nvidia", "/opt/gpu"};
  if (traits(facts.distro).packages == PackageFormat::kSysext) return paths;
  for (const char* package : {"datacenter-gpu-manager-4-core", "datacenter-gpu-manager-4-proprietary", "dcgm-exporter",
                              "nvidia-device-plugin", "dra-driver-nvidia-gpu"}) {
    paths.push_back(std::string("/opt/") + package);
  }
  paths.emplace_back(kManagedMarker);
  return paths;
}

}  // namespace sunup::render::node
