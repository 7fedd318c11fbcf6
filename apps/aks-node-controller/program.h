// What main() puts together for a verb: the real machine, and the log. Nothing that a verb does not use is opened.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "controller/node.h"
#include "controller/outcome.h"
#include "host/left_alone.h"
#include "host/real/files.h"
#include "host/real/kernel.h"
#include "host/real/loop.h"
#include "host/real/network.h"
#include "host/real/processes.h"
#include "host/real/units.h"
#include "host/real/watch.h"
#include "host/real/work.h"

namespace sunup {

class Program {
 public:
  // The error is the one line that may still be said when there is no log.
  static Result<std::unique_ptr<Program>> open(const std::string& root, bool keeps_log);

  controller::Node& node() { return node_; }
  controller::Node& node_to_provision();  // with what no other verb needs to know of the machine
  host::real::Loop& loop() { return *loop_; }
  host::real::Watch& watch() { return watch_; }
  // For a dry run in a tree: the tree stays as it is.
  void leave_no_traces() { node_.leaves_traces = false; }
  // Before the program ends or becomes another one: what it said is read, or that it is not is in the log.
  void finish_output();

 private:
  Program(std::unique_ptr<host::real::Loop> loop, const std::string& root);
  Result<void> open_log();
  void write_on_when_read();

  std::unique_ptr<host::real::Loop> loop_;
  std::map<int, host::real::FdWatch> unread_;  // by descriptor: its reader has something to catch up with
  host::real::Files files_;
  host::real::Files callers_files_;
  host::real::Processes processes_;
  host::real::Watch watch_;
  // For native provisioning; each opens what it needs with its first call.
  host::real::Units units_;
  host::real::Kernel kernel_;
  host::real::Network network_;
  host::real::Work work_;
  host::LeftAlone left_alone_;
  host::Host host_;
  report::Redactor redactor_;
  host::Files* log_files_;
  std::string log_path_;
  report::Log log_;
  controller::Node node_;
};

// The exit code of an outcome. If we were asked to stop it does not return: we end as if the signal had never been
// handled, which is what whoever sent it expects to see.
int exit_as(Program& program, const controller::Outcome& outcome);

}  // namespace sunup
