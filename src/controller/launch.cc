#include "controller/launch.h"

#include "base/node_paths.h"
#include "controller/check_hotfix.h"
#include "controller/child_environment.h"
#include "controller/download_hotfix.h"
#include "controller/os_reason.h"
#include "controller/result_files.h"
#include "controller/single_flight.h"
#include "host/running.h"

namespace sunup::controller {
namespace {

using namespace std::chrono_literals;

// The node name and certificates depend on the host name. The boot sets it within seconds; if not, the image is faulty.
constexpr host::Duration kHostnameLimit = 10min;
// The writer of a config of some KiB that has not finished after this time is stuck, or holds the file open for another
// reason.
constexpr host::Duration kWriterLimit = 1min;

constexpr char kCheckHotfix[] = "ENABLE_PROVISIONING_HOTFIX";

Result<bool> is_file(Node& node, const char* path) {
  const auto found = node.files.info_if_there(path);
  if (!found) return found.error();
  return *found && (*found)->kind == host::FileKind::kRegular;
}

// A hotfix that cannot be examined is logged and not used: the node is provisioned without it.
bool is_usable_hotfix(Node& node, const char* path) {
  const auto found = node.files.info_if_there(path);
  if (!found) node.log.warn("continuing without the hotfix", {{"error", found.error().what}});
  return found && *found && (*found)->kind == host::FileKind::kRegular && ((*found)->mode & 0111) != 0;
}

void read_features(Node& node) {
  const auto there = is_file(node, paths::kFeatures);
  if (there && !*there) return;
  const auto text = node.files.read(paths::kFeatures);
  if (!text) {
    node.log.warn("failed to read the features file", {{"error", text.error().what}});
    return;
  }
  add_to_environment(parse_features(*text));
}

host::Task<void> wait_for_writer(Node& node, const char* path) {
  auto written = node.watch.file_is_written(path);
  const auto done = co_await host::within(node.loop, kWriterLimit, std::move(written), "the writer of the file");
  if (!done)
    node.log.warn("continuing with a file that may be incomplete", {{"path", path}, {"error", done.error().what}});
}

// A problem with a hotfix never prevents a node from being provisioned.
host::Task<void> bring_hotfixes(Node& node) {
  const auto variables = by_name(inherited_environment());
  const auto wanted = variables.find(kCheckHotfix);
  if (wanted != variables.end() && wanted->second == "true") check_hotfix(node);
  const auto pointer = is_file(node, paths::kHotfixPointer);
  if (!pointer) node.log.warn("continuing without the hotfix", {{"error", pointer.error().what}});
  if (!pointer || !*pointer) co_return;
  const int code = co_await download_hotfix(node);
  if (code != 0) node.log.warn("continuing without the hotfix", {{"exitCode", code}});
}

// The hotfix contains scripts. If it does not know the command or fails, nothing changes.
host::Task<void> apply_scripts_of(Node& node, std::string hotfix) {
  host::Command command{.argv = {std::move(hotfix), "apply-embedded-hotfix"}, .env = inherited_environment()};
  command.limit = 1min;
  const auto exit = co_await node.processes.run(std::move(command));
  if (!exit)
    node.log.warn("continuing without the scripts of the hotfix", {{"error", exit.error().what}});
  else if (!exit->ok())
    node.log.warn("continuing without the scripts of the hotfix",
                  {{"error", exit->as_error("apply-embedded-hotfix").what}});
}

// Logs after 1 s, so that a boot that hangs here is visible. On most boots the name is already set, and nothing is
// logged.
host::Task<void> say_if_host_name_is_late(Node& node) {
  co_await node.loop.after(1s);
  node.log.info("waiting for the final host name", {{"path", paths::kHostName}});
}

host::Task<Result<void>> final_host_name(Node& node) {
  const host::Running say(node.loop, say_if_host_name_is_late(node));
  co_return co_await host::within(node.loop, kHostnameLimit, node.watch.hostname_is_final(),
                                  "the host name of the kernel to be the one in /etc/hostname");
}

// The outcome of provisioning if it has ended and nothing is left to do. Empty on an error: `provision` tries again and
// reports what cannot be read.
std::optional<Outcome> recorded_outcome(Node& node) {
  const auto owes = node.files.exists(paths::kUnfinished);
  const auto ended = has_ended(node);
  if (!owes || *owes || !ended || !*ended) return std::nullopt;
  const auto text = node.files.read(paths::kResult);
  const auto result = text ? report::parse_result(*text) : text.error();
  const auto code = result ? report::exit_code_of(*result) : result.error();
  if (!code) return controller_failure("provisioning has ended, but its result cannot be read: " + code.error().what);
  return outcome_of(*result);
}

// The result that is part of the image is not the result of this node.
void drop_result_of_image(Node& node) {
  const auto captured = is_captured_after_preparation(node);
  if (!captured || !*captured) return;
  node.log.info("this image was prepared: the result of its preparation is removed");
  auto cleared = clear_results(node);
  if (cleared) cleared = node.files.remove_durable(paths::kRun);
  if (!cleared)
    node.log.warn("failed to remove the result of the image's preparation", {{"error", cleared.error().what}});
}

host::Task<Launch> get_ready(Node& node, AfterFailure after_failure) {
  Launch launch;
  if (const auto final = co_await final_host_name(node); !final) {
    launch.ended = controller_failure("this node has no final host name: " + final.error().what);
    co_return launch;
  }
  const auto config = is_file(node, paths::kNodeConfig);
  const auto command = config ? is_file(node, paths::kNbcCommand) : config;
  if (!command) {
    launch.ended = controller_failure("cannot determine whether there is a node config: " + command.error().what);
    co_return launch;
  }
  if (*config) launch.options.config = node.on_machine(paths::kNodeConfig);
  if (*command) launch.options.nbc_command = node.on_machine(paths::kNbcCommand);
  if (!launch.options.given()) {
    node.log.info("there is no node config yet, nothing to do", {{"path", paths::kNodeConfig}});
    launch.ended = Outcome();
    co_return launch;
  }
  if (auto ended = recorded_outcome(node); ended && (ended->ok() || after_failure == AfterFailure::kStands)) {
    node.log.info("provisioning of this node has ended: its result stands",
                  {{"path", paths::kResult}, {"exitCode", ended->exit_code}});
    const auto final = recorded_result(node);  // the preparation of an image gets no marker
    if (final && *final) leave_marker_if_missing(node);
    launch.ended = std::move(ended);
    launch.recorded = true;
    co_return launch;
  }
  drop_result_of_image(node);
  for (const char* path : {paths::kFeatures, paths::kNodeConfig, paths::kNbcCommand})
    co_await wait_for_writer(node, path);
  read_features(node);
  if (const auto done = provisioned(node); done && !*done) co_await bring_hotfixes(node);
  if (is_usable_hotfix(node, paths::kHotfixBinary)) launch.hotfix = node.on_machine(paths::kHotfixBinary);
  if (!launch.hotfix.empty()) co_await apply_scripts_of(node, launch.hotfix);
  co_return launch;
}

}  // namespace

host::Task<Launch> prepare_launch(Node& node, AfterFailure after_failure) {
  node.log.info("launch started", {{"version", node.version}});
  auto ready = get_ready(node, after_failure);
  auto first = co_await host::first_of(node.loop, std::move(ready), node.watch.termination());
  Launch launch;
  if (first.index() == 0) {
    launch = std::move(std::get<0>(first));
  } else {
    co_await node.processes.settled();
    const int signal = std::get<1>(first);
    launch.ended =
        controller_failure("aks-node-controller was stopped before it could provision (" + signal_reason(signal) + ")");
    launch.ended->signal = signal;
  }
  if (launch.ended && !launch.ended->ok() && !launch.recorded) co_await leave_without_provision(node, *launch.ended);
  co_return launch;
}

std::vector<std::string> hotfix_argv(const Launch& launch) {
  std::vector<std::string> argv = {launch.hotfix, "provision"};
  if (!launch.options.config.empty()) argv.push_back("--provision-config=" + launch.options.config);
  if (!launch.options.nbc_command.empty()) argv.push_back("--nbc-cmd=" + launch.options.nbc_command);
  return argv;
}

}  // namespace sunup::controller
