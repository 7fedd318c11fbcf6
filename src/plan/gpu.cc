// NVIDIA GPUs: drivers, and the fabric between them.
#include <fmt/format.h>

#include <cerrno>

#include "base/exit_code.h"
#include "base/node_paths.h"
#include "plan/gpu.h"
#include "plan/prestart.h"
#include "plan/subjects.h"
#include "render/node/gpu.h"

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;

constexpr char kPersistence[] = "nvidia-persistenced.service";
constexpr char kLicence[] = "nvidia-gridd.service";
constexpr char kFabricManager[] = "nvidia-fabricmanager.service";
constexpr char kLoader[] = "nvidia-modprobe.service";  // loads the driver at every boot
constexpr char kProblemDetector[] = "node-problem-detector.service";

// The installer is a container image that accesses the host through two directories. It always has the same name
// locally, but the registry that it is pulled from depends on the cloud.
Task<Result<void>> have_installer(Context& c, std::string image, std::string pull) {
  const std::string filter = "name==" + image;
  auto known = co_await c.host.processes.run(host::command("ctr", "-n", "k8s.io", "images", "ls", "-q", filter));
  if (!known) co_return std::move(known).error();
  if (known->out.find(image) != std::string::npos) co_return Result<void>();
  host::Command fetch =
      host::command("ctr", "-n", "k8s.io", "images", "pull", "--hosts-dir", paths::kRegistryHosts, pull);
  fetch.limit = 120s;
  auto pulled = co_await run_gpu_program(c, std::move(fetch));
  if (!pulled || pull == image) co_return pulled;
  co_return co_await run_gpu_program(c, host::command("ctr", "-n", "k8s.io", "images", "tag", "--force", pull, image));
}

Task<Result<void>> install_driver(Context& c, std::string image, std::string pull) {
  if (auto there = co_await c.host.watch.socket_accepts(kContainerdSocket); !there) co_return there;
  for (const char* folder : {"/opt/gpu", "/opt/actions"})
    if (auto made = c.host.files.make_directories(folder); !made) co_return made;
  if (auto had = co_await have_installer(c, image, std::move(pull)); !had) co_return had;
  host::Command install =
      host::command("ctr", "-n", "k8s.io", "run", "--privileged", "--rm", "--net-host", "--with-ns",
                    "pid:/proc/1/ns/pid", "--mount", "type=bind,src=/opt/gpu,dst=/mnt/gpu,options=rbind", "--mount",
                    "type=bind,src=/opt/actions,dst=/mnt/actions,options=rbind", image, "gpuinstall", "/entrypoint.sh",
                    "install")
          .with_limit(600s);
  if (auto installed = co_await run_gpu_program(c, std::move(install)); !installed) co_return installed;
  // The image takes a gigabyte and is not needed again. Without a name it is garbage-collected.
  auto dropped = co_await run_gpu_program(c, host::command("ctr", "-n", "k8s.io", "images", "rm", image));
  if (!dropped) c.note(dropped.error().what);
  co_return Result<void>();
}

// Azure Linux: packages, one of which is built for exactly this kernel.
Task<Result<void>> install_packages(Context& c, node::DriverPlan plan, std::string kernel) {
  const std::string name(node::driver_package_name(plan.form));
  const std::string wanted = name + "-[0-9]*";
  auto listed = co_await c.host.processes.run(
      host::command("dnf", "repoquery", "-y", "--quiet", "--available", wanted).with_limit(120s));
  if (!listed) co_return std::move(listed).error();
  if (!listed->ok()) co_return listed->as_error("dnf repoquery").with_code(exit_code::kAptInstallTimeout);
  const std::string package = node::newest_driver_package(listed->out, plan.form, kernel);
  if (package.empty())
    co_return Error(fmt::format("there is no package {} for kernel {}", name, kernel))
        .with_hint("use an image whose kernel has one, or one with the driver and gpu_config.config_gpu_driver false")
        .with_code(exit_code::kMissingCudaPackage);
  std::vector<host::Command> commands;
  commands.push_back(host::command("dnf", "install", "-y", package).with_limit(600s));
  commands.push_back(host::command("dnf", "install", "-y", "nvidia-container-toolkit").with_limit(300s));
  commands.push_back(host::command("nvidia-ctk", "system", "create-dev-char-symlinks", "--create-all").with_limit(60s));
  if (plan.fabric_manager) {
    // The fabric manager works only with the driver of its own version.
    const std::string version = package.substr(name.size() + 1, package.find('-', name.size() + 1) - name.size() - 1);
    commands.push_back(host::command("dnf", "install", "-y", "nvidia-fabric-manager-" + version).with_limit(300s));
  }
  for (host::Command& command : commands) {
    const bool installs = command.argv[0] == "dnf";
    auto done = co_await run_gpu_program(c, std::move(command));
    if (!done && installs) co_return std::move(done).error().with_code(exit_code::kAptInstallTimeout);
    if (!done) co_return done;
  }
  Names services = {kPersistence};
  if (plan.licence_service) services.emplace_back(kLicence);
  Names enabled = services;
  if (auto done = co_await c.host.units.enable(std::move(enabled)); !done) co_return done;
  for (const std::string& service : services) {
    auto started = co_await c.host.units.restart(service);
    if (!started && service == kLicence) co_return std::move(started).error().with_code(exit_code::kSystemctlStartFail);
    if (!started) co_return started;
  }
  co_return Result<void>();
}

