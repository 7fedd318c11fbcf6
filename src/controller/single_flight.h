// One provision at a time on a node, however many triggers fire: boothook, service, path unit, a person.
//
// The first to come takes a lock that the kernel drops when it ends, however it ends, and leaves a record: that it
// runs, which child it started, how it ended. Whoever comes meanwhile waits for the lock and takes the recorded outcome
// as its own. A record that says "running" although the lock is free tells of a run that was killed; if its script is
// still at work, that is waited for as well, so that never two scripts run at once. Where there is no room for a
// record, the result itself tells, and never an older record.
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

  // Waits for our turn. An outcome: of the run that was under way when we came; there is nothing left to do. Nothing:
  // it is up to us, until this object goes. An error: what the last run left is there and cannot be read, so it may be
  // at work still, or have succeeded.
  host::Task<Result<std::optional<Outcome>>> take_turn();

  // From here on the record tells of our run. Until then it tells of the one before, also after our turn has passed
  // without one: so call it when the results of that one are gone, not before.
  void begin();
  void child_started(pid_t pid);
  // Cut short, by a signal to us or by the machine going down: that says nothing about the script.
  void ended(const Outcome& outcome, bool cut_short = false);

 private:
  void write_record(const RunRecord& record);
  void overwrite_record(std::string text);
  host::Task<Result<std::optional<Outcome>>> outcome_of_killed_run(RunRecord record);
  Result<std::optional<Outcome>> outcome_without_record();

  Node& node_;
  const int64_t came_;                                      // on the machine's monotonic clock
  const Result<std::optional<host::FileInfo>> result_was_;  // when we came
  const Result<std::optional<std::string>> boot_id_;
  std::unique_ptr<host::FileLock> lock_;
};

// Nothing is left to do on this node: its result is a success, and the script that left it has not failed after that.
// The preparation of a base image (pre_provision_only) is no such result.
Result<bool> provisioned(Node& node);

// The node's provisioning has ended, whatever it came to: the marker is there, or a result that can be read. The
// preparation of a base image counts in the boot in which it happened: the image that is captured after it is another
// node.
Result<bool> has_ended(Node& node);

// This node was started from an image that was captured after its preparation, and nothing has provisioned it since:
// the result that is there is that of the image.
Result<bool> is_captured_after_preparation(Node& node);

// The process that provisions right now: the controller, or the script of one that was killed.
std::optional<host::LockOwner> provision_under_way(Node& node);

}  // namespace sunup::controller
