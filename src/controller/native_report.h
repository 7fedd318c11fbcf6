// The report of native provisioning at its end: cluster-provision.log, guest-agent events, provision.json, the marker.
// step_log.h reports while it runs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "contract/finding.h"
#include "controller/boot_facts.h"
#include "controller/node.h"
#include "controller/outcome.h"
#include "controller/step_log.h"
#include "engine/run.h"
#include "host/running.h"
#include "plan/declaration.h"
#include "report/provision_result.h"
#include "timeline/summary.h"

namespace sunup::controller {

// The content of .provision.unfinished: identifies the config whose deferred steps were interrupted.
std::string unfinished_mark(const aksnodeconfig::v1::Configuration& config, const render::SentTexts& sent = {});

class NativeReport {
 public:
  NativeReport(Node& node, const plan::Subject& subject, const std::vector<contract::Finding>& findings);

  // The observer of the run's steps.
  StepLog& steps() { return steps_; }

  // Describes the progress of the run, for the verdict of a failure and the result service.
  void summarise_with(std::function<timeline::Summary()> summary) { summary_ = std::move(summary); }

  // A result exists already: only new events are reported.
  void goes_on_after_result() {
    after_result_ = true;
    steps_.goes_on_after_result();
  }

  // No plan could be made for the config: no step has run.
  host::Task<Outcome> refused(Error error);
  // Sets the steps that are missing although the run succeeded; the result lists them.
  void names_unfinished(std::vector<std::string> steps) { unfinished_ = std::move(steps); }
  // Writes everything that ends provisioning, the marker last. Writes nothing if the machine is shutting down.
  host::Task<Result<void>> publish(const engine::Report& run);
  Outcome outcome() const { return outcome_; }
  // A success is sent as soon as it is published, while deferred steps run. Waits until it is sent.
  host::Task<void> sent();
  // Reports the deferred steps.
  void finish();

  // Whether there was a result of an earlier attempt at the start.
  bool replaces_a_result() const { return replaces_; }

 private:
  void leave_stamps();
  void summarise();
  host::Task<Result<void>> end_with_result();
  host::Task<void> send();

  Node& node_;
  const plan::Subject& subject_;
  const bool replaces_;
  StepLog steps_;
  int exit_code_ = 0;
  report::ProvisionResult result_;
  BootFacts boot_;
  std::function<timeline::Summary()> summary_;
  std::vector<std::string> unfinished_;
  bool after_result_ = false;
  int stopped_by_ = 0;  // the signal that stopped the run
  Outcome outcome_;
  host::Slot<bool> sent_;
  host::Running sending_;  // last: it uses the others
};

}  // namespace sunup::controller
