// The environment of every verb: the machine below its root, the files on the command line, the log and the guest-agent
// events.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/secret.h"
#include "host/files.h"
#include "host/host.h"
#include "host/loop.h"
#include "host/processes.h"
#include "host/task.h"
#include "host/watch.h"
#include "redaction/redactor.h"
#include "report/guest_events.h"
#include "report/log.h"

namespace sunup::controller {

struct Node {
  host::Loop& loop;
  host::Files& files;          // below the root
  host::Files& callers_files;  // named on the command line, maybe by a relative path; not below the root
  host::Processes& processes;
  host::Watch& watch;
  host::Host& host;  // the whole machine, for native provisioning; with a root, most of it is not touched
  report::Log& log;
  redaction::Redactor& redactor;  // `log` uses it; a value hidden here is hidden everywhere
  std::string root;               // empty, or the directory that is used as "/"
  std::string version;            // of this program
  mode_t umask = 022;
  std::optional<Error> boot_trouble = {};  // why host.boot_id is not known
  bool leaves_traces = true;    // false: neither the log nor the guest agent's events are written, only stderr
  Secret bootstrap_token = {};  // of the config or command that was read last, for the result service; empty: none

  std::string on_machine(std::string_view path) const { return root + std::string(path); }
  report::WallTime now() const { return loop.wall().time_since_epoch().count(); }

  // Writes a file for the guest agent. A failure is logged and has no other effect.
  void tell_guest_agent(report::GuestEvent event);
};

// The absolute form of a path on the command line, for errors that name it. An error if the path is relative to a
// working directory that no longer exists.
Result<std::string> callers_path(const std::string& path);

// Notifies systemd that the unit of this process, of type notify, is started. Does nothing in other processes.
host::Task<void> tell_systemd(Node& node);

// Whether the machine is shutting down. A shutdown stops all programs, so a failure of provisioning at that time must
// not leave a result: a result would prevent the next boot from resuming.
host::Task<bool> going_down(Node& node);

// Reports the start and the end of a verb to the log and to the guest agent.
class TaskReport {
 public:
  TaskReport(Node& node, std::string task, bool dry_run = false);

  void succeeded();
  void failed(const std::string& error);

 private:
  void event(report::EventLevel level, std::string message);

  Node& node_;
  const std::string task_;
  const report::WallTime start_;
};

}  // namespace sunup::controller
