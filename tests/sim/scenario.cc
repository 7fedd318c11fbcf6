#include "scenario.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>

#include "engine/graph.h"
#include "engine/run.h"
#include "generate.h"
#include "host/sim/machine.h"

namespace sunup::simulation {
namespace {

using namespace std::chrono_literals;
using engine::Event;
using engine::EventKind;
using engine::Graph;
using engine::Report;
using engine::Step;
using engine::StepOutcome;
using host::TimePoint;
using host::sim::EndOfRun;
using host::sim::Machine;
using host::sim::Random;
using host::sim::World;

constexpr const char* kJournal = "/var/lib/sunup/journal";
constexpr const char* kMarker = "/opt/complete";

// The complete observable state that a run leaves behind.
std::map<std::string, std::string> state_of(const World& world) {
  std::map<std::string, std::string> state;
  for (const auto& [path, node] : world.disk)
    if (path != kJournal && path != kMarker && !path.starts_with("/run/") && node.kind != host::FileKind::kDirectory)
      state["file " + path] = fmt::format("{:o} {}", node.mode, node.content);
  for (const auto& [name, unit] : world.units) state["unit " + name] = unit.active;
  for (const auto& [name, value] : world.sysctls) state["sysctl " + name] = value;
  for (const std::string& name : world.modules) state["module " + name] = "loaded";
  return state;
}

std::string first_difference(const std::map<std::string, std::string>& want,
                             const std::map<std::string, std::string>& got) {
  for (const auto& [key, value] : want) {
    const auto found = got.find(key);
    if (found == got.end()) return fmt::format("{} is missing", key);
    if (found->second != value) return fmt::format("{} is '{}', not '{}'", key, found->second, value);
  }
  for (const auto& [key, value] : got)
    if (!want.contains(key)) return fmt::format("{} should not be there", key);
  return "";
}

// Observes one run: hashes and records all events, and checks that nothing starts too early.
class Witness : public engine::Observer {
 public:
  Witness(const Graph& graph, Machine& machine, Verdict& verdict, std::string* trace)
      : graph_(graph), machine_(machine), verdict_(verdict), trace_(trace) {
    for (size_t i = 0; i < graph.size(); ++i) index_[graph.steps()[i].name] = i;
  }

  void on(const Event& event) override {
    if (machine_.loop().crashed()) return;  // the state of a dead process does not matter
    mix(to_string(event.kind));
    mix(event.step);
    mix(event.text);
    if (event.error != nullptr) mix(event.error->what);
    if (trace_ != nullptr) {
      line(event.at, fmt::format("{} {}{}{}{}", to_string(event.kind), event.step,
                                 event.attempt > 1 ? fmt::format(" #{}", event.attempt) : "",
                                 event.text.empty() ? "" : fmt::format(" - {}", event.text),
                                 event.error == nullptr ? "" : fmt::format(" ! {}", event.error->what)));
    }
    if (event.kind == EventKind::kStepSkipped) provided_.insert(index_[std::string(event.step)]);
    if (event.kind == EventKind::kStepEnded && event.error == nullptr)
      provided_.insert(index_[std::string(event.step)]);
    if (event.kind == EventKind::kStepSkipped || event.kind == EventKind::kStepEnded ||
        event.kind == EventKind::kStepDropped)
      over_.insert(index_[std::string(event.step)]);
    if (event.kind == EventKind::kMilestone) milestone_ = true;
    if (event.kind == EventKind::kStepStarted && event.attempt == 1) started(index_[std::string(event.step)]);
  }

  void operation(TimePoint at, std::string_view what, const std::string& on) {
    mix(what);
    mix(on);
    verdict_.trace_hash = verdict_.trace_hash * 31 + static_cast<uint64_t>(at.time_since_epoch().count());
    if (trace_ != nullptr) line(at, fmt::format("    {} {}", what, on));
    ++operations_;
  }

  uint64_t operations() const { return operations_; }