Task<Result<void>> put_driver(Context& c, node::DriverPlan plan, NodeFacts facts) {
  const bool packages = render::traits(facts.distro).packages == render::PackageFormat::kRpm;
  if (plan.form != node::DriverForm::kContainerImage && !packages)
    co_return Error(fmt::format("the {} driver can only be used if the image already contains it", plan.type))
        .with_hint("use an image with the driver and set gpu_config.config_gpu_driver to false");
  if (packages) co_return co_await install_packages(c, std::move(plan), facts.kernel_release);
  co_return co_await install_driver(c, plan.image, plan.pull);
}

Task<Result<void>> load_driver(Context& c) {
  co_return co_await run_gpu_program(c, host::command("nvidia-modprobe", "-u", "-c0").with_limit(25s));
}

// The image's own driver gets as much time as the original gives it. If the program is missing, there is nothing to
// wait for.
Task<Result<void>> load_image_driver(Context& c) {
  constexpr int kTries = 24;
  for (int i = 1;; ++i) {
    auto loaded = co_await load_driver(c);
    if (loaded || i == kTries || loaded.error().os_errno == ENOENT) co_return loaded;
    co_await c.host.loop.after(5s);
  }
}

Task<Result<void>> run_fabric_manager(Context& c, bool wanted, bool there) {
  if (wanted) {
    if (auto enabled = co_await c.host.units.enable({kFabricManager}); !enabled) co_return enabled;
    co_return co_await c.host.units.start(kFabricManager);
  }
  // The image starts it at boot. On a VM size without the fabric it always fails.
  if (!there) co_return Result<void>();
  if (auto stopped = co_await c.host.units.stop(kFabricManager); !stopped) co_return stopped;
  auto state = co_await c.host.units.state(kFabricManager);
  if (state && state->active == "failed") {
    auto forgotten = co_await run_gpu_program(c, host::command("systemctl", "reset-failed", kFabricManager));
    if (!forgotten) c.note(forgotten.error().what);
  }
  co_return co_await c.host.units.disable({kFabricManager});
}

bool has_loader(const NodeFacts& facts) {
  return render::traits(facts.distro).packages == render::PackageFormat::kDeb && facts.has_unit(kLoader);
}

// Makes later boots load the driver. The node problem detector is restarted so that it monitors the GPUs.
Task<Result<void>> keep_driver_loaded(Context& c, NodeFacts facts) {
  if (has_loader(facts)) {
    if (auto enabled = co_await c.host.units.enable({kLoader}); !enabled) co_return enabled;
    if (auto started = co_await c.host.units.start(kLoader); !started) co_return started;
  }
  if (!facts.has_unit(kProblemDetector)) co_return Result<void>();
  auto again = co_await c.host.units.restart(kProblemDetector, host::JobWait::kQueued);
  if (!again) c.note(again.error().what);
  co_return Result<void>();
}

Task<Result<void>> ready_driver(Context& c, SubjectPtr s) {
  auto facts = facts_now(c, *s);
  if (!facts) co_return std::move(facts).error();
  auto plan = node::driver_plan(s->config, *facts);
  if (!plan) co_return std::move(plan).error();
  if (plan->action == node::DriverAction::kNone) co_return Result<void>();
  if (s->files_only) co_return c.leave_out("install the GPU driver");
  const auto prebaked = c.host.files.exists(node::kPrebakeMarker);
  if (!prebaked) co_return prebaked.error();
  if (*prebaked && node::drops_prebaked_driver(s->config, *facts)) {
    if (auto dropped = co_await drop_prebaked_driver(c, *facts); !dropped) co_return dropped;
  }
  bool installs = plan->action == node::DriverAction::kInstall;
  if (!installs) {
    auto loaded = co_await load_image_driver(c);
    if (!loaded) c.note("the image's driver cannot be loaded, installing it: " + loaded.error().what);
    installs = !loaded;
  }
  if (installs) {
    if (auto installed = co_await put_driver(c, *plan, *facts); !installed) co_return installed;
    if (auto loaded = co_await load_driver(c); !loaded) co_return loaded;
  }
  if (auto works = co_await run_gpu_program(c, host::command("nvidia-smi").with_limit(30s)); !works) co_return works;
  if (auto linked = co_await run_gpu_program(c, host::command("ldconfig").with_limit(60s)); !linked) co_return linked;
  // containerd looks for NVIDIA's runtime only when it starts.
  auto again = co_await c.host.units.restart("containerd.service");
  if (!again) co_return std::move(again).error().with_code(exit_code::kGpuDriversInstallTimeout);
  if (auto kept = co_await keep_driver_loaded(c, *facts); !kept) co_return kept;
  co_return co_await run_fabric_manager(c, plan->fabric_manager, facts->has_unit(kFabricManager));
}

