// Waits for events on the machine. All waits are level-triggered: they return at once if the condition already holds,
// and miss no change between the check and the wait. None has its own time limit: see within() in running.h.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "host/task.h"

namespace sunup::host {

// One change of a network interface.
struct LinkChange {
  std::string name;   // "eth0"
  bool there = true;  // false: the interface was removed
  bool up = false;    // it is switched on and has a carrier
};

// The changes of the machine's network interfaces since this object was made, in order. Unlike the waits of Watch these
// are events: an interface that goes down and up again is two changes.
class LinkChanges {
 public:
  virtual ~LinkChanges() = default;
  // ENOBUFS: changes were lost, because they were not read in time.
  virtual Task<Result<LinkChange>> next() = 0;
};

class Watch {
 public:
  virtual ~Watch() = default;

  // The path exists. It may exist already, be created, be renamed into place, have directories that are created first
  // (or removed and created again meanwhile, or mounted over), or contain a symlink whose target appears later.
  virtual Task<Result<void>> path_appears(std::string path) = 0;

  // `differs` returns true. It is called at once, and again whenever a file at the path is created or renamed into
  // place. A change of the content in place does not count.
  virtual Task<Result<void>> path_differs(std::string path, std::function<bool()> differs) = 0;

  // A process listens at the address: a path is a Unix socket, "host:port" (a literal address) is TCP.
  virtual Task<Result<void>> socket_accepts(std::string address) = 0;

  // The process has ended, or its pid now belongs to a later process (unless start_ticks is 0: not known). For
  // processes that are not children; use Process for children.
  virtual Task<Result<void>> process_ends(pid_t pid, uint64_t start_ticks) = 0;

  // No process has the file open for writing, so its content is complete. Also true for a file that does not exist.
  virtual Task<Result<void>> file_is_written(std::string path) = 0;

  // The kernel's host name equals the one in /etc/hostname, which is not yet so early in a first boot.
  virtual Task<Result<void>> hostname_is_final() = 0;

  // One of the machine's interfaces has this (literal) address.
  virtual Task<Result<void>> address_appears(std::string address) = 0;

  // The machine has an address that other machines can reach: neither a loopback nor a link-local one.
  virtual Task<Result<void>> any_address() = 0;

  // The process was asked to stop (host/stop_signals.h); returns the number of the signal. From the first call on,
  // awaited or not, these signals do not end the process. A signal that has arrived stays pending.
  virtual Task<int> termination() = 0;

  virtual Result<std::unique_ptr<LinkChanges>> link_changes() = 0;
};

}  // namespace sunup::host
