// Reports the steps of a native run while it runs: lines in the log and in cluster-provision.log, and guest-agent
// events with the names of the original. The latter two are buffered until they are written.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controller/node.h"
#include "engine/observer.h"
#include "plan/declaration.h"
#include "report/guest_events.h"

namespace sunup::controller {

class StepLog : public engine::Observer {
 public:
  using FilesOfStep = std::map<std::string, host::FileInfo>;  // by path, those that exist

  // The arguments must outlive it.
  StepLog(Node& node, const plan::Subject& subject) : node_(node), subject_(subject) {}

  void on(const engine::Event& event) override;

  // A result exists already: only new events are reported.
  void goes_on_after_result() { after_result_ = true; }

  // The effect of a step that has left something out: "nothing" or "part"; empty if it did everything.
  std::string_view did(std::string_view step) const;
  // Logs which steps did not touch the machine.
  void tell_left_out();

  void write_events();
  // The lines that are not in cluster-provision.log yet.
  void add(std::string_view lines) { text_ += lines; }
  std::string take_text() { return std::exchange(text_, {}); }

 private:
  void step_ended(const engine::Event& event);
  bool changed_files(std::string_view step) const;
  void step_skipped(const engine::Event& event);
  void tell_bootstrap_latency(report::GuestEvent& event, bool timed_out);

  Node& node_;
  const plan::Subject& subject_;
  std::map<std::string, host::TimePoint, std::less<>> started_;
  std::map<std::string, FilesOfStep, std::less<>> before_;                 // by step, if the machine is not changed
  std::map<std::string, std::vector<std::string>, std::less<>> left_out_;  // by step, while it runs
  std::vector<std::string> skipped_;                                       // steps that did nothing,
  std::vector<std::string> done_in_part_;                                  // steps that only wrote their files
  std::vector<report::GuestEvent> events_;                                 // written when kubelet runs
  std::string text_;
  report::WallTime kubelet_started_ = 0;  // from the file that its start writes
  bool after_result_ = false;
};

}  // namespace sunup::controller
