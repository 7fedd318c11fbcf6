#include "engine/run.h"

#include <fmt/format.h>

#include <cerrno>
#include <memory>

#include "engine/attempts.h"
#include "engine/journal.h"
#include "engine/outputs.h"
#include "engine/ready_steps.h"
#include "engine/resume.h"
#include "host/stop_signals.h"

namespace sunup::engine {
namespace {

// The host as deferred steps see it: every program that they start runs with the lowest priority.
class BackgroundProcesses : public host::Processes {
 public:
  explicit BackgroundProcesses(host::Processes& processes) : processes_(processes) {}
  Result<std::unique_ptr<host::Process>> start(host::Command command) override {
    command.background = true;
    return processes_.start(std::move(command));
  }
  host::Task<void> settled() override { return processes_.settled(); }

 private:
  host::Processes& processes_;
};

struct BackgroundHost {
  explicit BackgroundHost(host::Host& base)
      : processes(base.processes), host{base.loop,    base.files, processes, base.units,  base.kernel,
                                        base.network, base.watch, base.work, base.boot_id} {}
  BackgroundHost(const BackgroundHost&) = delete;

  BackgroundProcesses processes;
  host::Host host;
};

using host::Running;
using host::Slot;

// One run. Lives in the frame of run(). All methods run on the loop's thread, from the top of the loop.
class Run {
 public:
  Run(host::Host& host, const Graph& graph, Options options)
      : host_(host),
        background_(host),
        graph_(graph),
        options_(std::move(options)),
        owned_(graph),
        journal_(host.files, options_.journal, host.boot_id, options_.generation),
        observers_(host.loop, options_.observers),
        ready_(host.loop, graph, options_.profile, [this](size_t step) { start(step); }),
        state_(graph.size()),
        completed_(host.loop),
        settled_(host.loop) {}
  Run(const Run&) = delete;

  Task<Report> go();

 private:
  struct State {
    size_t waiting_for = 0;  // steps before it that have not ended
    std::string why;         // why it runs
    bool renews = false;     // as in Context
    std::unique_ptr<Context> context;
    Running running;
    bool ended = false;
  };
  const std::string& name(size_t step) const { return graph_.steps()[step].name; }

  // A run continues if its journal cannot be written; the log describes the possible consequence.
  void note(const Result<void>& noted, std::string_view otherwise) const {
    if (!noted) observers_.tell(EventKind::kJournal, otherwise, &noted.error());
  }

  void begin();
  void skip(size_t step, const Journal::Done& done, const std::string& why);
  void start(size_t step);
  void step_ended(size_t step);
  void release_followers(size_t step, bool provided);
  void drop(size_t step, const std::string& why);
  void milestone_reached();
  void stop(std::string failed_step, Error error);
  void check_completion();
  Task<void> watch_signals();
  Task<void> take_back(size_t step);
  Task<Result<void>> make_durable();

