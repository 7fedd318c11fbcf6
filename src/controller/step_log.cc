#include "controller/step_log.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/node_paths.h"
#include "plan/catalogue.h"

namespace sunup::controller {
namespace {

using engine::EventKind;

constexpr std::string_view kBootstrapLatency = "bootstrap.latency";

host::WallTime at_wall(const Node& node, host::TimePoint time) {
  return node.loop.wall() - (node.loop.now() - time);
}

report::WallTime nanoseconds(host::WallTime time) {
  return time.time_since_epoch().count();
}

// Tools read timings from this log in the format in which a shell's trace shows that an event is written.
std::string trace_line(const report::GuestEvent& event) {
  return fmt::format(" echo '{{' '\"Timestamp\": \"{}\",' '\"OperationId\": \"{}\",' '\"TaskName\": \"{}\"' '}}'\n",
                     report::event_time(event.start), report::event_time(event.end), event.task);
}

// The current state of the files that the step may write.
StepLog::FilesOfStep files_of(Node& node, std::string_view step, const plan::Subject& subject) {
  StepLog::FilesOfStep files;
  const plan::Declaration* declaration = plan::find_step(step);
  if (declaration == nullptr || declaration->files == nullptr) return files;
  for (const engine::FileEffect& file : declaration->files(subject)) {
    auto info = node.files.info(file.path);
    if (!info) continue;
    info->changed_ns = 0;  // setting a mode to its current value is no change
    // Entries that other steps add change these, too.
    if (info->kind == host::FileKind::kDirectory) {
      info->modified_ns = 0;
      info->size = 0;
    }
    files.emplace(file.path, *info);
  }
  return files;
}

}  // namespace

void StepLog::on(const engine::Event& event) {
  switch (event.kind) {
    case EventKind::kStepStarted:
      if (event.attempt == 1) {
        started_[std::string(event.step)] = event.at;
        if (subject_.files_only) before_[std::string(event.step)] = files_of(node_, event.step, subject_);
      }
      // The step consumes the stamp, which was written just before kubelet's start, perhaps by a run that was killed
      // since.
      if (event.step == kBootstrapLatency) {
        const auto stamp = node_.files.info(plan::kBootstrapStart);
        if (stamp) kubelet_started_ = stamp->modified_ns;  // otherwise only the measured time is missing
      }
      left_out_.erase(std::string(event.step));
      break;
    case EventKind::kStepEnded:
      step_ended(event);
      break;
    case EventKind::kStepRetry:
      node_.log.warn("step failed, retrying",
                     {{"step", event.step}, {"error", event.error->what}, {"pause", event.text}});
      break;
    case EventKind::kStepNote:
      node_.log.info(event.text, {{"step", event.step}});
      break;
    case EventKind::kStepLeftOut:
      left_out_[std::string(event.step)].emplace_back(event.text);
      break;
    case EventKind::kStepSkipped:
      node_.log.info("step skipped", {{"step", event.step}, {"why", event.text}});
      step_skipped(event);
      break;
    case EventKind::kStepDropped:
      node_.log.warn("step not done", {{"step", event.step}, {"why", event.text}});
      break;
    case EventKind::kJournal:
      node_.log.warn(event.text, {{"error", event.error == nullptr ? "" : event.error->what}});
      break;
    case EventKind::kMilestone:
      if (subject_.files_only)
        node_.log.info("milestone skipped: the machine is not changed", {{"milestone", event.text}});
      else
        node_.log.info(report::messages::kMilestone, {{"milestone", event.text}});
      break;
    case EventKind::kStopping:
      node_.log.error("provisioning is stopped early", {{"by", event.text}, {"error", event.error->what}});
      break;
    case EventKind::kRunStarted:
    case EventKind::kStepReady:
    case EventKind::kBarrier:
    case EventKind::kRunEnded:
      break;
  }
}

void StepLog::step_ended(const engine::Event& event) {
  const auto began = started_.find(event.step);
  const host::TimePoint start = began == started_.end() ? event.at : began->second;
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(event.at - start).count();
  const std::string shown = fmt::format("{}.{:03}ms", took / 1000, took % 1000);
  std::string ended = event.error == nullptr ? "done" : "failed: " + event.error->what;
  const auto left = left_out_.find(event.step);
  if (event.error == nullptr && left != left_out_.end()) {
    const std::string what = fmt::format("{}", fmt::join(left->second, "; "));
    // A step that has changed no file has done nothing.
    const bool some = changed_files(event.step);
    ended = (some ? "done, except for: " : "skipped: ") + what;
    node_.log.info(some ? "step done in part" : "step skipped", {{"step", event.step}, {"left alone", what}});
    (some ? done_in_part_ : skipped_).emplace_back(event.step);
  } else if (event.error == nullptr) {
    node_.log.info("step done", {{"step", event.step}, {"took", shown}});
  } else {
    node_.log.error("step failed", {{"step", event.step},
                                    {"took", shown},
                                    {"error", event.error->what},
                                    {"hint", event.error->hint},
                                    {"exitCode", event.error->code}});
  }
  text_ += fmt::format("{} {} {} ({})\n", report::event_time(nanoseconds(at_wall(node_, event.at))), event.step, ended,
                       shown);
  const plan::Declaration* declaration = plan::find_step(event.step);
  if (declaration == nullptr || declaration->task.empty()) return;
  report::GuestEvent told{.task = std::string(declaration->task),
                          .level = report::EventLevel::kInformational,
                          .message = "Completed: " + std::string(event.step),
                          .start = nanoseconds(at_wall(node_, start)),
                          .end = nanoseconds(at_wall(node_, event.at))};
  if (event.step == kBootstrapLatency) {
    if (kubelet_started_ == 0) return;  // the start time is not known
    tell_bootstrap_latency(told, event.error != nullptr);
  }
  text_ += trace_line(told);
  events_.push_back(std::move(told));
}

bool StepLog::changed_files(std::string_view step) const {
  const plan::Declaration* declaration = plan::find_step(step);
  if (declaration != nullptr && !declaration->concerns.empty()) return true;  // the files of concerns are written first
  const auto before = before_.find(step);
  return before != before_.end() && before->second != files_of(node_, step, subject_);
}

std::string_view StepLog::did(std::string_view step) const {
  if (std::ranges::find(skipped_, step) != skipped_.end()) return "nothing";
  return std::ranges::find(done_in_part_, step) != done_in_part_.end() ? "part" : "";
}

// The run that did the step was interrupted before it could report it. Once a result exists, everything before it has
// been reported.
void StepLog::step_skipped(const engine::Event& event) {
  const plan::Declaration* declaration = plan::find_step(event.step);
  if (after_result_ || declaration == nullptr || declaration->task.empty()) return;
  const report::WallTime now = nanoseconds(at_wall(node_, event.at));
  events_.push_back({.task = std::string(declaration->task),
                     .level = report::EventLevel::kInformational,
                     .message = fmt::format("Completed: {} ({})", event.step, event.text),
                     .start = now,
                     .end = now});
}

// The time from just before kubelet's start to its kubeconfig. The end is the modification time of the file, which is
// right even if kubelet wrote it before it was noticed here.
void StepLog::tell_bootstrap_latency(report::GuestEvent& event, bool timed_out) {
  event.start = kubelet_started_;
  event.message = "Completed";
  if (timed_out) event.task += "Timeout";
  if (const auto file = node_.files.info(paths::kKubeconfig); file && !timed_out)
    event.end = std::max(event.start, file->modified_ns);
}

void StepLog::write_events() {
  for (report::GuestEvent& event : events_) node_.tell_guest_agent(std::move(event));
  events_.clear();
}

void StepLog::tell_left_out() {
  for (const auto& [what, steps] : {std::pair("skipped", &skipped_), std::pair("done in part", &done_in_part_)}) {
    if (steps->empty()) continue;
    const std::string names = fmt::format("{}", fmt::join(*steps, ", "));
    node_.log.info("the machine was left alone", {{"steps", what}, {"names", names}});
    text_ += fmt::format("left alone, {}: {}\n", what, names);
  }
}

}  // namespace sunup::controller