// The directories through which the driver's installer accesses the host, and the files of a driver of the other kind.
std::vector<FileEffect> driver_files(const Subject& s) {
  const auto plan = node::driver_plan(s.config, s.facts);
  if (!plan || plan->action == node::DriverAction::kNone) return {};
  std::vector<FileEffect> files;
  if (node::drops_prebaked_driver(s.config, s.facts)) files = prebaked_driver_files(s.facts);
  if (plan->action == node::DriverAction::kInstall && plan->form == node::DriverForm::kContainerImage)
    for (const char* folder : {"/opt/gpu", "/opt/actions"}) files.push_back({folder, 0755});
  return files;
}

Names driver_units(const Subject& s) {
  // Queried before the driver's packages add units of their own.
  const bool has_manager = s.facts.has_unit(kFabricManager);
  const bool has_detector = s.facts.has_unit(kProblemDetector);
  const bool loads = has_loader(s.facts);
  const auto plan = node::driver_plan(s.config, s.facts);
  if (!plan || plan->action == node::DriverAction::kNone) return {};
  Names units = {"containerd.service"};
  if (plan->action == node::DriverAction::kInstall &&
      render::traits(s.facts.distro).packages == render::PackageFormat::kRpm) {
    units.emplace_back(kPersistence);
    if (plan->licence_service) units.emplace_back(kLicence);
  }
  if (plan->fabric_manager || has_manager) units.emplace_back(kFabricManager);
  if (loads) units.emplace_back(kLoader);
  if (has_detector) units.emplace_back(kProblemDetector);
  return units;
}

// One VM size has AMD transcoders. Their drivers come from AMD's package repository and are built for exactly this
// kernel.
bool has_transcoder(const Subject& s) {
  const std::string& size = s.config.vm_size().empty() && s.facts.imds ? s.facts.imds->vm_size : s.config.vm_size();
  return size == "Standard_NM16ads_MA35D" && render::traits(s.facts.distro).amd_transcoders && s.facts.arch == "amd64";
}

Task<Result<void>> refuse_transcoder(Context&, SubjectPtr) {
  co_return Error("the drivers of this size's transcoders cannot be installed by the built-in steps")
      .with_hint("provision it with the image's scripts: --mode scripts");
}

}  // namespace

Task<Result<void>> run_gpu_program(Context& c, host::Command command) {
  const std::string what = command.argv[0];
  auto exit = co_await c.host.processes.run(std::move(command));
  if (!exit) co_return std::move(exit).error();
  if (!exit->ok()) {
    Error failed = exit->as_error(what);
    if (exit->out.find("infoROM is corrupted") != std::string::npos) failed.code = exit_code::kGpuInfoRomCorrupted;
    co_return failed;
  }
  co_return Result<void>();
}

Declarations gpu_steps() {
  return {
      {.name = "gpu.files",
       .purpose = "configures the services around GPUs",
       .original = "N15, N17, N18",
       .when = "the node has NVIDIA GPUs",
       .wanted = has_gpu,
       .needs = {kMetadata},
       .concerns = {"GPU"},
       .lasts = Lasts::kOnDisk,
       .exit_code = exit_code::kGpuDriversStartFail},
      {.name = "gpu.driver",
       .purpose = "installs the driver, or checks that the image's driver works",
       .original = "N14, N15, N16",
       .task = "AKS.CSE.ensureGPUDrivers",
       .when = "the node has NVIDIA GPUs",
       .wanted = has_gpu,
       .needs = {kMetadata, "gpu.files", "containerd.ready"},
       .provides = {"gpu.ready"},
       .files = driver_files,
       .more_units = driver_units,
       .touches = {"container images", "packages"},
       .deadline = 900s,
       .retry = {.attempts = 5, .pause = 2s, .longest_pause = 10s},
       .exit_code = exit_code::kGpuDriversStartFail,
       .body = ready_driver},
      {.name = "gpu.transcoder",
       .purpose = "refuses a size whose transcoders are not supported",
       .original = "N19",
       .when = "the size is Standard_NM16ads_MA35D, on Azure Linux",
       .wanted = has_transcoder,
       .exit_code = exit_code::kAmdamaDriverNotFound,
       .body = refuse_transcoder},
  };
}

}  // namespace sunup::plan
