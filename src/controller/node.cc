#include "controller/node.h"

#include <limits.h>
#include <unistd.h>

#include <cerrno>

#include "base/node_paths.h"
#include "controller/child_environment.h"
#include "controller/os_reason.h"

namespace sunup::controller {

void Node::tell_guest_agent(report::GuestEvent event) {
  if (!leaves_traces) return;
  event.message = redactor.redact(event.message);
  if (const auto made = files.make_directories(paths::kEvents); !made) {
    log.error("failed to create events logging directory",
              {{"path", paths::kEvents},
               {"error", std::string("mkdir ") + paths::kEvents + ": " + os_reason(made.error().os_errno)}});
    return;
  }
  // The file name is the time, so two events of the same nanosecond need different names.
  std::string name;
  std::string path;
  for (report::WallTime written = now();; ++written) {
    name = report::event_file_name(written);
    path = std::string(paths::kEvents) + "/" + name;
    if (const auto there = files.exists(path); !there || !*there) break;
  }
  // The file must appear atomically: the agent may read the directory at any moment and removes all its files. So the
  // event is written elsewhere and renamed.
  const std::string unfinished = std::string(paths::kExtensionLogs) + "/." + name;
  auto done = files.write(unfinished, report::to_json(event), 0644 & ~umask);
  if (done) done = files.rename(unfinished, path);
  if (done) return;
  log.error("failed to write event file", {{"path", path}, {"error", done.error().what}});
  (void)files.remove(unfinished);
}

Result<std::string> callers_path(const std::string& path) {
  if (path.starts_with('/')) return path;
  char here[PATH_MAX];
  if (getcwd(here, sizeof here) == nullptr) return Error::from_errno(errno, path + ": the working directory");
  return std::string(here) + "/" + path;
}

host::Task<void> tell_systemd(Node& node) {
  const auto variables = by_name(inherited_environment());
  const auto socket = variables.find("NOTIFY_SOCKET");
  if (socket == variables.end() || !socket->second.starts_with('/')) co_return;
  const auto told = co_await node.host.network.send(socket->second, "READY=1");
  if (!told) node.log.warn("cannot report to systemd that the unit is started", {{"error", told.error().what}});
}

host::Task<bool> going_down(Node& node) {
  if (!node.root.empty()) co_return false;  // the state of the machine does not matter below another root
  const auto stops =
      co_await host::within(node.loop, std::chrono::seconds(2), node.host.units.machine_stops(), "systemd's state");
  co_return stops && *stops;
}

TaskReport::TaskReport(Node& node, std::string task, bool dry_run)
    : node_(node), task_(std::move(task)), start_(node.now()) {
  // A dry run must be recognisable in the log, even if it ends before it prints anything.
  if (dry_run)
    node_.log.info(report::messages::kStarted, {{"task", task_}, {"dryRun", true}});
  else
    node_.log.info(report::messages::kStarted, {{"task", task_}});
  node_.tell_guest_agent({.task = task_,
                          .level = report::EventLevel::kInformational,
                          .message = "Starting",
                          .start = start_,
                          .end = start_});
}

void TaskReport::event(report::EventLevel level, std::string message) {
  node_.tell_guest_agent({.task = task_,
                          .level = level,
                          .message = std::move(message),
                          .start = start_,
                          .end = node_.now(),
                          .may_be_cut = true});
}

void TaskReport::succeeded() {
  event(report::EventLevel::kInformational, "Completed");
  node_.log.info(report::messages::kSucceeded);
}

void TaskReport::failed(const std::string& error) {
  event(report::EventLevel::kError, "aks-node-controller exited with error " + error);
  node_.log.error(report::messages::kFailed, {{"error", error}});
}

}  // namespace sunup::controller
