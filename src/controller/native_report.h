// What native provisioning says while it runs and when it has ended: log, guest-agent events with the names the
// original gives them, cluster-provision.log, provision.json, the marker.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "contract/finding.h"
#include "controller/node.h"
#include "controller/outcome.h"
#include "engine/run.h"
#include "plan/declaration.h"
#include "report/cse_status_file.h"

namespace sunup::controller {

// What .provision.unfinished holds: it tells whose deferred steps were cut off.
std::string unfinished_mark(const aksnodeconfig::v1::Configuration& config);

class NativeReport : public engine::Observer {
 public:
  NativeReport(Node& node, const plan::Subject& subject, const std::vector<contract::Finding>& findings);

  void on(const engine::Event& event) override;

  // Says in one line how far the run has come; for the verdict of a failure.
  void summarise_with(std::function<std::string()> summary) { summary_ = std::move(summary); }

  // A result is out already: only what comes now is told.
  void goes_on_after_result() { after_result_ = true; }

  // What a step did that has ended and left something alone: "nothing" or "part"; empty: all that it is there for.
  std::string_view did(std::string_view step) const;

  // The config cannot be made into a plan: nothing has run.
  host::Task<Outcome> refused(Error error);
  // Writes everything that ends a provision, the marker last. A machine that is going down ends nothing.
  host::Task<Result<void>> publish(const engine::Report& run);
  Outcome outcome() const { return outcome_; }
  // What steps that nobody waited for had to say.
  void finish();

  // Was there a result of an earlier attempt when we began?
  bool replaces_a_result() const { return replaces_; }

 private:
  void step_ended(const engine::Event& event);
  void step_skipped(const engine::Event& event);
  void tell_left_out();
  void write_events();
  void leave_stamps();
  void tell_bootstrap_latency(report::GuestEvent& event, bool timed_out);
  host::Task<void> gather_times();
  host::Task<Result<void>> end_with_result();

  Node& node_;
  const plan::Subject& subject_;
  const bool replaces_;
  const host::TimePoint began_;
  report::CseStatusFile status_;
  std::map<std::string, host::TimePoint, std::less<>> started_;
  std::map<std::string, std::vector<std::string>, std::less<>> left_out_;  // by step, while it runs
  std::vector<std::string> skipped_;                                       // steps that left everything alone,
  std::vector<std::string> done_in_part_;                                  // and those that have made their files
  std::vector<report::GuestEvent> events_;  // written when kubelet runs: nobody needs them before
  std::string log_;                         // becomes cluster-provision.log
  std::function<std::string()> summary_;
  std::string kubelet_state_;             // at the end, in words
  report::WallTime kubelet_started_ = 0;  // by the stamp that its start leaves
  bool after_result_ = false;
  int stopped_by_ = 0;  // the signal that asked us to
  Outcome outcome_;
};

}  // namespace sunup::controller