  host::Host& host_;
  BackgroundHost background_;
  const Graph& graph_;
  Options options_;
  const OwnedFiles owned_;
  Journal journal_;
  const Observers observers_;
  std::map<std::string, std::string> facts_;
  ReadySteps ready_;
  bool deferred_ran_ = false;
  bool stopped_ = false;
  int signal_ = 0;
  size_t left_ = 0;           // steps that are not deferred and have not ended
  size_t deferred_left_ = 0;  // deferred steps that have not ended
  std::vector<State> state_;
  std::vector<size_t> to_take_back_;
  Report report_;
  RetryRules retry_rules_;
  Slot<bool> completed_;
  Slot<bool> settled_;
  Running signals_;
  Running deadline_;
};

void Run::begin() {
  for (size_t i = 0; i < graph_.size(); ++i) {
    state_[i].waiting_for = graph_.before(i).size();
    ++(graph_.deferred(i) ? deferred_left_ : left_);
  }
  const std::vector<Resumed> resumed =
      resume(graph_, journal_, owned_, host_.files, options_.only_deferred, options_.again);
  for (const size_t i : graph_.order()) {
    if (resumed[i].done != nullptr) skip(i, *resumed[i].done, resumed[i].why);
    // Set for all of them first, because dropping one of them would start the next.
    if (resumed[i].left_alone) state_[i].ended = true;
  }
  for (const size_t i : graph_.order())
    if (resumed[i].left_alone) drop(i, resumed[i].why);
  for (size_t i = 0; i < graph_.size(); ++i) {
    if (state_[i].ended) continue;
    state_[i].why = resumed[i].why;
    state_[i].renews = resumed[i].renews;
    if (state_[i].waiting_for == 0) ready_.add(i);
  }
}

void Run::skip(size_t step, const Journal::Done& done, const std::string& why) {
  for (const auto& [fact, value] : done.facts) facts_[fact] = value;
  report_.steps[step].outcome = StepOutcome::kSkipped;
  report_.steps[step].why = why;
  report_.steps[step].started = report_.steps[step].ended = host_.loop.now();
  observers_.tell_of(name(step), EventKind::kStepSkipped, why);
  state_[step].ended = true;
  --(graph_.deferred(step) ? deferred_left_ : left_);
  for (const size_t follower : graph_.followers(step)) --state_[follower].waiting_for;
  if (step == graph_.milestone_step()) milestone_reached();
}

void Run::start(size_t step) {
  State& state = state_[step];
  StepReport& report = report_.steps[step];
  report.started = host_.loop.now();
  report.why = state.why;
  note(journal_.started(graph_.steps()[step]), "after a crash now, an earlier success of this step could be assumed");
  state.context = std::make_unique<Context>(
      graph_.deferred(step) ? background_.host : host_, graph_.steps()[step], facts_,
      [this, step](const std::string& text) { observers_.tell_of(name(step), EventKind::kStepNote, text); },
      [this, step](const std::string& text) { observers_.tell_of(name(step), EventKind::kStepLeftOut, text); });
  state.context->set_renews(state.renews);
  state.running = Running(host_.loop, attempt_until_done(*state.context, observers_, retry_rules_, report),
                          [this, step] { step_ended(step); });
}

void Run::step_ended(size_t step) {
  StepReport& report = report_.steps[step];
  State& state = state_[step];
  const Step& declared = graph_.steps()[step];
  report.ended = host_.loop.now();
  state.ended = true;
  state.running = {};
  const bool ok = report.outcome == StepOutcome::kDone;
  if (graph_.deferred(step)) deferred_ran_ = true;
  observers_.tell_of(name(step), EventKind::kStepEnded, {}, report.attempts, ok ? nullptr : &report.error);
  if (ok) {
    Outputs outputs = look_at_outputs(host_.files, owned_.of(step), state.context->written());
    add_links_of_units(host_.files, declared.units, outputs);
    note(journal_.finished(declared, state.context->given(), std::move(outputs)),
         "this step would be repeated after a crash");
  }
  state.context.reset();
  --(graph_.deferred(step) ? deferred_left_ : left_);
  if (!ok && declared.fatal && !graph_.deferred(step) && !options_.only_deferred) {
    stop(declared.name, Error(report.error).in_step(declared.name));
    return;
  }
  release_followers(step, ok);
  if (ok && step == graph_.milestone_step()) milestone_reached();
  check_completion();
}

void Run::release_followers(size_t step, bool provided) {
  for (const size_t follower : graph_.followers(step)) {
    if (state_[follower].ended) continue;
    bool needed = false;
    for (const Graph::Edge& edge : graph_.before(follower)) needed |= edge.step == step && edge.needed;
    if (!provided && needed) {
      drop(follower, fmt::format("needs '{}', which failed", name(step)));
    } else if (--state_[follower].waiting_for == 0) {
      observers_.tell_of(name(follower), EventKind::kStepReady, fmt::format("waited last for '{}'", name(step)));
      ready_.add(follower);
    }
  }
}

void Run::drop(size_t step, const std::string& why) {
  state_[step].ended = true;
  report_.steps[step].why = why;
  observers_.tell_of(name(step), EventKind::kStepDropped, why);
  --(graph_.deferred(step) ? deferred_left_ : left_);
  release_followers(step, false);
}

void Run::milestone_reached() {
  report_.milestone = host_.loop.now();
  observers_.tell(EventKind::kMilestone, graph_.milestone());
  ready_.let_deferred_start();
}

void Run::check_completion() {
  if (stopped_) return;
  if (left_ == 0) {
    completed_.set(true);
    ready_.let_deferred_start();  // also if there is no milestone, or its step failed without being fatal
  }
  if (left_ == 0 && deferred_left_ == 0) settled_.set(true);
}

void Run::stop(std::string failed_step, Error error) {
  if (std::exchange(stopped_, true)) return;
  ready_.stop();
  observers_.tell(EventKind::kStopping, failed_step, &error);
  for (size_t i = 0; i < graph_.size(); ++i) {
    State& state = state_[i];
    if (state.ended) continue;
    StepReport& report = report_.steps[i];
    if (report.attempts > 0) report.ended = host_.loop.now();
    if (state.running.under_way()) {
      report.outcome = StepOutcome::kCancelled;
      observers_.tell_of(name(i), EventKind::kStepDropped, "cancelled");
      if (graph_.steps()[i].take_back && !graph_.deferred(i)) to_take_back_.push_back(i);
    } else if (report.attempts == 0) {
      report.outcome = StepOutcome::kNotRun;
      report.why = "the run ended before its turn";
    }
    state.running = {};
    if (to_take_back_.empty() || to_take_back_.back() != i) state.context.reset();
    state.ended = true;
  }
  // After completion only deferred work is interrupted; the report does not change.
  if (!completed_.is_set()) {
    report_.failed_step = std::move(failed_step);
    report_.error = std::move(error);
  }
  completed_.set(true);
  settled_.set(true);
}

Task<void> Run::watch_signals() {
  signal_ = co_await host_.watch.termination();
}

Task<void> Run::take_back(size_t step) {
  constexpr Duration kLimit = std::chrono::seconds(10);
  auto taking = graph_.steps()[step].take_back(*state_[step].context);
  auto taken = co_await host::within(host_.loop, kLimit, std::move(taking), "taking it back");
  if (!taken) observers_.tell_of(name(step), EventKind::kStepNote, taken.error().what);
  state_[step].context.reset();
}

Task<Result<void>> Run::make_durable() {
  // A hanging disk must not prevent the result from being published.
  Duration limit = std::chrono::minutes(5);
  if (options_.deadline > Duration::zero())
    limit = std::max<Duration>(report_.started + options_.deadline - host_.loop.now(), std::chrono::seconds(10));
  const uint64_t mark = journal_.mark();
  Result<void> synced = co_await host::within(host_.loop, limit, host_.files.sync(), "syncing the disk");
  if (!synced) co_return synced;
  note(journal_.barrier(mark), "steps would be repeated after a reboot");
  observers_.tell(EventKind::kBarrier);
  co_return Result<void>();
}

Task<Report> Run::go() {
  report_.steps.resize(graph_.size());
  report_.started = host_.loop.now();
  retry_rules_.jitter_seed = options_.jitter_seed;
  if (options_.retry_budget > Duration::zero()) retry_rules_.last_start = report_.started + options_.retry_budget;
  observers_.tell(EventKind::kRunStarted, fmt::format("{} steps", graph_.size()));
  for (const std::string& trouble : journal_.troubles()) observers_.tell(EventKind::kJournal, trouble);
  signals_ = Running(host_.loop, watch_signals(), [this] {
    Error asked("asked to stop by " + host::signal_name(signal_));
    asked.os_errno = EINTR;
    if (!completed_.is_set()) report_.stopped_by = signal_;
    stop("signal", std::move(asked));
  });
  if (options_.deadline > Duration::zero())
    deadline_ = Running(host_.loop, host_.loop.at(report_.started + options_.deadline), [this] {
      Error late(fmt::format("not done within {}s", options_.deadline / std::chrono::seconds(1)));
      late.os_errno = ETIMEDOUT;
      if (completed_.is_set()) return;
      report_.timed_out = true;
      stop("deadline", std::move(late));
    });
  begin();
  check_completion();
  co_await completed_;
  deadline_ = {};

  if (report_.failed_step.empty() && !options_.only_deferred) {
    Result<void> durable = co_await make_durable();
    if (!durable) {
      report_.failed_step = "durability barrier";
      report_.error = std::move(durable).error();
      stop("durability barrier", report_.error);
    }
  }
  // This comes before the wait for children, which may take seconds, because jobs that a step has queued continue
  // meanwhile.
  for (const size_t step : std::exchange(to_take_back_, {})) co_await take_back(step);
  // A reader of the result may start provisioning again at once, so no child of this run may still be running then.
  if (stopped_) co_await host_.processes.settled();
  report_.ok = report_.failed_step.empty();
  report_.completed = host_.loop.now();
  observers_.tell(EventKind::kRunEnded, report_.failed_step, report_.ok ? nullptr : &report_.error);
  if (options_.on_complete) {
    Result<void> published = co_await options_.on_complete(report_);
    if (!published && report_.ok) {
      report_.ok = false;
      report_.failed_step = "completion";
      report_.error = std::move(published).error();
    }
  }
  if (!stopped_) check_completion();
  co_await settled_;
  if (stopped_) co_await host_.processes.settled();
  report_.settled = !stopped_;
  // No caller waits any more, but files of deferred steps must also survive a power cut complete.
  if (report_.ok && !stopped_ && deferred_ran_) (void)co_await make_durable();
  co_return std::move(report_);
}

}  // namespace

Task<Report> run(host::Host& host, const Graph& graph, Options options) {
  Run running(host, graph, std::move(options));
  co_return co_await running.go();
}

}  // namespace sunup::engine
