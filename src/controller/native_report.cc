#include "controller/native_report.h"

#include <fmt/format.h>

#include "base/exit_code.h"
#include "base/node_paths.h"
#include "contract/write.h"
#include "controller/config_mistakes.h"
#include "controller/os_reason.h"
#include "controller/result_files.h"
#include "controller/say_why.h"
#include "controller/send_result.h"
#include "controller/unit_evidence.h"
#include "engine/journal.h"
#include "plan/catalogue.h"
#include "plan/unused_fields.h"
#include "report/exit_codes.h"

namespace sunup::controller {
namespace {

constexpr size_t kOutput = 3000;  // the size of the log's end in provision.json

std::vector<std::string> units_of(std::string_view step, const plan::Subject& subject) {
  const plan::Declaration* declaration = plan::find_step(step);
  if (declaration == nullptr) return {};
  std::vector<std::string> units = declaration->units;
  if (declaration->more_units != nullptr)
    for (std::string& unit : declaration->more_units(subject)) units.push_back(std::move(unit));
  return units;
}

bool may_be_there(host::Files& files, const char* path) {
  const auto there = files.exists(path);
  return !there || *there;
}

}  // namespace

std::string unfinished_mark(const aksnodeconfig::v1::Configuration& config, const render::SentTexts& sent) {
  std::string whole = contract::to_json(config);
  for (const auto& [variable, text] : sent) whole += variable + "=" + text + "\n";
  return fmt::format("{:016x}\n", engine::Journal::fingerprint(whole));
}

NativeReport::NativeReport(Node& node, const plan::Subject& subject, const std::vector<contract::Finding>& findings)
    : node_(node),
      subject_(subject),
      replaces_(may_be_there(node.files, paths::kComplete) || may_be_there(node.files, paths::kResult)),
      steps_(node, subject),
      sent_(node.loop) {
  boot_.times.start = node.now();
  for (const contract::Finding& finding : findings) result_.ignored_fields.push_back(finding.path);
  for (const plan::UnusedField& field : plan::unused_fields(subject.config)) {
    result_.ignored_fields.push_back("$." + std::string(field.path));
    node.log.warn("the built-in steps do not use this field", {{"field", field.path}, {"why", field.why}});
  }
}

void NativeReport::finish() {
  steps_.write_events();
  if (outcome_.ok() && !after_result_)
    for (const std::string& mistake : config_mistakes(node_, subject_.config)) {
      node_.log.warn("the config has a mistake", {{"mistake", mistake}});
      steps_.add("config: " + mistake + "\n");
    }
  if (const std::string text = steps_.take_text(); !text.empty())
    (void)node_.files.append(paths::kScriptLog, node_.redactor.redact(text), 0644 & ~node_.umask);
}

host::Task<Outcome> NativeReport::refused(Error error) {
  exit_code_ = error.code != 0 ? error.code : exit_code::kAksNodeControllerError;
  result_.error = error.what;
  result_.hint = hint_with(error.hint, config_mistakes(node_, subject_.config));
  result_.failed_step = error.step.empty() ? "config" : error.step;
  node_.log.error(report::messages::kConfigRefused, {{"error", error.what}, {"hint", error.hint}});
  auto done = co_await end_with_result();
  if (!done) node_.log.error("cannot write the result", {{"error", done.error().what}});
  co_return outcome_;
}

host::Task<Result<void>> NativeReport::publish(const engine::Report& run) {
  stopped_by_ = run.stopped_by;
  if (!run.ok) {
    if (co_await going_down(node_)) {
      outcome_ = controller_failure(stopped_by_ != 0 ? stopped_error(stopped_by_) : run.error.what);
      outcome_.signal = stopped_by_;
      outcome_.machine_stops = true;
      co_return Result<void>();
    }
    exit_code_ = run.timed_out         ? exit_code::kTimedOut
                 : run.error.code != 0 ? run.error.code
                 : stopped_by_ != 0    ? exit_code::kAksNodeControllerError
                                       : exit_code::kFailed;
    result_.failed_step = run.failed_step;
    result_.error = stopped_by_ != 0 ? stopped_error(stopped_by_) : run.error.what;
    result_.hint = run.error.hint;
    if (!subject_.files_only) co_await keep_unit_evidence(node_, units_of(run.failed_step, subject_));
    const auto* known = report::find_exit_code(exit_code_);
    result_.hint = hint_with(std::move(result_.hint), config_mistakes(node_, subject_.config),
                             known == nullptr ? std::string_view() : known->remedy);
  }
  auto done = co_await end_with_result();
  if (!run.ok) outcome_.machine_stops = false;
  if (done && outcome_.ok() && sends_result(node_, outcome_)) {
    summarise();
    sending_ = host::Running(node_.loop, send());
  }
  co_return done;
}

void NativeReport::summarise() {
  if (!summary_) return;
  timeline::Summary summary = summary_();
  outcome_.timeline = std::move(summary.line);
  outcome_.milestones = std::move(summary.milestones);
}

host::Task<void> NativeReport::send() {
  co_await send_result(node_, outcome_);
  sent_.set(true);
}

host::Task<void> NativeReport::sent() {
  if (sending_.under_way()) co_await sent_;
}

// "Mon Nov 16 03:23:27 UTC 2026,aks-pool1-0, startcustomscript", the format of the scripts.
void NativeReport::leave_stamps() {
  std::string lines;
  for (const auto& [when, what] : {std::pair(boot_.times.start, "start"), std::pair(boot_.times.end, "end")})
    lines += fmt::format("{},{}, {}customscript\n", report::date_time(when), subject_.facts.hostname, what);
  if (auto kept = node_.files.append(paths::kStamps, lines, 0644 & ~node_.umask); !kept)
    node_.log.warn("cannot write the time stamps", {{"error", kept.error().what}});
  const std::string output = lines.substr(0, lines.find(", ")) + "\n" + boot_.kubelet_state;
  if (auto kept = node_.files.write(paths::kCseOutput, output, 0644 & ~node_.umask); !kept)
    node_.log.warn("cannot write cluster-provision-cse-output.log", {{"error", kept.error().what}});
}

host::Task<Result<void>> NativeReport::end_with_result() {
  host::Files& files = node_.files;
  // The result is complete even without the boot times.
  (void)co_await host::within(
      node_.loop, std::chrono::seconds(5),
      [](NativeReport* self) -> host::Task<Result<void>> {
        if (self->subject_.files_only) co_return Result<void>();
        co_await gather_boot_facts(self->node_.host.units, self->boot_);
        co_return Result<void>();
      }(this),
      "boot times");
  boot_.times.end = node_.now();
  steps_.tell_left_out();  // provision.json contains the end of the log
  steps_.add(fmt::format("{} provisioning ended with exit code {}\n", report::event_time(boot_.times.end), exit_code_));
  const std::string text = node_.redactor.redact(steps_.take_text());
  result_.output = text.size() > kOutput ? text.substr(text.size() - kOutput) : text;
  result_.error = node_.redactor.redact(plan::with_origin(std::move(result_.error), subject_.origins));
  if (auto kept = files.append(paths::kScriptLog, text, 0644 & ~node_.umask); !kept)
    node_.log.warn("cannot write cluster-provision.log", {{"error", kept.error().what}});
  leave_stamps();
  steps_.write_events();
  // For information only: a file that cannot be examined has no other effect.
  const char* mode = may_be_there(files, paths::kScriptlessOverrides) ? "cse_cmd" : "none";
  if (!subject_.origins.empty() || may_be_there(files, paths::kNbcCommand)) mode = "nbc_cse_cmd";
  result_.exit_code = std::to_string(exit_code_);
  result_.systemd_summary = boot_.systemd_summary;
  report::set_times(result_, boot_.times);
  node_.tell_guest_agent({.task = "AKS.CSE.cse_start",
                          .level = report::EventLevel::kNone,
                          .message = report::cse_start_message(result_.exit_code, boot_.times, mode),
                          .start = boot_.times.start,
                          .end = boot_.times.end});
  outcome_ = Outcome{.exit_code = exit_code_, .signal = stopped_by_, .result = result_};
  if (!outcome_.ok()) {
    summarise();
    result_.verdict = report::failure_text(failure_of(node_, outcome_));
  }
  give_room_back(node_);
  // Written before the result, so that a reader of the result also finds the deferred steps that are left.
  const bool owes = outcome_.ok() && !subject_.config.pre_provision_only();
  const std::string mark = unfinished_mark(subject_.config, subject_.facts.sent);
  if (auto noted = owes ? files.write_durable(paths::kUnfinished, mark, 0600) : Result<void>(); !noted)
    node_.log.warn("deferred steps would not be completed after a crash", {{"error", noted.error().what}});
  const std::string whole = report::with_unfinished_steps(report::to_json(result_), unfinished_);
  result_.output = kNoRoom;
  const std::string shorter = report::with_unfinished_steps(report::to_json(result_), unfinished_);
  const auto written = leave_result(node_, whole, shorter, 0644);
  // The second stage depends on base_prep.complete and would turn the first stage's failure into a success.
  outcome_.base_only = subject_.config.pre_provision_only();
  const bool prepared = outcome_.base_only && outcome_.ok();
  if (prepared && !written) co_return written;
  const auto marked = leave_marker(node_, prepared ? paths::kBasePrepComplete : paths::kComplete, 0644);
  co_return written ? marked : written;
}

}  // namespace sunup::controller
