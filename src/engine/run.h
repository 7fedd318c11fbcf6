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
#include "engine/run_report.h"
#include "host/host.h"

namespace sunup::engine {

struct Options {
  std::string journal = "/var/lib/sunup/journal";
  std::string generation = {};               // program version and configuration: see journal.h
  Duration deadline = Duration::zero();      // for everything but deferred work; zero: none
  Duration retry_budget = Duration::zero();  // no retry starts later than this after the start; zero: no such limit
  // Only finishes what an earlier run, which was published as a success, had no time to: its deferred steps. Nothing
  // else is touched again, and deferred steps that need what had failed are dropped.
  bool only_deferred = false;
  // With only_deferred: steps that are not deferred and failed in that run, and are to be done as well. Their names.
  std::vector<std::string> again = {};
  Profile profile = {};
  std::vector<Observer*> observers = {};
  uint64_t jitter_seed = 0;  // pauses between attempts are spread by it
  // Publishes the result (provision.json, the marker). What fails here is reported as "completion".
  std::function<Task<Result<void>>(const Report&)> on_complete = {};
};

// Host, graph and the things options point to must outlive the task.
Task<Report> run(host::Host& host, const Graph& graph, Options options);

}  // namespace sunup::engine
