// Runs a graph: the most urgent ready step first, each with its deadline and retries, resuming what a crash left.
//
//   Graph graph = *Graph::make(catalogue(config), "kubelet.started");
//   Report report = machine.loop().run(engine::run(machine.host(), graph, options));
//
// The run ends for those who wait when every step that is not deferred has ended, or when a fatal one has failed, the
// deadline has passed or somebody asked to stop (SIGTERM): then what is under way is cancelled with its children. In
// every case `on_complete` is called once with the report, after the durability barrier if all went well. Deferred
// steps follow, and then the task ends.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/graph.h"
#include "engine/observer.h"
#include "engine/profile.h"
#include "host/host.h"

namespace sunup::engine {

enum class Outcome {
  kNotRun,   // something it needs failed, or the run ended before its turn
  kSkipped,  // done by an earlier run
  kDone,
  kFailed,
  kCancelled,  // was under way when the run was cut short
};
std::string_view to_string(Outcome outcome);

struct StepReport {
  Outcome outcome = Outcome::kNotRun;
  TimePoint started{};
  TimePoint ended{};
  int attempts = 0;
  std::string why;  // it ran, was skipped or did not run
  Error error;      // of the last attempt that failed
};

struct Report {
  bool ok = false;
  bool settled = false;     // nothing was cut short, deferred steps included
  bool timed_out = false;   // the overall deadline passed
  int stopped_by = 0;       // the signal that asked us to stop
  std::string failed_step;  // names a step, or "deadline", "signal", "durability barrier", "completion"
  Error error;              // with the exit code of the contract, if the step or the error has one
  TimePoint started{};
  TimePoint milestone{};          // when it was reached; zero: not
  TimePoint completed{};          // when on_complete was called
  std::vector<StepReport> steps;  // as in the graph
};

struct Options {
  std::string journal = "/var/lib/sunup/journal";
  std::string generation = {};               // program version and configuration: see journal.h
  Duration deadline = Duration::zero();      // for everything but deferred work; zero: none
  Duration retry_budget = Duration::zero();  // no retry starts later than this after the start; zero: no such limit
  // Only finishes what an earlier run, which was published as a success, had no time to: its deferred steps. Nothing
  // else is touched again, and deferred steps that need what had failed are dropped.
  bool only_deferred = false;
  Profile profile = {};
  std::vector<Observer*> observers = {};
  uint64_t jitter_seed = 0;  // pauses between attempts are spread by it
  // Publishes the result (provision.json, the marker). What fails here is reported as "completion".
  std::function<Task<Result<void>>(const Report&)> on_complete = {};
};

// Host, graph and the things options point to must outlive the task.
Task<Report> run(host::Host& host, const Graph& graph, Options options);

}  // namespace sunup::engine
