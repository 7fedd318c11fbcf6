// Waiting for something to happen on the machine. All waits are level-triggered: what is already so returns at once,
// and nothing that happens between a look and the wait is lost. None has a limit of its own: see within() in running.h.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "host/task.h"

namespace sunup::host {

class Watch {
 public:
  virtual ~Watch() = default;

  // The path exists: whether it is there already, appears, is renamed into place, its directories come first (or are
  // removed and made again meanwhile, or mounted over), or a symlink on its way leads somewhere at last.
  virtual Task<Result<void>> path_appears(std::string path) = 0;

  // `differs` returns true. It is called at once, and again whenever something is put at the path: created there or
  // renamed into place. A change of the content in place does not count.
  virtual Task<Result<void>> path_differs(std::string path, std::function<bool()> differs) = 0;

  // Somebody listens: a path is a Unix socket, "host:port" (a literal address) is TCP.
  virtual Task<Result<void>> socket_accepts(std::string address) = 0;

  // The process has ended, or its number belongs to a later one by now. For processes that are not our children: those
  // are waited for by their Process.
  virtual Task<Result<void>> process_ends(pid_t pid, uint64_t start_ticks) = 0;

  // Nobody has the file open for writing: what is read from now on is whole. So is what is not there.
  virtual Task<Result<void>> file_is_written(std::string path) = 0;

  // The kernel's host name is the one in /etc/hostname: early in a first boot it is not yet.
  virtual Task<Result<void>> hostname_is_final() = 0;

  // One of the machine's interfaces has this (literal) address.
  virtual Task<Result<void>> address_appears(std::string address) = 0;

  // The machine has an address by which others reach it: neither the loopback's nor one of the link only.
  virtual Task<Result<void>> any_address() = 0;

  // We were asked to stop (host/stop_signals.h): the signal's number. From the first call on, waited for or not, these
  // signals do not kill us; one that came stays pending, for good.
  virtual Task<int> termination() = 0;
};

}  // namespace sunup::host
