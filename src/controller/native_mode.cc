#include "controller/native_mode.h"

#include <unistd.h>

#include "base/node_paths.h"
#include "contract/write.h"
#include "controller/native_report.h"
#include "engine/retry.h"
#include "engine/run.h"
#include "host/edit.h"
#include "plan/catalogue.h"
#include "plan/gather.h"
#include "plan/metadata.h"
#include "report/provision_result.h"
#include "timeline/run_recorder.h"
#include "timeline/summary.h"

namespace sunup::controller {
namespace {

using namespace std::chrono_literals;

// The contract's time limit for provisioning: 15 minutes unless the config has another; an invalid value is ignored.
host::Duration limit_of(const contract::Configuration& config) {
  const int seconds = config.cse_timeout();
  return std::chrono::seconds(seconds <= 0 || seconds > 21600 ? 900 : seconds);
}

Result<render::node::ImdsFacts> read_metadata(Node& node, const std::string& path) {
  const auto whole = callers_path(path);
  auto text = whole ? node.callers_files.read_input(*whole, contract::kMaxConfigBytes, contract::kConfigPatience)
                    : whole.error();
  if (!text) return std::move(text).error().in("--metadata");
  return render::node::parse_imds(*text);
}

void show(Node& node, const engine::Graph& graph) {
  for (const size_t i : graph.order()) {
    const engine::Step& step = graph.steps()[i];
    node.log.info(report::messages::kDryRun, {{"step", step.name}, {"purpose", step.purpose}});
  }
}

Result<plan::SubjectPtr> subject_of(Node& node, contract::Loaded& loaded, const NativeOptions& how) {
  // Without the boot id, the work of this boot cannot be distinguished from that of an earlier one.
  if (node.boot_trouble) return *node.boot_trouble;
  auto subject = std::make_shared<plan::Subject>();
  subject->config = std::move(loaded.config);
  subject->files_only = !node.root.empty();
  auto facts = plan::gather_facts(node.files, subject->config, subject->files_only);
  if (!facts) return std::move(facts).error();
  subject->facts = *std::move(facts);
  subject->facts.sent = how.sent;
  subject->origins = how.origins;
  subject->hooks = plan::read_hooks(node.files, subject->files_only);
  if (!how.metadata.empty()) {
    auto told = read_metadata(node, how.metadata);
    if (!told) return std::move(told).error();
    subject->facts.imds = *std::move(told);
  } else if (!how.known_metadata.empty()) {
    auto known = plan::with_address(render::node::parse_imds(how.known_metadata));
    if (known) subject->facts.imds = *std::move(known);
  }
  return plan::SubjectPtr(std::move(subject));
}

engine::Options options_for(Node& node, const plan::Subject& subject) {
  engine::Options options;
  // Not protobuf's own encoding: the order of the entries of a map differs between processes.
  options.generation = node.version + contract::to_json(subject.config);
  for (const auto& [variable, text] : subject.facts.sent) options.generation += variable + "=" + text + "\n";
  options.profile = plan::usual_profile();
  options.jitter_seed = static_cast<uint64_t>(node.now());
  return options;
}

// Whether the step has failed for a reason that may be temporary, and the success does not depend on it. A step that
// writes no files leaves nothing missing at the next boot.
bool is_worth_another_try(const engine::Graph& graph, const engine::Report& run, size_t step) {
  const engine::Step& declared = graph.steps()[step];
  const bool lacks_files = !declared.fatal && !declared.files.empty();
  return (graph.deferred(step) || lacks_files) && run.steps[step].outcome == engine::StepOutcome::kFailed &&
         engine::may_pass(run.steps[step].error);
}

// The names of the steps that the next start must run: those that failed, and those that were dropped because they
// depend on one.
std::vector<std::string> to_be_tried_again(const engine::Graph& graph, const engine::Report& run) {
  std::vector<bool> again(graph.size());
  std::vector<std::string> names;
  for (const size_t i : graph.order()) {
    again[i] = is_worth_another_try(graph, run, i);
    for (const engine::Graph::Edge& edge : graph.before(i))
      again[i] = again[i] || (edge.needed && again[edge.step] && run.steps[i].outcome == engine::StepOutcome::kNotRun);
    if (again[i]) names.push_back(graph.steps()[i].name);
  }
  return names;
}

void name_in_result(Node& node, const std::vector<std::string>& steps) {
  const auto naming = [&](const std::optional<host::FileText>& before) -> Result<std::optional<host::FileText>> {
    if (!before) return std::optional<host::FileText>();
    return std::optional(host::FileText{report::with_unfinished_steps(before->text, steps), before->mode});
  };
  if (const auto named = host::edit(node.files, paths::kResult, naming); !named)
    node.log.warn("the result does not name what is left to do", {{"error", named.error().what}});
}

std::vector<std::string> named_in_result(Node& node) {
  const auto text = node.files.read(paths::kResult);
  if (text) return report::unfinished_steps(*text);
  node.log.warn("cannot determine which steps have failed", {{"error", text.error().what}});
  return {};
}

// A machine that is shutting down refuses to start units, so the steps that failed are tried again at the next boot.
host::Task<void> end_of_success(Node& node, const engine::Graph& graph, const engine::Report& run) {
  if (!run.ok || !run.settled) co_return;
  if (co_await going_down(node)) co_return;
  const std::vector<std::string> again = to_be_tried_again(graph, run);
  name_in_result(node, again);
  // Without the mark (when a base image is only prepared), no boot looks for deferred steps.
  const auto owes = node.files.exists(paths::kUnfinished);
  for (const std::string& step : again)
    node.log.warn(!owes || *owes ? "a deferred step has failed: it is tried again at the next boot"
                                 : "a deferred step has failed: it is tried again if the image is prepared again",
                  {{"step", step}});
  if (!again.empty()) co_return;
  // The journal is of no further use: if this node is provisioned again, all steps must run. After a failure the
  // journal stays, so that the next run can resume.
  if (auto removed = node.files.remove_durable(engine::Options().journal); !removed) {
    node.log.warn("cannot remove the journal: the next boot does", {{"error", removed.error().what}});
    co_return;
  }
  if (auto removed = node.files.remove_durable(paths::kUnfinished); !removed)
    node.log.warn("the deferred steps will be checked again", {{"error", removed.error().what}});
}

}  // namespace

host::Task<Outcome> provision_natively(Node& node, contract::Loaded loaded, NativeOptions how) {
  const auto known = subject_of(node, loaded, how);
  if (!known) co_return controller_failure(known.error().what);
  const plan::SubjectPtr& subject = *known;
  NativeReport report(node, *subject, loaded.findings);
  auto graph = plan::derive(subject);
  if (!graph) {
    if (how.dry_run || subject->facts.image->error()) co_return controller_failure(graph.error().what);
    co_return co_await report.refused(graph.error());
  }
  if (how.dry_run) {
    show(node, *graph);
    co_return Outcome();
  }
  // After a power failure, an old result must not reappear on a node that is only partly provisioned.
  if (report.replaces_a_result()) {
    if (auto durable = co_await node.files.sync(); !durable)
      node.log.warn("the removal of an old result may not survive a crash", {{"error", durable.error().what}});
  }
  engine::Options options = options_for(node, *subject);
  options.deadline = limit_of(subject->config);
  options.retry_budget = options.deadline * 13 / 15;
  timeline::RunRecorder recorder(
      node.files, node.loop, *graph,
      {.boot = node.host.boot_id, .version = node.version, .mode = "native", .pid = ::getpid()},
      [&node](std::string_view text) { return node.redactor.redact(text); });
  recorder.judge_with([&report](std::string_view step) { return report.steps().did(step); });
  report.summarise_with([&recorder] { return timeline::summary_of(recorder.so_far()); });
  options.observers = {&report.steps(), &recorder};
  options.on_complete = [&report, &graph](const engine::Report& run) {
    if (run.ok) report.names_unfinished(to_be_tried_again(*graph, run));
    return report.publish(run);
  };
  const engine::Report run = co_await engine::run(node.host, *graph, std::move(options));
  report.finish();
  Outcome outcome = report.outcome();
  outcome.by_steps = true;
  co_await end_of_success(node, *graph, run);
  co_await report.sent();
  // The node may be working, but there is no result. The partly written success is replaced by a failure.
  if (outcome.ok() && !run.ok) {
    outcome = controller_failure("cannot write the result: " + run.error.what);
    outcome.replaces_result = true;
  }
  co_return outcome;
}

host::Task<void> finish_natively(Node& node, contract::Loaded loaded, NativeOptions how) {
  const auto mark = node.files.read(paths::kUnfinished);
  if (!mark) {
    node.log.warn("cannot determine which steps were deferred", {{"error", mark.error().what}});
    co_return;
  }
  if (*mark != unfinished_mark(loaded.config, how.sent)) {
    node.log.warn("steps were deferred with another config: they are not completed with this one");
    co_return;
  }
  node.log.info("completing the deferred steps");
  const auto known = subject_of(node, loaded, how);
  auto graph = known ? plan::derive(*known) : known.error();
  if (!graph) {
    node.log.warn("cannot complete the deferred steps", {{"error", graph.error().what}});
    co_return;
  }
  NativeReport report(node, **known, loaded.findings);
  report.goes_on_after_result();
  engine::Options options = options_for(node, **known);
  options.only_deferred = true;
  options.again = named_in_result(node);
  options.observers = {&report.steps()};
  const engine::Report run = co_await engine::run(node.host, *graph, std::move(options));
  report.finish();
  co_await end_of_success(node, *graph, run);
}

}  // namespace sunup::controller
