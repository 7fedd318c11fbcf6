// The whole machine, as a step uses it. host/real is the real machine, host/sim a simulated one. No other code may
// access a file, process, unit or socket.
#pragma once

#include "host/files.h"
#include "host/kernel.h"
#include "host/loop.h"
#include "host/network.h"
#include "host/processes.h"
#include "host/running.h"
#include "host/task.h"
#include "host/units.h"
#include "host/watch.h"
#include "host/work.h"

namespace sunup::host {

struct Host {
  Loop& loop;
  Files& files;
  Processes& processes;
  Units& units;
  Kernel& kernel;
  Network& network;
  Watch& watch;
  Work& work;
  std::string boot_id;  // changes with every boot
};

}  // namespace sunup::host
