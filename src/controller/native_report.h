// What native provisioning says when it has ended: cluster-provision.log, guest-agent events, provision.json, the
// marker. What it says while it runs is in step_log.h.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "contract/finding.h"
#include "controller/node.h"
#include "controller/outcome.h"
#include "controller/step_log.h"
#include "engine/run.h"
#include "plan/declaration.h"
#include "report/cse_status_file.h"

namespace sunup::controller {

// What .provision.unfinished holds: it tells whose deferred steps were cut off.
std::string unfinished_mark(const aksnodeconfig::v1::Configuration& config, const render::SentTexts& sent = {});

class NativeReport {
 public:
  NativeReport(Node& node, const plan::Subject& subject, const std::vector<contract::Finding>& findings);

  // Listens to the run's steps.
  StepLog& steps() { return steps_; }

  // Says in one line how far the run has come; for the verdict of a failure.
  void summarise_with(std::function<std::string()> summary) { summary_ = std::move(summary); }

  // A result is out already: only what comes now is told.
  void goes_on_after_result() {
    after_result_ = true;
    steps_.goes_on_after_result();
  }

  // The config cannot be made into a plan: nothing has run.
  host::Task<Outcome> refused(Error error);
  // The steps that a success does without for now; the result names them.
  void names_unfinished(std::vector<std::string> steps) { unfinished_ = std::move(steps); }
  // Writes everything that ends a provision, the marker last. A machine that is going down ends nothing.
  host::Task<Result<void>> publish(const engine::Report& run);
  Outcome outcome() const { return outcome_; }
  // What steps that nobody waited for had to say.
  void finish();

  // Was there a result of an earlier attempt when we began?
  bool replaces_a_result() const { return replaces_; }

 private:
  void leave_stamps();
  host::Task<Result<void>> end_with_result();

  Node& node_;
  const plan::Subject& subject_;
  const bool replaces_;
  StepLog steps_;
  report::CseStatusFile status_;
  std::function<std::string()> summary_;
  std::vector<std::string> unfinished_;
  std::string kubelet_state_;  // at the end, in words
  bool after_result_ = false;
  int stopped_by_ = 0;  // the signal that asked us to
  Outcome outcome_;
};

}  // namespace sunup::controller
