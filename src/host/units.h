// systemd's units. Without a manager to talk to every call fails with ENOTCONN and says so; one that was there and is
// gone (it executes itself anew) is waited for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/task.h"

namespace sunup::host {

// systemd's own words: load "loaded" | "not-found" | "masked" ..., active "active" | "activating" | "failed" ...
struct UnitState {
  std::string load;
  std::string active;
  std::string sub;
  std::string result;            // of services: "success", "exit-code", "start-limit-hit" ...; else empty
  uint64_t active_since_us = 0;  // CLOCK_MONOTONIC; 0: never was
  bool outdated = false;         // its files have changed since the manager read them: reload() before a start
  std::string fragment = {};     // the files that it was read from: the unit's own,
  std::vector<std::string> drop_ins = {};  // and those that change it

  bool exists() const { return load != "not-found" && !load.empty(); }
  bool is_active() const { return active == "active"; }
  bool operator==(const UnitState&) const = default;
};

// When the machine came up, as systemd knows it. Microseconds; 0: not known, or not yet.
struct BootTimes {
  uint64_t kernel_us = 0;  // since 1970, when the kernel started
  // Since the kernel started, or before it (firmware, boot loader).
  uint64_t firmware_us = 0;
  uint64_t loader_us = 0;
  uint64_t initrd_us = 0;
  uint64_t userspace_us = 0;
  uint64_t finish_us = 0;
};

enum class JobWait { kDone, kQueued };

class Units {
 public:
  virtual ~Units() = default;

  virtual Task<Result<void>> reload() = 0;  // reads the unit files again
  // Makes the links for the next boot. Does not reload: call reload() once for many. A unit may be given by its path,
  // where another file of its name would be found first.
  virtual Task<Result<void>> enable(std::vector<std::string> units) = 0;
  virtual Task<Result<void>> disable(std::vector<std::string> units) = 0;
  virtual Task<Result<void>> mask(std::vector<std::string> units) = 0;
  virtual Task<Result<void>> unmask(std::vector<std::string> units) = 0;

  // kDone: comes back when systemd says the job is done, with an error if the unit did not come up (which names the
  // unit, the job's result and the unit's). kQueued: comes back when the job is accepted.
  virtual Task<Result<void>> start(std::string unit, JobWait wait = JobWait::kDone) = 0;
  // start(), but without waiting for the start of `other`, which this unit is ordered after: for a unit that waits for
  // what it needs of `other` by itself. Every other relation between units is kept. start() if that cannot be told, or
  // if `other` is neither active nor about to be.
  virtual Task<Result<void>> start_beside(std::string unit, std::string other);
  virtual Task<Result<void>> restart(std::string unit, JobWait wait = JobWait::kDone) = 0;
  virtual Task<Result<void>> stop(std::string unit, JobWait wait = JobWait::kDone) = 0;

  // Does the manager hold the unit in memory? If not, it reads the unit's files when it is asked for it next.
  virtual Task<Result<bool>> is_loaded(std::string unit) = 0;
  virtual Task<Result<UnitState>> state(std::string unit) = 0;
  // Comes back as soon as the state is another one than `known`: at once if it already is.
  virtual Task<Result<UnitState>> next_change(std::string unit, UnitState known) = 0;

  // When the service's main process was started last, in microseconds since 1970; 0: never.
  virtual Task<Result<uint64_t>> main_started(std::string service) = 0;
  virtual Task<Result<BootTimes>> boot_times() = 0;
  // Is it going down or rebooting? Then units cannot be started any more, and we are about to be stopped.
  virtual Task<Result<bool>> machine_stops() = 0;

  // Waits until the unit is active; an error when it ends up failed.
  Task<Result<UnitState>> becomes_active(std::string unit);
};

}  // namespace sunup::host
