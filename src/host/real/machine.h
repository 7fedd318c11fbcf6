// This machine: all real implementations of the host interfaces.
//
//   auto machine = real::Machine::open();
//   Result<void> done = machine->loop().run(provision(machine->host()));
#pragma once

#include <memory>
#include <string>

#include "host/host.h"
#include "host/left_alone.h"
#include "host/real/files.h"
#include "host/real/kernel.h"
#include "host/real/loop.h"
#include "host/real/network.h"
#include "host/real/processes.h"
#include "host/real/units.h"
#include "host/real/watch.h"
#include "host/real/work.h"

namespace sunup::host::real {

class Machine {
 public:
  // With a root other than "/": only files below it are used; units, kernel, network and programs are not touched.
  static Result<std::unique_ptr<Machine>> open(std::string root = "/");

  Loop& loop() { return *loop_; }
  Host& host() { return host_; }
  bool is_left_alone() const { return root_ != "/"; }
  const LeftAlone& left_alone() const { return left_alone_; }  // operations that were not performed, for the report

 private:
  Machine(std::unique_ptr<Loop> loop, std::string root, std::string boot);

  std::string root_;
  std::unique_ptr<Loop> loop_;
  LeftAlone left_alone_;
  Files files_;
  Processes processes_;
  Units units_;
  Kernel kernel_;
  Network network_;
  Watch watch_;
  Work work_;
  Host host_;
};

}  // namespace sunup::host::real
