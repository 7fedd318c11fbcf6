// Managed GPUs: the services that offer the node's GPUs to pods, by device plugin or by dynamic resource allocation,
// and their metrics. Which of these services run, if any, is known once the metadata service has returned the tags.
#include <fmt/format.h>

#include "base/exit_code.h"
#include "base/version.h"
#include "plan/gpu.h"
#include "plan/subjects.h"
#include "render/node/gpu.h"

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;

constexpr char kPlugin[] = "nvidia-device-plugin.service";
constexpr char kDraDriver[] = "dra-driver-nvidia-gpu.service";
constexpr char kMetrics[] = "nvidia-dcgm.service";
constexpr char kMetricsExporter[] = "nvidia-dcgm-exporter.service";

// A tag cannot request this, so the config alone decides.
bool offers_by_dra(const Subject& s) {
  return has_gpu(s) && s.config.gpu_config().enable_managed_gpu_dra();
}

bool is_wanted(const Subject& s, const NodeFacts& facts) {
  const auto plan = node::driver_plan(s.config, facts);
  return !plan || plan->action != node::DriverAction::kNone;
}

// The newest cached package of this name in the image; empty if there is none.
Result<std::string> cached(Context& c, std::string_view package) {
  const std::string folder = fmt::format("/opt/{}/downloads", package);
  const auto names = c.host.files.list_if_there(folder);
  if (!names) return names.error();
  std::string newest;
  for (const std::string& name : *names)
    if ((name.ends_with(".deb") || name.ends_with(".rpm")) && (newest.empty() || natural_order(name, newest) > 0))
      newest = name;
  return newest.empty() ? std::string() : folder + "/" + newest;
}

Task<Result<void>> install_packages(Context& c, NodeFacts facts, std::vector<std::string_view> packages, int failed) {
  const bool deb = render::traits(facts.distro).packages == render::PackageFormat::kDeb;
  host::Command install = deb ? host::command("dpkg", "--install") : host::command("dnf", "install", "-y");
  for (const std::string_view package : packages) {
    auto file = cached(c, package);
    if (!file) co_return std::move(file).error();
    if (file->empty())
      co_return Error(fmt::format("the image lacks the package {}, which managed GPUs need", package))
          .with_hint("use an image that contains it, or disable managed GPUs")
          .with_code(exit_code::kManagedNvidiaExpInstallFail);
    install.argv.push_back(*std::move(file));
  }
  install.limit = 300s;
  if (deb) install.env.emplace_back("DEBIAN_FRONTEND=noninteractive");
  auto installed = co_await run_gpu_program(c, std::move(install));
  if (!installed) co_return std::move(installed).error().with_code(failed);
  co_return Result<void>();
}

// An image may have the packages installed already; then it has nothing cached.
Task<Result<void>> have_packages(Context& c, NodeFacts facts, node::ManagedGpu way) {
  const char* offers = way == node::ManagedGpu::kDra ? kDraDriver : kPlugin;
  auto metrics = node::managed_gpu_packages();
  const auto cached_metrics = cached(c, metrics.front());
  if (!cached_metrics) co_return cached_metrics.error();
  if (!facts.has_unit(kMetrics) || !facts.has_unit(kMetricsExporter) || !cached_metrics->empty())
    if (auto done = co_await install_packages(c, facts, std::move(metrics), exit_code::kNvidiaDcgmInstall); !done)
      co_return done;
  const std::string_view package = node::offering_package(way);
  const auto cached_offer = cached(c, package);
  if (!cached_offer) co_return cached_offer.error();
  if (facts.has_unit(offers) && cached_offer->empty()) co_return Result<void>();
  std::vector<std::string_view> one = {package};
  co_return co_await install_packages(c, std::move(facts), std::move(one), exit_code::kAptInstallTimeout);
}

