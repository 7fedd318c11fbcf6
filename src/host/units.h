// systemd's units. If there is no manager, every call fails with ENOTCONN and a message. If the manager was there and
// is gone (it re-executes itself), calls wait for it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/task.h"

namespace sunup::host {

// systemd's own terms: load "loaded" | "not-found" | "masked" ..., active "active" | "activating" | "failed" ...
struct UnitState {
  std::string load;
  std::string active;
  std::string sub;
  std::string result;            // for services: "success", "exit-code", "start-limit-hit" ...; otherwise empty
  uint64_t active_since_us = 0;  // CLOCK_MONOTONIC; 0: never active
  bool outdated = false;         // its files have changed since the manager read them: call reload() before a start
  std::string fragment = {};     // the files that it was read from: the unit file
  std::vector<std::string> drop_ins = {};  // and its drop-ins

  bool exists() const { return load != "not-found" && !load.empty(); }
  bool is_active() const { return active == "active"; }
  bool operator==(const UnitState&) const = default;
};

// When the machine started, according to systemd. Microseconds; 0: not known, or not yet.
struct BootTimes {
  uint64_t kernel_us = 0;  // since 1970, when the kernel started
  // Relative to the start of the kernel: after it, or before it (firmware, boot loader).
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
  // Creates the links for the next boot. Does not reload: call reload() once after several calls. A unit may be given
  // by its path if another file of its name would be found first.
  virtual Task<Result<void>> enable(std::vector<std::string> units) = 0;
  virtual Task<Result<void>> disable(std::vector<std::string> units) = 0;
  virtual Task<Result<void>> mask(std::vector<std::string> units) = 0;
  virtual Task<Result<void>> unmask(std::vector<std::string> units) = 0;

  // kDone: returns when systemd reports that the job is done, with an error if the unit did not start (which names the
  // unit, the job's result and the unit's). kQueued: returns when the job is accepted.
  virtual Task<Result<void>> start(std::string unit, JobWait wait = JobWait::kDone) = 0;
  // start(), but without waiting for the start of `other`, although this unit is ordered after it. For a unit that
  // itself waits for what it needs of `other`. Every other relation between units is kept. Falls back to start() if
  // this cannot be determined, or if `other` is neither active nor starting.
  virtual Task<Result<void>> start_beside(std::string unit, std::string other);
  virtual Task<Result<void>> restart(std::string unit, JobWait wait = JobWait::kDone) = 0;
  virtual Task<Result<void>> stop(std::string unit, JobWait wait = JobWait::kDone) = 0;

  // Whether the manager has the unit in memory. If not, it reads the unit's files at the next request for it.
  virtual Task<Result<bool>> is_loaded(std::string unit) = 0;
  virtual Task<Result<UnitState>> state(std::string unit) = 0;
  // Returns as soon as the state differs from `known`; at once if it already does.
  virtual Task<Result<UnitState>> next_change(std::string unit, UnitState known) = 0;

  // When the main process of the service was last started, in microseconds since 1970; 0: never.
  virtual Task<Result<uint64_t>> main_started(std::string service) = 0;
  virtual Task<Result<BootTimes>> boot_times() = 0;
  // Whether the machine is shutting down or rebooting. Units can then no longer be started, and this process will be
  // stopped.
  virtual Task<Result<bool>> machine_stops() = 0;

  // Waits until the unit is active; an error if it fails.
  Task<Result<UnitState>> becomes_active(std::string unit);
};

}  // namespace sunup::host
