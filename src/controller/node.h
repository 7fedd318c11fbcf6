// What every verb works with: the machine below its root, the files its caller names, and the two places where it says
// what it does (log, guest-agent events).
#pragma once

#include <string>
#include <string_view>

#include "host/files.h"
#include "host/host.h"
#include "host/loop.h"
#include "host/processes.h"
#include "host/watch.h"
#include "report/guest_events.h"
#include "report/log.h"
#include "report/redactor.h"

namespace sunup::controller {

struct Node {
  host::Loop& loop;
  host::Files& files;          // below the root
  host::Files& callers_files;  // what the command line names: never below the root
  host::Processes& processes;
  host::Watch& watch;
  host::Host& host;  // all of the machine, for native provisioning; below a root most of it is left alone
  report::Log& log;
  report::Redactor& redactor;  // `log` uses it; hiding a value here hides it everywhere
  std::string root;            // empty, or the directory that counts as "/"
  std::string version;         // of this program
  mode_t umask = 022;
  bool leaves_traces = true;  // false: neither the log nor the guest agent's events are written, only stderr

  std::string on_machine(std::string_view path) const { return root + std::string(path); }
  report::WallTime now() const { return loop.wall().time_since_epoch().count(); }

  // A file for the guest agent. That it cannot be written is logged and changes nothing else.
  void tell_guest_agent(report::GuestEvent event);
};

// One run of a verb, said in the log and to the guest agent: that it started, and how it ended.
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