// Missing metrics are not a reason to fail a node: the start is not awaited, and a failure is only noted.
Task<Result<void>> start_services(Context& c, std::string offers) {
  if (auto enabled = co_await c.host.units.enable({offers, kMetrics, kMetricsExporter}); !enabled) co_return enabled;
  if (auto offered = co_await c.host.units.start(std::move(offers)); !offered) co_return offered;
  for (const char* unit : {kMetrics, kMetricsExporter})
    if (auto queued = co_await c.host.units.start(unit, host::JobWait::kQueued); !queued) c.note(queued.error().what);
  co_return Result<void>();
}

Task<Result<void>> switch_off(Context& c, const NodeFacts& facts) {
  Names there;
  for (const std::string_view unit : node::managed_gpu_units())
    if (facts.has_unit(unit)) there.emplace_back(unit);
  for (const std::string& unit : there)
    if (auto stopped = co_await c.host.units.stop(unit); !stopped) c.note(stopped.error().what);
  if (there.empty()) co_return Result<void>();
  co_return co_await c.host.units.disable(std::move(there));
}

Task<Result<void>> offer_gpus(Context& c, SubjectPtr s) {
  auto facts = facts_now(c, *s);
  if (!facts) co_return std::move(facts).error();
  if (!is_wanted(*s, *facts)) co_return Result<void>();
  const node::ManagedGpu way = node::managed_gpu(s->config, *facts);
  if (way == node::ManagedGpu::kOff) co_return co_await switch_off(c, *facts);
  if (auto installed = co_await have_packages(c, *facts, way); !installed) co_return installed;
  // Installing a package usually makes systemd load its units. If it did not, reload here.
  auto unit = co_await c.host.units.state(way == node::ManagedGpu::kDra ? kDraDriver : kPlugin);
  if (!unit) co_return std::move(unit).error();
  if (!unit->exists())
    if (auto known = co_await c.host.units.reload(); !known) co_return known;
  if (way == node::ManagedGpu::kDra) co_return Result<void>();  // gpu.dra starts it once kubelet runs
  co_return co_await start_services(c, kPlugin);
}

Task<Result<void>> offer_by_dra(Context& c, SubjectPtr s) {
  auto facts = facts_now(c, *s);
  if (!facts) co_return std::move(facts).error();
  if (node::managed_gpu(s->config, *facts) != node::ManagedGpu::kDra) co_return Result<void>();
  co_return co_await start_services(c, kDraDriver);
}

// The units known without the tags. The tags can only add those of the device plugin.
Names offering_units(const Subject& s) {
  Names units;
  const bool plugin = node::managed_gpu(s.config, s.facts) == node::ManagedGpu::kDevicePlugin;
  for (const std::string_view unit : node::managed_gpu_units())
    if (s.facts.has_unit(unit) || (plugin && unit != kDraDriver)) units.emplace_back(unit);
  return units;
}

}  // namespace

Declarations gpu_offer_steps() {
  return {
      {.name = "gpu.plugin",
       .purpose = "enables or disables the device plugin, which offers GPUs to pods, and its metrics",
       .original = "N18",
       .when = "the node has NVIDIA GPUs; config and tags decide",
       .wanted = has_gpu,
       .needs = {kMetadata, "gpu.ready", "kubelet.load"},
       .after = {"gpu.partition"},
       .more_units = offering_units,
       .touches = {"packages"},
       .deadline = 600s,
       .exit_code = exit_code::kGpuDevicePluginStartFail,
       .body = offer_gpus},
      {.name = "gpu.dra",
       .purpose = "offers GPUs to pods through dynamic resource allocation",
       .original = "N29",
       .when = "managed GPUs through dynamic resource allocation",
       .wanted = offers_by_dra,
       .needs = {kMetadata, "gpu.plugin", "kubelet.started"},
       .units = {kDraDriver, kMetrics, kMetricsExporter},
       .deadline = 120s,
       .exit_code = exit_code::kDraDriverStartFail,
       .body = offer_by_dra},
  };
}

}  // namespace sunup::plan