 private:
  void started(size_t step) {
    const std::string& name = graph_.steps()[step].name;
    if (!running_.insert(step).second) verdict_.broken.push_back(fmt::format("{} was started twice in one run", name));
    for (const Graph::Edge& edge : graph_.before(step))
      if (edge.needed && !provided_.contains(edge.step))
        verdict_.broken.push_back(
            fmt::format("{} started before {}, which it needs", name, graph_.steps()[edge.step].name));
    if (graph_.rank(step) == engine::Rank::kDeferred && !graph_.milestone().empty() && !milestone_ && !all_ended())
      verdict_.broken.push_back(fmt::format("{} is deferred and started before the milestone", name));
  }
  // If the milestone's step failed without being fatal, deferred work waits for the end of all other steps.
  bool all_ended() const {
    for (size_t i = 0; i < graph_.size(); ++i)
      if (graph_.rank(i) != engine::Rank::kDeferred && !over_.contains(i)) return false;
    return true;
  }
  void mix(std::string_view text) {
    for (const char c : text)
      verdict_.trace_hash = (verdict_.trace_hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  }
  void line(TimePoint at, const std::string& text) {
    *trace_ +=
        fmt::format("{:11.3f} {}\n", std::chrono::duration<double, std::milli>(at.time_since_epoch()).count(), text);
  }

  const Graph& graph_;
  Machine& machine_;
  Verdict& verdict_;
  std::string* trace_;
  std::map<std::string, size_t> index_;
  std::set<size_t> provided_;
  std::set<size_t> running_;
  std::set<size_t> over_;
  bool milestone_ = false;
  uint64_t operations_ = 0;
};

struct Life {
  EndOfRun end = EndOfRun::kHung;
  std::optional<Report> report;
  uint64_t operations = 0;
  bool all_done = false;  // no step failed, fatal or not
};

bool every_step_done(const Graph& graph, const Report& report, bool deferred_too) {
  for (size_t i = 0; i < graph.size(); ++i) {
    const StepOutcome outcome = report.steps[i].outcome;
    if (!deferred_too && graph.rank(i) == engine::Rank::kDeferred) continue;
    if (outcome != StepOutcome::kDone && outcome != StepOutcome::kSkipped) return false;
  }
  return true;
}

// Like a caller of the engine: the marker of an earlier run must not exist while this one is running.
host::Task<Report> run_with_marker(host::Host& host, const Graph& graph, engine::Options options) {
  const auto there = host.files.exists(kMarker);
  Result<void> begun = there ? Result<void>() : there.error();
  if (there && *there) begun = host.files.write_durable(kMarker, "begun");
  if (!begun) {
    Report report;
    report.failed_step = "marker";
    report.error = std::move(begun).error();
    co_return report;
  }
  co_return co_await engine::run(host, graph, std::move(options));
}

// One process: runs the graph until it ends or is killed.
Life live(World& world, const Graph& graph, host::Duration deadline, Verdict& verdict, std::string* trace) {
  Life life;
  ++verdict.lives;
  {
    Machine machine(world);
    Witness witness(graph, machine, verdict, trace);
    world.on_operation = [&](TimePoint at, std::string_view what, const std::string& on) {
      witness.operation(at, what, on);
    };
    engine::Options options;
    options.journal = kJournal;
    options.deadline = deadline;
    options.observers = {&witness};
    host::Files& files = machine.host().files;
    options.on_complete = [&files, &graph](const Report& report) -> host::Task<Result<void>> {
      if (!report.ok) co_return Result<void>();
      co_return files.write_durable(kMarker, every_step_done(graph, report, false) ? "whole" : "partial");
    };
    life.end = machine.loop().run(run_with_marker(machine.host(), graph, std::move(options)), &life.report);
    life.operations = witness.operations();
    world.on_operation = nullptr;
  }
  if (life.end == EndOfRun::kDone && !life.report->steps.empty())
    life.all_done = every_step_done(graph, *life.report, true);
  return life;
}

void draw_faults(World& world, Random& random, uint64_t usual_operations) {
  host::sim::Faults& faults = world.faults;
  faults = {};
  if (random.chance(40)) faults.file_errors = static_cast<unsigned>(random.chance(50) ? 1 : 10);
  if (random.chance(40)) faults.delays = 10;
  // A process that resumes does less than a whole run: early crashes are drawn more often, so that they occur.
  if (random.chance(80))
    faults.crash_at = 1 + random.below(random.chance(50) ? usual_operations / 4 + 1 : usual_operations * 5 / 4 + 2);
  faults.cut_power = random.chance(50);
  if (random.chance(10)) faults.terminate_after = host::Duration(random.between(1, 300'000'000));
  for (auto& [name, unit] : world.units) {
    unit.failures = random.chance(15) ? static_cast<int>(random.between(1, 3)) : 0;
    unit.flaps = random.chance(10) ? 1 : 0;
    unit.takes = host::Duration(random.between(100'000, 400'000'000));
  }
  for (auto& [name, program] : world.programs) program.failures = random.chance(20) ? 1 : 0;
  for (auto& [url, endpoint] : world.endpoints) {
    endpoint.failures = random.chance(20) ? static_cast<int>(random.between(1, 3)) : 0;
    endpoint.from = random.chance(20) ? host::Duration(random.between(0, 12'000'000'000)) : host::Duration::zero();
  }
}

// A file of these steps that differs from the run without faults, except files that other steps also write.
std::string first_wrong_file(const Graph& graph, const std::function<bool(size_t)>& of, const World& calm,
                             const World& world) {
  std::set<std::string> others;
  for (size_t i = 0; i < graph.size(); ++i)
    if (!of(i))
      for (const auto& file : graph.steps()[i].files) others.insert(file.path);
  for (size_t i = 0; i < graph.size(); ++i) {
    if (!of(i)) continue;
    for (const auto& file : graph.steps()[i].files) {
      const auto expected = calm.disk.find(file.path);
      if (others.contains(file.path) || expected == calm.disk.end()) continue;
      const auto found = world.disk.find(file.path);
      if (found == world.disk.end() || !(found->second == expected->second)) return file.path;
    }
  }
  return "";
}

void calm_down(World& world) {
  world.faults = {};
  for (auto& [name, unit] : world.units) unit.failures = 0, unit.flaps = 0;
  for (auto& [name, program] : world.programs) program.failures = 0;
  for (auto& [url, endpoint] : world.endpoints) endpoint.failures = 0, endpoint.from = host::Duration::zero();
}

}  // namespace

Verdict play(uint64_t seed, std::string* trace) {
  Verdict verdict;
  auto say = [&](const std::string& text) {
    if (trace != nullptr) *trace += text + "\n";
  };
  Random random(seed);
  const Generated generated = generate_steps(random.fork(1));
  Result<Graph> graph = Graph::make(generated.steps, generated.milestone);
  if (!graph) {
    // Steps that share a file by chance without being ordered: correctly refused before anything ran.
    say("the graph was refused:\n" + graph.error().what);
    return verdict;
  }

  // The run without faults gives the expected state.
  World calm(seed);
  furnish(calm, generated);
  Verdict ignored;
  const Life usual = live(calm, *graph, host::Duration::zero(), ignored, nullptr);
  if (usual.end != EndOfRun::kDone || !usual.report->ok || !usual.all_done) {
    verdict.broken.push_back(
        fmt::format("the calm run did not succeed: {}", usual.report ? usual.report->error.what : "it never ended"));
    return verdict;
  }
  verdict.broken = ignored.broken;
  const auto want = state_of(calm);

  World world(seed + 1);
  furnish(world, generated);
  Random misfortune = random.fork(2);
  const uint64_t bad_lives = 1 + misfortune.below(4);
  for (uint64_t number = 1; number <= bad_lives + 1; ++number) {
    const bool last = number == bad_lives + 1;
    if (last)
      calm_down(world);
    else
      draw_faults(world, misfortune, usual.operations);
    const host::Duration deadline = !last && misfortune.chance(15)
                                        ? host::Duration(misfortune.between(1, 60)) * 1'000'000'000
                                        : host::Duration::zero();
    say(fmt::format("--- life {} in {}{}", number, world.boot_id(), last ? ", nothing goes wrong" : ""));
    const Life life = live(world, *graph, deadline, verdict, trace);

    switch (life.end) {
      case EndOfRun::kHung:
        verdict.broken.push_back(fmt::format("life {} never ended", number));
        return verdict;
      case EndOfRun::kCrashed:
        ++verdict.crashes;
        if (world.faults.cut_power) {
          ++verdict.power_cuts;
          world.power_cut();
          say("=== power is back");
          // The marker guarantees that everything before it is on the disk.
          const auto marker = world.disk.find(kMarker);
          if (marker != world.disk.end() && marker->second.content == "whole") {
            const auto promised = [&](size_t step) { return graph->rank(step) != engine::Rank::kDeferred; };
            if (const std::string file = first_wrong_file(*graph, promised, calm, world); !file.empty())
              verdict.broken.push_back(fmt::format("the marker survived the power cut, {} did not", file));
          }
        }
        break;
      case EndOfRun::kDone:
        if (!life.report->ok && life.report->failed_step.empty())
          verdict.broken.push_back(fmt::format("life {} failed without naming a step", number));
        if (life.report->ok && life.all_done)
          if (const std::string difference = first_difference(want, state_of(world)); !difference.empty())
            verdict.broken.push_back(fmt::format("life {} succeeded, but {}", number, difference));
        if (life.report->ok && !life.all_done) {
          const auto done = [&](size_t step) {
            const engine::StepOutcome outcome = life.report->steps[step].outcome;
            return outcome == engine::StepOutcome::kDone || outcome == engine::StepOutcome::kSkipped;
          };
          if (const std::string file = first_wrong_file(*graph, done, calm, world); !file.empty())
            verdict.broken.push_back(fmt::format("life {}: {} is not as its step left it", number, file));
        }
        break;
    }
    if (last && !(life.end == EndOfRun::kDone && life.report->ok && life.all_done))
      verdict.broken.push_back(
          fmt::format("the last life did not succeed: {}",
                      life.report ? life.report->failed_step + ": " + life.report->error.what : "crashed"));
  }
  return verdict;
}

}  // namespace sunup::simulation
