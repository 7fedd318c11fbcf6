#include "controller/native_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "contract/write.h"
#include "controller/config_mistakes.h"
#include "controller/going_down.h"
#include "controller/os_reason.h"
#include "controller/paths.h"
#include "controller/result_files.h"
#include "controller/say_why.h"
#include "controller/unit_evidence.h"
#include "engine/journal.h"
#include "plan/catalogue.h"
#include "plan/unused_fields.h"
#include "report/exit_codes.h"
#include "report/quoted.h"

namespace sunup::controller {
namespace {

using engine::EventKind;

constexpr std::string_view kBootstrapLatency = "bootstrap.latency";
constexpr int kTimedOut = 124;
constexpr size_t kOutput = 3000;  // of the log's end goes into provision.json

host::WallTime at_wall(const Node& node, host::TimePoint time) {
  return node.loop.wall() - (node.loop.now() - time);
}

report::WallTime nanoseconds(host::WallTime time) {
  return time.time_since_epoch().count();
}

// Timings are read out of this log in the form in which a shell's trace shows an event being written.
std::string trace_line(const report::GuestEvent& event) {
  return fmt::format(" echo '{{' '\"Timestamp\": \"{}\",' '\"OperationId\": \"{}\",' '\"TaskName\": \"{}\"' '}}'\n",
                     report::event_time(event.start), report::event_time(event.end), event.task);
}

std::string seconds(uint64_t us) {
  return fmt::format("{}.{:03}s", us / 1'000'000, us / 1000 % 1000);
}

// As systemd-analyze puts it.
std::string summary(const host::BootTimes& times) {
  if (times.finish_us == 0)
    return "Bootup is not yet finished (org.freedesktop.systemd1.Manager.FinishTimestampMonotonic=0).\n"
           "Please try again later.\nHint: Use 'systemctl list-jobs' to see active jobs";
  std::string text = "Startup finished in ";
  if (times.firmware_us > 0) text += seconds(times.firmware_us - times.loader_us) + " (firmware) + ";
  if (times.loader_us > 0) text += seconds(times.loader_us) + " (loader) + ";
  if (times.initrd_us > 0) {
    text += seconds(times.initrd_us) + " (kernel) + ";
    text += seconds(times.userspace_us - times.initrd_us) + " (initrd) + ";
  } else if (times.userspace_us > 0) {
    text += seconds(times.userspace_us) + " (kernel) + ";
  }
  text += seconds(times.finish_us - times.userspace_us) + " (userspace)";
  return text + " = " + seconds(times.firmware_us + times.finish_us);
}

std::vector<std::string> units_of(std::string_view step, const plan::Subject& subject) {
  const plan::Declaration* declaration = plan::find_step(step);
  if (declaration == nullptr) return {};
  std::vector<std::string> units = declaration->units;
  if (declaration->more_units != nullptr)
    for (std::string& unit : declaration->more_units(subject)) units.push_back(std::move(unit));
  return units;
}

// Has the step made any of its files since it began? The clock that files are stamped with ticks slowly.
bool made_files(Node& node, std::string_view step, const plan::Subject& subject, host::WallTime began) {
  constexpr auto kTick = std::chrono::milliseconds(10);
  const plan::Declaration* declaration = plan::find_step(step);
  if (declaration == nullptr) return false;
  if (!declaration->concerns.empty()) return true;
  if (declaration->files == nullptr) return false;
  for (const engine::FileEffect& file : declaration->files(subject))
    if (const auto info = node.files.info(file.path); info && info->modified_ns >= nanoseconds(began - kTick))
      return true;
  return false;
}

}  // namespace

std::string unfinished_mark(const aksnodeconfig::v1::Configuration& config) {
  return fmt::format("{:016x}\n", engine::Journal::fingerprint(contract::to_json(config)));
}

NativeReport::NativeReport(Node& node, const plan::Subject& subject, const std::vector<contract::Finding>& findings)
    : node_(node),
      subject_(subject),
      replaces_(node.files.exists(paths::kComplete) || node.files.exists(paths::kResult)),
      began_(node.loop.now()) {
  status_.times.start = node.now();
  for (const contract::Finding& finding : findings) status_.ignored_fields.push_back(finding.path);
  for (const plan::UnusedField& field : plan::unused_fields(subject.config)) {
    status_.ignored_fields.push_back("$." + std::string(field.path));
    node.log.warn("the built-in steps make no use of this field", {{"field", field.path}, {"why", field.why}});
  }
}

void NativeReport::on(const engine::Event& event) {
  switch (event.kind) {
    case EventKind::kStepStarted:
      if (event.attempt == 1) started_[std::string(event.step)] = event.at;
      // The step uses the stamp up. It was left just before kubelet's start, maybe by a run that was killed since.
      if (event.step == kBootstrapLatency)
        if (const auto stamp = node_.files.info(plan::kBootstrapStart)) kubelet_started_ = stamp->modified_ns;
      left_out_.erase(std::string(event.step));
      break;
    case EventKind::kStepEnded:
      step_ended(event);
      break;
    case EventKind::kStepRetry:
      node_.log.warn("step failed, trying again",
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
        node_.log.info("milestone not tried: the machine was left alone", {{"milestone", event.text}});
      else
        node_.log.info("milestone reached", {{"milestone", event.text}});
      break;
    case EventKind::kStopping:
      node_.log.error("provisioning is cut short", {{"by", event.text}, {"error", event.error->what}});
      break;
    case EventKind::kRunStarted:
    case EventKind::kStepReady:
    case EventKind::kBarrier:
    case EventKind::kRunEnded:
      break;
  }
}

void NativeReport::step_ended(const engine::Event& event) {
  const auto began = started_.find(event.step);
  const host::TimePoint start = began == started_.end() ? event.at : began->second;
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(event.at - start).count();
  const std::string shown = fmt::format("{}.{:03}ms", took / 1000, took % 1000);
  std::string ended = event.error == nullptr ? "done" : "failed: " + event.error->what;
  const auto left = left_out_.find(event.step);
  if (event.error == nullptr && left != left_out_.end()) {
    const std::string what = fmt::format("{}", fmt::join(left->second, "; "));
    // What has no file to make has done nothing at all.
    const bool some = made_files(node_, event.step, subject_, at_wall(node_, start));
    ended = (some ? "done, but for: " : "skipped: ") + what;
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
  log_ += fmt::format("{} {} {} ({})\n", report::event_time(nanoseconds(at_wall(node_, event.at))), event.step, ended,
                      shown);
  const plan::Declaration* declaration = plan::find_step(event.step);
  if (declaration == nullptr || declaration->task.empty()) return;
  report::GuestEvent told{.task = std::string(declaration->task),
                          .level = report::EventLevel::kInformational,
                          .message = "Completed: " + std::string(event.step),
                          .start = nanoseconds(at_wall(node_, start)),
                          .end = nanoseconds(at_wall(node_, event.at))};
  if (event.step == kBootstrapLatency) {
    if (kubelet_started_ == 0) return;  // there is nothing to measure from
    tell_bootstrap_latency(told, event.error != nullptr);
  }
  log_ += trace_line(told);
  events_.push_back(std::move(told));
}

std::string_view NativeReport::did(std::string_view step) const {
  if (std::ranges::find(skipped_, step) != skipped_.end()) return "nothing";
  return std::ranges::find(done_in_part_, step) != done_in_part_.end() ? "part" : "";
}

// The run that did it was cut off before it could tell. Once a result is out, everything before it has been told.
void NativeReport::step_skipped(const engine::Event& event) {
  const plan::Declaration* declaration = plan::find_step(event.step);
  if (after_result_ || declaration == nullptr || declaration->task.empty()) return;
  const report::WallTime now = nanoseconds(at_wall(node_, event.at));
  events_.push_back({.task = std::string(declaration->task),
                     .level = report::EventLevel::kInformational,
                     .message = fmt::format("Completed: {} ({})", event.step, event.text),
                     .start = now,
                     .end = now});
}

// From just before kubelet's start to its kubeconfig. The file knows when it was written, so a kubelet that was faster
// than we looked is measured right.
void NativeReport::tell_bootstrap_latency(report::GuestEvent& event, bool timed_out) {
  event.start = kubelet_started_;
  event.message = "Completed";
  if (timed_out) event.task += "Timeout";
  if (const auto file = node_.files.info("/var/lib/kubelet/kubeconfig"); file && !timed_out)
    event.end = std::max(event.start, file->modified_ns);
}

void NativeReport::finish() {
  write_events();
  if (outcome_.ok() && !after_result_)
    for (const std::string& mistake : config_mistakes(node_, subject_.config)) {
      node_.log.warn("the config has a mistake", {{"mistake", mistake}});
      log_ += "config: " + mistake + "\n";
    }
  if (!log_.empty()) (void)node_.files.append(paths::kScriptLog, node_.redactor.redact(log_), 0644 & ~node_.umask);
  log_.clear();
}

void NativeReport::write_events() {
  for (report::GuestEvent& event : events_) node_.tell_guest_agent(std::move(event));
  events_.clear();
}

host::Task<void> NativeReport::gather_times() {
  if (subject_.files_only) co_return;
  report::CseTimes& times = status_.times;
  host::Units& units = node_.host.units;
  const std::pair<const char*, report::WallTime*> services[] = {{"cloud-init-local.service", &times.cloud_init_local},
                                                                {"cloud-init.service", &times.cloud_init},
                                                                {"cloud-final.service", &times.cloud_final},
                                                                {"systemd-networkd.service", &times.networkd},
                                                                {"walinuxagent.service", &times.guest_agent},
                                                                {"waagent.service", &times.guest_agent},
                                                                {"kubelet.service", &times.kubelet}};
  for (const auto& [service, into] : services) {
    if (*into != 0) continue;
    auto started = co_await units.main_started(service);
    if (started) *into = static_cast<report::WallTime>(*started) * 1000;
  }
  if (auto kubelet = co_await units.state("kubelet.service"); kubelet)
    kubelet_state_ = "kubelet.service: " + kubelet->load + ", " + kubelet->active + " (" + kubelet->sub + ")\n";
  auto boot = co_await units.boot_times();
  if (boot) {
    times.kernel = static_cast<report::WallTime>(boot->kernel_us) * 1000;
    status_.systemd_summary = summary(*boot);
  }
}

host::Task<Outcome> NativeReport::refused(Error error) {
  status_.exit_code = error.code != 0 ? error.code : kControllerFailure;
  status_.error = error.what;
  status_.hint = hint_with(error.hint, config_mistakes(node_, subject_.config));
  const std::string_view step = plan::refused_step(error);
  status_.failed_step = step.empty() ? "config" : step;
  node_.log.error("this config cannot be provisioned", {{"error", error.what}, {"hint", error.hint}});
  auto left = end_with_result();
  auto done = co_await std::move(left);
  if (!done) node_.log.error("the result could not be left", {{"error", done.error().what}});
  co_return outcome_;
}

host::Task<Result<void>> NativeReport::publish(const engine::Report& run) {
  stopped_by_ = run.stopped_by;
  if (!run.ok) {
    if (co_await going_down(node_)) {
      outcome_ = controller_failure(stopped_by_ != 0 ? stopped_error(stopped_by_) : run.error.what);
      outcome_.signal = stopped_by_;
      co_return Result<void>();
    }
    status_.exit_code = run.timed_out         ? kTimedOut
                        : run.error.code != 0 ? run.error.code
                        : stopped_by_ != 0    ? kControllerFailure
                                              : 1;
    status_.failed_step = run.failed_step;
    status_.error = stopped_by_ != 0 ? stopped_error(stopped_by_) : run.error.what;
    status_.hint = run.error.hint;
    if (!subject_.files_only) co_await keep_unit_evidence(node_, units_of(run.failed_step, subject_));
    const auto* known = report::find_exit_code(status_.exit_code);
    status_.hint = hint_with(std::move(status_.hint), config_mistakes(node_, subject_.config),
                             known == nullptr ? std::string_view() : known->remedy);
  }
  auto left = end_with_result();
  auto done = co_await std::move(left);
  co_return done;
}

// "Mon Nov 16 03:23:27 UTC 2026,aks-pool1-0, startcustomscript", as `date` and the scripts have it.
void NativeReport::leave_stamps() {
  std::string lines;
  for (const auto& [when, what] : {std::pair(status_.times.start, "start"), std::pair(status_.times.end, "end")}) {
    const time_t seconds = when / 1'000'000'000;
    struct tm parts;
    localtime_r(&seconds, &parts);
    char date[64];
    strftime(date, sizeof date, "%a %b %e %H:%M:%S %Z %Y", &parts);
    lines += fmt::format("{},{}, {}customscript\n", date, subject_.facts.hostname, what);
  }
  if (auto kept = node_.files.append(paths::kStamps, lines, 0644 & ~node_.umask); !kept)
    node_.log.warn("the time stamps could not be left", {{"error", kept.error().what}});
  const std::string output = lines.substr(0, lines.find(", ")) + "\n" + kubelet_state_;
  if (auto kept = node_.files.write(paths::kCseOutput, output, 0644 & ~node_.umask); !kept)
    node_.log.warn("cluster-provision-cse-output.log could not be written", {{"error", kept.error().what}});
}

// The end of the log is what provision.json shows.
void NativeReport::tell_left_out() {
  for (const auto& [what, steps] : {std::pair("skipped", &skipped_), std::pair("done in part", &done_in_part_)}) {
    if (steps->empty()) continue;
    const std::string names = fmt::format("{}", fmt::join(*steps, ", "));
    node_.log.info("the machine was left alone", {{"steps", what}, {"names", names}});
    log_ += fmt::format("left alone, {}: {}\n", what, names);
  }
}

host::Task<Result<void>> NativeReport::end_with_result() {
  host::Files& files = node_.files;
  co_await host::within(
      node_.loop, std::chrono::seconds(5),
      [](NativeReport* self) -> host::Task<Result<void>> {
        co_await self->gather_times();
        co_return Result<void>();
      }(this),
      "boot times");
  status_.times.end = node_.now();
  tell_left_out();
  log_ += fmt::format("{} provisioning ended with exit code {}\n", report::event_time(status_.times.end),
                      status_.exit_code);
  log_ = node_.redactor.redact(log_);
  status_.output = log_.size() > kOutput ? log_.substr(log_.size() - kOutput) : log_;
  status_.error = node_.redactor.redact(status_.error);
  if (auto kept = files.append(paths::kScriptLog, log_, 0644 & ~node_.umask); !kept)
    node_.log.warn("cluster-provision.log could not be written", {{"error", kept.error().what}});
  log_.clear();
  leave_stamps();
  write_events();
  if (files.exists(paths::kScriptlessOverrides)) status_.scriptless_mode = "cse_cmd";
  if (files.exists(paths::kNbcCommand)) status_.scriptless_mode = "nbc_cse_cmd";
  node_.tell_guest_agent({.task = "AKS.CSE.cse_start",
                          .level = report::EventLevel::kNone,
                          .message = report::cse_start_message(status_),
                          .start = status_.times.start,
                          .end = status_.times.end});
  outcome_ = Outcome{
      .exit_code = status_.exit_code,
      .signal = stopped_by_,
      .result = {.exit_code = std::to_string(status_.exit_code), .error = status_.error, .output = status_.output},
      .failed_step = status_.failed_step,
      .hint = status_.hint,
      .ignored_fields = status_.ignored_fields};
  if (!outcome_.ok()) {
    if (summary_) outcome_.timeline = summary_();
    status_.verdict = report::failure_text(failure_of(node_, outcome_));
  }
  // Before the result, so that whoever finds that one also knows what it still owes.
  const bool owes = outcome_.ok() && !subject_.config.pre_provision_only();
  const std::string mark = unfinished_mark(subject_.config);
  if (auto noted = owes ? files.write_durable(paths::kUnfinished, mark, 0600) : Result<void>(); !noted)
    node_.log.warn("deferred steps would not be finished after a crash", {{"error", noted.error().what}});
  const std::string whole = report::to_json(status_);
  status_.output = kNoRoom;
  const auto written = leave_result(node_, whole, report::to_json(status_), 0644);
  // The second stage builds on base_prep.complete: it would make a success of the first one's failure.
  const bool prepared = subject_.config.pre_provision_only() && outcome_.ok();
  const auto marked = leave_marker(node_, prepared ? paths::kBasePrepComplete : paths::kComplete, 0644);
  co_return written ? marked : written;
}

}  // namespace sunup::controller
