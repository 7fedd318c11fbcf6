// The machine, whole: what a step gets to work with. host/real is this machine, host/sim a simulated one; nothing else
// in the house may touch a file, a process, a unit or a socket.
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
