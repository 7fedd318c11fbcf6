#include "engine/run.h"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <memory>
#include <set>

#include "engine/background.h"
#include "engine/journal.h"
#include "engine/retry.h"
#include "host/stop_signals.h"

namespace sunup::engine {
namespace {

using host::Running;
using host::Slot;

// One run. Lives in the frame of run(); everything below happens on the loop's thread, from the top of the loop.
class Run {
 public:
  Run(host::Host& host, const Graph& graph, Options options)
      : host_(host),
        background_(host),
        graph_(graph),
        options_(std::move(options)),
        journal_(host.files, options_.journal, host.boot_id, options_.generation),
        priority_(graph.priorities(options_.profile)),
        by_urgency_{priority_},
        critical_(by_urgency_),
        patient_(by_urgency_),
        deferred_(by_urgency_),
        state_(graph.size()),
        completed_(host.loop),
        settled_(host.loop) {
    report_.steps.resize(graph.size());
  }
  Run(const Run&) = delete;

  Task<Report> go();

 private:
  struct State {
    size_t waiting_for = 0;  // steps before it that have not ended
    std::string why;         // it runs
    std::unique_ptr<Context> context;
    Running running;
    bool ended = false;
  };
  struct ByUrgency {
    const std::vector<size_t>& priority;
    bool operator()(size_t a, size_t b) const { return priority[a] < priority[b]; }
  };
  using Queue = std::set<size_t, ByUrgency>;

  void emit(EventKind kind, size_t step, std::string_view text = {}, int attempt = 0, const Error* error = nullptr);
  void emit(EventKind kind, std::string_view text = {}, const Error* error = nullptr);
  bool deferred(size_t step) const { return graph_.rank(step) == Rank::kDeferred; }

  bool belongs_to_a_success(size_t step) const;

  void decide();
  void skip(size_t step, const Journal::Done& done, const std::string& why);
  void enqueue(size_t step);
  void pump();
  void pump_soon();
  void pump_when_idle();
  void start(size_t step);
  Task<void> drive(size_t step);
  Task<Result<void>> attempt(size_t step, TimePoint until);
  void step_ended(size_t step);
  void release_followers(size_t step, bool provided);
  void drop(size_t step, const std::string& why);
  void milestone_reached();
  void let_deferred_start();
  void stop(std::string failed_step, Error error);
  void check_completion();
  Task<void> watch_signals();
  Task<void> watch_deadline();
  Task<Result<void>> make_durable();

