// Container images: their alternative names in China, and streaming them instead of pulling them completely.

#include "base/exit_code.h"
#include "base/node_paths.h"
#include "base/text.h"
#include "plan/prestart.h"
#include "plan/subjects.h"
#include "render/cloud.h"

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;

bool in_china(const Subject& s) {
  return render::azure_cloud(s.config) == render::AzureCloud::kChina;
}

const std::string& pause_image(const Subject& s) {
  return s.config.kube_binary_config().pod_infra_container_image_url();
}

// Cached images have the name they were pulled with, but kubelet requests them by the local name.
Task<Result<void>> retag(Context& c, SubjectPtr s) {
  if (s->files_only) co_return c.leave_out("give cached images their other names");
  if (auto there = co_await c.host.watch.socket_accepts(kContainerdSocket); !there) co_return there;
  auto list = co_await c.host.processes.run(host::command("ctr", "--namespace", "k8s.io", "images", "ls", "-q"));
  if (!list) co_return std::move(list).error();
  if (!list->ok()) co_return list->as_error("ctr images ls");
  std::string_view names = list->out;
  while (!names.empty()) {
    const std::string name(take_until(names, '\n'));
    const Names others = names_in_china(name);
    if (others.empty() || name.find('@') != std::string::npos) continue;
    host::Command tag = host::command("ctr", "--namespace", "k8s.io", "images", "tag", "--force", name);
    tag.argv.insert(tag.argv.end(), others.begin(), others.end());
    auto tagged = co_await c.host.processes.run(std::move(tag));
    if (!tagged) co_return std::move(tagged).error();
    if (!tagged->ok()) c.note(tagged->as_error("ctr images tag " + name).what);
  }
  co_return Result<void>();
}

bool is_isolated(const Subject& s) {
  return !s.config.bootstrap_profile_container_registry_server().empty() && !pause_image(s).empty();
}

// containerd has no credentials of its own, so the pause image, with which every pod starts, must be pulled beforehand.
Task<Result<void>> have_pause_image(Context& c, SubjectPtr s) {
  if (s->files_only) co_return c.leave_out("pull " + pause_image(*s));
  const std::string image = pause_image(*s);
  const std::string filter = "name==" + image;
  auto known = co_await c.host.processes.run(host::command("ctr", "-n", "k8s.io", "images", "ls", "-q", filter));
  if (!known) co_return std::move(known).error();
  if (known->out.find(image) != std::string::npos) co_return Result<void>();
  std::vector<host::Command> commands;
  commands.push_back(host::command("ctr", "-n", "k8s.io", "images", "pull", "--hosts-dir", paths::kRegistryHosts, image)
                         .with_limit(120s));
  commands.push_back(host::command("ctr", "-n", "k8s.io", "images", "label", image, "io.cri-containerd.pinned=pinned"));
  for (host::Command& command : commands) {
    const std::string what = "ctr images " + command.argv[4];
    auto exit = co_await c.host.processes.run(std::move(command));
    if (!exit) co_return std::move(exit).error();
    if (!exit->ok())
      co_return exit->as_error(what).with_hint("use an image that has " + image +
                                               ", or a registry that allows anonymous access");
  }
  co_return Result<void>();
}

bool streams(const Subject& s) {
  return s.config.enable_artifact_streaming();
}

Task<Result<void>> start_streaming(Context& c, SubjectPtr s) {
  if (!s->files_only)
    if (auto there = co_await c.host.watch.socket_accepts(kContainerdSocket); !there) co_return there;
  Names units = c.step.units;
  if (auto enabled = co_await c.host.units.enable(std::move(units)); !enabled) co_return enabled;
  for (const std::string& unit : c.step.units)
    if (auto started = co_await c.host.units.start(unit); !started) co_return started;
  constexpr char kSetup[] = "/opt/acr/tools/mirror/setup.sh";
  const auto setup = c.host.files.info_if_there(kSetup);
  if (!setup) co_return setup.error();
  host::Command configure = *setup && ((*setup)->mode & 0111) != 0
                                ? host::command(kSetup, "aks")
                                : host::command("/opt/acr/bin/acr-config", "--enable-containerd", "azurecr.io");
  auto exit = co_await c.host.processes.run(std::move(configure));
  if (!exit) co_return std::move(exit).error();
  if (!exit->ok()) co_return exit->as_error("artifact streaming setup");
  co_return Result<void>();
}

}  // namespace

Names names_in_china(std::string_view image) {
  constexpr std::string_view kFrom = "mcr.microsoft.com/";
  if (!image.starts_with(kFrom)) return {};
  const std::string rest(image.substr(kFrom.size()));
  return {"mcr.azure.cn/" + rest, "mcr.azk8s.cn/" + rest};
}

Declarations image_steps() {
  return {
      {.name = "images.retag",
       .purpose = "gives cached images their names in Azure China",
       .original = "B32",
       .when = "the cloud is Azure China",
       .wanted = in_china,
       .phase = node::Phase::kBasePrep,
       .needs = {"containerd.started"},
       .after = {"gpu.driver"},
       .touches = {"container images"},
       .deadline = 120s,
       .exit_code = exit_code::kCtrOperationError,
       .body = retag},
      {.name = "images.pause",
       .purpose = "checks that the pause image is present, or pulls it",
       .original = "N23",
       .task = "AKS.CSE.ensureKubelet.ensurePodInfraContainerImage",
       .when = "the cluster is isolated from the network",
       .wanted = is_isolated,
       .needs = {"containerd.ready"},
       .after = {"registry.known", "kubelet.started"},
       .touches = {"container images"},
       .deadline = 300s,
       .retry = {.attempts = 5, .pause = 2s, .longest_pause = 10s},
       .exit_code = exit_code::kPullPodInfraContainerImage,
       .body = have_pause_image},
      {.name = "images.streaming",
       .purpose = "starts the services that stream container images",
       .original = "B43",
       .task = "AKS.CSE.ensureContainerd.ensureArtifactStreaming",
       .when = "the config asks for artifact streaming",
       .wanted = streams,
       .phase = node::Phase::kBasePrep,
       .needs = {"containerd.started"},
       .units = {"acr-mirror.service", "overlaybd-tcmu.service", "overlaybd-snapshotter.service"},
       .deadline = 120s,
       .retry = {.attempts = 10, .pause = 1s, .longest_pause = 5s},
       .exit_code = exit_code::kArtifactStreamingInstall,
       .body = start_streaming},
  };
}

}  // namespace sunup::plan
