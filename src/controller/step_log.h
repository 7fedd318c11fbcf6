// What the steps of a native run have to say, as it happens: a line in our log and in cluster-provision.log, and
// guest-agent events with the names the original gives them. The latter two are kept until it is time to write them.
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

  // What is passed must outlive it.
  StepLog(Node& node, const plan::Subject& subject) : node_(node), subject_(subject) {}

  void on(const engine::Event& event) override;

  // A result is out already: only what comes now is told.
  void goes_on_after_result() { after_result_ = true; }

  // What a step did that has ended and left something alone: "nothing" or "part"; empty: all that it is there for.
  std::string_view did(std::string_view step) const;
  // Says which steps left the machine alone.
  void tell_left_out();

  void write_events();
  // What cluster-provision.log is to be given next.
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
  std::map<std::string, FilesOfStep, std::less<>> before_;                 // by step, where the machine is left alone
  std::map<std::string, std::vector<std::string>, std::less<>> left_out_;  // by step, while it runs
  std::vector<std::string> skipped_;                                       // steps that left everything alone,
  std::vector<std::string> done_in_part_;                                  // and those that have made their files
  std::vector<report::GuestEvent> events_;  // written when kubelet runs: nobody needs them before
  std::string text_;
  report::WallTime kubelet_started_ = 0;  // by the stamp that its start leaves
  bool after_result_ = false;
};

}  // namespace sunup::controller
