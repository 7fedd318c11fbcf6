// Only one process provisions a node at a time, however many triggers there are (boothook, service, path unit, user).
//
// The first process takes a lock, which the kernel releases when the process ends, and writes a record of its state:
// that it runs, the child that it has started, and its outcome. Other processes wait for the lock and use the recorded
// outcome. If the record is "running" although the lock is free, the process was killed; if its script still runs, the
// next process waits for it, so two scripts never run at the same time. If the disk has no room for a record, the
// result is used instead, never an older record.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>

#include "controller/node.h"
#include "controller/outcome.h"
#include "host/files.h"
#include "host/task.h"

namespace sunup::controller {

struct RunRecord;

class SingleFlight {
 public:
  explicit SingleFlight(Node& node);

  // Waits for the lock. An outcome: that of the run that was in progress; nothing is left to do. Empty: this process
  // provisions, until this object is destroyed. An error: the record of the last run exists and cannot be read, so that
  // run may be in progress or have succeeded.
  host::Task<Result<std::optional<Outcome>>> take_turn();

  // From here on the record describes this run. Until then it describes the previous one, even if this process ends
  // without a run, so call it after the results of the previous run are removed.
  void begin();
  void child_started(pid_t pid);
  // The run was interrupted by a signal to this process or by a shutdown; the state of the script is not known.
  void ended(const Outcome& outcome, bool cut_short = false);

 private:
  void write_record(const RunRecord& record);
  void overwrite_record(std::string text);
  host::Task<Result<std::optional<Outcome>>> outcome_of_killed_run(RunRecord record);
  Result<std::optional<Outcome>> outcome_without_record();

  Node& node_;
  const int64_t came_;                                      // start of the wait, on the monotonic clock
  const Result<std::optional<host::FileInfo>> result_was_;  // at the start
  const Result<std::optional<std::string>> boot_id_;
  std::unique_ptr<host::FileLock> lock_;
};

// Whether nothing is left to do on this node: its result is a success, and the script that left it has not failed
// afterwards. The preparation of a base image (pre_provision_only) is not such a result.
Result<bool> provisioned(Node& node);

// Whether provisioning of the node has ended, with success or failure: the marker or a valid result exists. The
// preparation of a base image counts only in the boot in which it happened, because the image that is captured
// afterwards becomes other nodes.
Result<bool> has_ended(Node& node);

// Whether this node was started from a prepared image and has not been provisioned since: the existing result is that
// of the image.
Result<bool> is_captured_after_preparation(Node& node);

// The process that provisions now: the controller, or the script of a controller that was killed.
std::optional<host::LockOwner> provision_under_way(Node& node);

}  // namespace sunup::controller