  host::Host& host_;
  BackgroundHost background_;
  const Graph& graph_;
  Options options_;
  Journal journal_;
  std::map<std::string, std::string> facts_;
  const std::vector<size_t> priority_;
  const ByUrgency by_urgency_;
  Queue critical_;  // ready, and the milestone waits for it
  Queue patient_;   // ready, and only the end of the run waits for it
  Queue deferred_;  // ready, once the milestone is reached
  bool pumping_ = false;
  bool idling_ = false;
  bool deferred_may_start_ = false;
  bool deferred_ran_ = false;
  bool stopped_ = false;
  int signal_ = 0;
  size_t left_ = 0;           // steps that are not deferred and have not ended
  size_t deferred_left_ = 0;  // deferred steps that have not ended
  std::vector<State> state_;
  Report report_;
  Slot<bool> completed_;
  Slot<bool> settled_;
  Running signals_;
  Running deadline_;
  std::shared_ptr<Run*> self_ = std::make_shared<Run*>(this);  // for callbacks that may come after us
};

void Run::emit(EventKind kind, size_t step, std::string_view text, int attempt, const Error* error) {
  const Event event{.kind = kind,
                    .at = host_.loop.now(),
                    .step = graph_.steps()[step].name,
                    .text = text,
                    .attempt = attempt,
                    .error = error};
  for (Observer* observer : options_.observers) observer->on(event);
}

void Run::emit(EventKind kind, std::string_view text, const Error* error) {
  const Event event{.kind = kind, .at = host_.loop.now(), .step = {}, .text = text, .attempt = 0, .error = error};
  for (Observer* observer : options_.observers) observer->on(event);
}

// Is it none of this run's business, because a run that was published as a success has had its turn with it? What it
// only asked may be asked again for a deferred step, if the answer is lost.
bool Run::belongs_to_a_success(size_t step) const {
  if (!options_.only_deferred || deferred(step)) return false;
  const Step& declared = graph_.steps()[step];
  if (!declared.fatal || journal_.recorded(declared) != nullptr || !declared.files.empty() || !declared.units.empty() ||
      !declared.touches.empty())
    return true;
  for (const size_t follower : graph_.followers(step))
    for (const Graph::Edge& edge : graph_.before(follower))
      if (deferred(follower) && edge.step == step && edge.needed) return false;
  return true;
}

// Which steps an earlier run has done: those with a record to be believed, if everything before them is done too and
// has not been done again since (a run that was cut off in between may have undone what the later step made).
void Run::decide() {
  for (size_t i = 0; i < graph_.size(); ++i) {
    state_[i].waiting_for = graph_.before(i).size();
    ++(deferred(i) ? deferred_left_ : left_);
  }
  std::vector<const Journal::Done*> done(graph_.size());
  for (const size_t i : graph_.order()) {
    if (belongs_to_a_success(i)) {
      done[i] = journal_.recorded(graph_.steps()[i]);
      // It could not have succeeded without. The record may be lost, and what was learned with it.
      static const Journal::Done kWithoutRecord;
      if (done[i] == nullptr && graph_.steps()[i].fatal) done[i] = &kWithoutRecord;
      state_[i].why = "done by the run that succeeded";
      continue;
    }
    done[i] = journal_.find(graph_.steps()[i], &state_[i].why);
    if (done[i] == nullptr) continue;
    for (const Graph::Edge& edge : graph_.before(i)) {
      if (belongs_to_a_success(edge.step)) continue;
      const std::string& name = graph_.steps()[edge.step].name;
      if (done[edge.step] == nullptr)
        state_[i].why = fmt::format("'{}' runs again", name);
      else if (done[edge.step]->number > done[i]->number)
        state_[i].why = fmt::format("'{}' was done again since", name);
      else
        continue;
      done[i] = nullptr;
      break;
    }
  }
  for (const size_t i : graph_.order())
    if (done[i] != nullptr) skip(i, *done[i], state_[i].why);
  std::vector<size_t> never_done;
  for (const size_t i : graph_.order())
    if (belongs_to_a_success(i) && !std::exchange(state_[i].ended, true)) never_done.push_back(i);
  for (const size_t i : never_done) drop(i, "the run that succeeded has left no record of it");
  for (size_t i = 0; i < graph_.size(); ++i)
    if (!state_[i].ended && state_[i].waiting_for == 0) enqueue(i);
}

void Run::skip(size_t step, const Journal::Done& done, const std::string& why) {
  for (const auto& [name, value] : done.facts) facts_[name] = value;
  report_.steps[step].outcome = Outcome::kSkipped;
  report_.steps[step].why = why;
  report_.steps[step].started = report_.steps[step].ended = host_.loop.now();
  emit(EventKind::kStepSkipped, step, why);
  state_[step].ended = true;
  --(deferred(step) ? deferred_left_ : left_);
  for (const size_t follower : graph_.followers(step)) --state_[follower].waiting_for;
  if (step == graph_.milestone_step()) milestone_reached();
}

void Run::enqueue(size_t step) {
  switch (graph_.rank(step)) {
    case Rank::kCritical:
      critical_.insert(step);
      pump_soon();
      break;
    case Rank::kCompletion:
      patient_.insert(step);
      pump_when_idle();
      break;
    case Rank::kDeferred:
      deferred_.insert(step);
      if (deferred_may_start_) pump_when_idle();
      break;
  }
}

// One start a turn of the loop: between two starts the machine is heard, so that what it has to say to a more urgent
// step does not wait for the first file writes of all the others.
void Run::pump_soon() {
  if (std::exchange(pumping_, true)) return;
  host_.loop.post([self = std::weak_ptr<Run*>(self_)] {
    if (const auto run = self.lock()) {
      (*run)->pumping_ = false;
      (*run)->pump();
    }
  });
}

void Run::pump() {
  if (critical_.empty() || stopped_) return;
  const size_t next = *critical_.begin();
  critical_.erase(critical_.begin());
  start(next);
  if (!critical_.empty()) pump_soon();
}

void Run::pump_when_idle() {
  if (std::exchange(idling_, true)) return;
  host_.loop.when_idle([self = std::weak_ptr<Run*>(self_)] {
    const auto alive = self.lock();
    if (!alive) return;
    Run& run = **alive;
    run.idling_ = false;
    Queue& queue = !run.patient_.empty() ? run.patient_ : run.deferred_;
    if (run.stopped_ || queue.empty() || (&queue == &run.deferred_ && !run.deferred_may_start_)) return;
    const size_t next = *queue.begin();
    queue.erase(queue.begin());
    run.start(next);
    if (!run.patient_.empty() || (run.deferred_may_start_ && !run.deferred_.empty())) run.pump_when_idle();
  });
}

void Run::start(size_t step) {
  State& state = state_[step];
  StepReport& report = report_.steps[step];
  report.started = host_.loop.now();
  report.why = state.why;
  if (auto noted = journal_.started(graph_.steps()[step]); !noted)
    emit(EventKind::kJournal, "a crash now could be mistaken for an earlier success of this step", &noted.error());
  state.context = std::make_unique<Context>(
      deferred(step) ? background_.host : host_, graph_.steps()[step], facts_,
      [this, step](std::string text) { emit(EventKind::kStepNote, step, text); },
      [this, step](std::string text) { emit(EventKind::kStepLeftOut, step, text); });
  state.running = Running(host_.loop, drive(step), [this, step] { step_ended(step); });
}

Task<void> Run::drive(size_t step) {
  const Step& declared = graph_.steps()[step];
  StepReport& report = report_.steps[step];
  const TimePoint began = host_.loop.now();
  TimePoint until = began + declared.deadline;
  while (true) {
    ++report.attempts;
    emit(EventKind::kStepStarted, step, report.attempts == 1 ? report.why : "", report.attempts);
    Result<void> result = co_await attempt(step, until);
    if (result) {
      report.outcome = Outcome::kDone;
      co_return;
    }
    report.error = std::move(result).error();
    if (report.error.code == 0) report.error.code = declared.exit_code;
    report.outcome = Outcome::kFailed;
    const TimePoint now = host_.loop.now();
    TimePoint last_start = until;
    if (declared.retry.budget > Duration::zero()) last_start = std::min(last_start, began + declared.retry.budget);
    if (options_.retry_budget > Duration::zero())
      last_start = std::min(last_start, report_.started + options_.retry_budget);
    const std::optional<Duration> pause = next_pause(declared.retry, declared.name, report.attempts, report.error,
                                                     last_start - now, options_.jitter_seed);
    if (!pause) co_return;
    emit(EventKind::kStepRetry, step, fmt::format("again in {}ms", *pause / std::chrono::milliseconds(1)),
         report.attempts, &report.error);
    co_await host_.loop.after(*pause);
  }
}

Task<Result<void>> Run::attempt(size_t step, TimePoint until) {
  const Step& declared = graph_.steps()[step];
  Duration limit = until - host_.loop.now();
  if (declared.retry.each > Duration::zero()) limit = std::min(limit, declared.retry.each);
  co_return co_await host::within(host_.loop, limit, declared.run(*state_[step].context), declared.name);
}

void Run::step_ended(size_t step) {
  StepReport& report = report_.steps[step];
  State& state = state_[step];
  const Step& declared = graph_.steps()[step];
  report.ended = host_.loop.now();
  state.ended = true;
  state.running = {};
  const bool ok = report.outcome == Outcome::kDone;
  if (deferred(step)) deferred_ran_ = true;
  emit(EventKind::kStepEnded, step, {}, report.attempts, ok ? nullptr : &report.error);
  if (ok) {
    if (auto noted = journal_.finished(declared, state.context->given()); !noted)
      emit(EventKind::kJournal, "this step would be repeated after a crash", &noted.error());
  }
  state.context.reset();
  --(deferred(step) ? deferred_left_ : left_);
  if (!ok && declared.fatal && !deferred(step) && !options_.only_deferred) {
    stop(declared.name, report.error.in("step " + declared.name));
    return;
  }
  release_followers(step, ok);
  if (ok && step == graph_.milestone_step()) milestone_reached();
  check_completion();
}

void Run::release_followers(size_t step, bool provided) {
  const std::string& name = graph_.steps()[step].name;
  for (const size_t follower : graph_.followers(step)) {
    if (state_[follower].ended) continue;
    bool needed = false;
    for (const Graph::Edge& edge : graph_.before(follower)) needed |= edge.step == step && edge.needed;
    if (!provided && needed) {
      drop(follower, fmt::format("needs '{}', which failed", name));
    } else if (--state_[follower].waiting_for == 0) {
      emit(EventKind::kStepReady, follower, fmt::format("waited last for '{}'", name));
      enqueue(follower);
    }
  }
}

void Run::drop(size_t step, const std::string& why) {
  state_[step].ended = true;
  report_.steps[step].why = why;
  emit(EventKind::kStepDropped, step, why);
  --(deferred(step) ? deferred_left_ : left_);
  release_followers(step, false);
}

void Run::milestone_reached() {
  report_.milestone = host_.loop.now();
  emit(EventKind::kMilestone, graph_.milestone());
  let_deferred_start();
}

void Run::let_deferred_start() {
  if (std::exchange(deferred_may_start_, true)) return;
  if (!deferred_.empty()) pump_when_idle();
}

void Run::check_completion() {
  if (stopped_) return;
  if (left_ == 0) {
    completed_.set(true);
    let_deferred_start();  // also when there is no milestone, or its step failed without being fatal
  }
  if (left_ == 0 && deferred_left_ == 0) settled_.set(true);
}

void Run::stop(std::string failed_step, Error error) {
  if (std::exchange(stopped_, true)) return;
  emit(EventKind::kStopping, failed_step, &error);
  for (size_t i = 0; i < graph_.size(); ++i) {
    State& state = state_[i];
    if (state.ended) continue;
    StepReport& report = report_.steps[i];
    if (report.attempts > 0) report.ended = host_.loop.now();
    if (state.running.under_way()) {
      report.outcome = Outcome::kCancelled;
      emit(EventKind::kStepDropped, i, "cancelled");
    } else if (report.attempts == 0) {
      report.outcome = Outcome::kNotRun;
      report.why = "the run ended before its turn";
    }
    state.running = {};
    state.context.reset();
    state.ended = true;
  }
  // After completion only deferred work is cut short; what was reported stands.
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

Task<void> Run::watch_deadline() {
  co_await host_.loop.at(report_.started + options_.deadline);
}

Task<Result<void>> Run::make_durable() {
  // A disk that hangs must not keep the result from being published.
  Duration limit = std::chrono::minutes(5);
  if (options_.deadline > Duration::zero())
    limit = std::max<Duration>(report_.started + options_.deadline - host_.loop.now(), std::chrono::seconds(10));
  const uint64_t mark = journal_.mark();
  Result<void> synced = co_await host::within(host_.loop, limit, host_.files.sync(), "syncing the disk");
  if (!synced) co_return synced;
  if (auto noted = journal_.barrier(mark); !noted)
    emit(EventKind::kJournal, "steps would be repeated after a reboot", &noted.error());
  emit(EventKind::kBarrier);
  co_return Result<void>();
}

Task<Report> Run::go() {
  report_.started = host_.loop.now();
  emit(EventKind::kRunStarted, fmt::format("{} steps", graph_.size()));
  for (const std::string& trouble : journal_.troubles()) emit(EventKind::kJournal, trouble);
  signals_ = Running(host_.loop, watch_signals(), [this] {
    Error asked("asked to stop by " + host::signal_name(signal_));
    asked.os_errno = EINTR;
    if (!completed_.is_set()) report_.stopped_by = signal_;
    stop("signal", std::move(asked));
  });
  if (options_.deadline > Duration::zero())
    deadline_ = Running(host_.loop, watch_deadline(), [this] {
      Error late(fmt::format("not done within {}s", options_.deadline / std::chrono::seconds(1)));
      late.os_errno = ETIMEDOUT;
      if (completed_.is_set()) return;
      report_.timed_out = true;
      stop("deadline", std::move(late));
    });
  decide();
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
  // Whoever reads the result may start again at once: no child of ours may still be at work then.
  if (stopped_) co_await host_.processes.settled();
  report_.ok = report_.failed_step.empty();
  report_.completed = host_.loop.now();
  emit(EventKind::kRunEnded, report_.failed_step, report_.ok ? nullptr : &report_.error);
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
  // Nobody waits any more, but what deferred steps wrote should not be half there after a power cut either.
  if (report_.ok && !stopped_ && deferred_ran_) (void)co_await make_durable();
  co_return std::move(report_);
}

}  // namespace

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::kNotRun:
      return "not run";
    case Outcome::kSkipped:
      return "skipped";
    case Outcome::kDone:
      return "done";
    case Outcome::kFailed:
      return "failed";
    case Outcome::kCancelled:
      return "cancelled";
  }
  return "";
}

Task<Report> run(host::Host& host, const Graph& graph, Options options) {
  Run running(host, graph, std::move(options));
  co_return co_await running.go();
}

}  // namespace sunup::engine
