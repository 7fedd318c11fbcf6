// The objects that main() creates for a verb: the real machine, and the log. Objects that a verb does not use are not
// opened.
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
  // The text of the error is the one line to print, because there is no log.
  static Result<std::unique_ptr<Program>> open(const std::string& root, bool keeps_log);

  controller::Node& node() { return node_; }
  controller::Node& node_to_provision();  // also sets what only provisioning needs
  host::real::Loop& loop() { return *loop_; }
  host::real::Watch& watch() { return watch_; }
  // For a dry run in a tree: the tree is not modified.
  void leave_no_traces() { node_.leaves_traces = false; }
  // Called before the program ends or executes another one: flushes the output, or logs that the reader is stalled.
  void finish_output();

 private:
  Program(std::unique_ptr<host::real::Loop> loop, const std::string& root);
  Result<void> open_log();
  void write_on_when_read();

  std::unique_ptr<host::real::Loop> loop_;
  std::map<int, host::real::FdWatch> unread_;  // by descriptor: output that its reader has not read yet
  host::real::Files files_;
  host::real::Files callers_files_;
  host::real::Processes processes_;
  host::real::Watch watch_;
  // For native provisioning. Each opens its resources on first use.
  host::real::Units units_;
  host::real::Kernel kernel_;
  host::real::Network network_;
  host::real::Work work_;
  host::LeftAlone left_alone_;
  host::Host host_;
  redaction::Redactor redactor_;
  host::Files* log_files_;
  std::string log_path_;
  report::Log log_;
  controller::Node node_;
};

// The exit code of an outcome. If the program was asked to stop, this function does not return: the program ends by the
// signal's default action, as the sender of the signal expects.
int exit_as(Program& program, const controller::Outcome& outcome);

}  // namespace sunup
