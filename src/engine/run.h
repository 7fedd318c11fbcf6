// Runs a graph: the most urgent ready step first, each with its deadline and retries, resuming after a crash.
//
//   Graph graph = *Graph::make(catalogue(config), "kubelet.started");
//   Report report = machine.loop().run(engine::run(machine.host(), graph, options));
//
// The run is complete when every step that is not deferred has ended, when a fatal step has failed, when the deadline
// has passed, or when the process was asked to stop (SIGTERM). In the last three cases steps that are running are
// cancelled with their children. In every case `on_complete` is called once with the report, after the durability
// barrier if the run succeeded. Deferred steps follow, and then the task ends.
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
  Duration deadline = Duration::zero();      // for everything except deferred work; zero: none
  Duration retry_budget = Duration::zero();  // no retry starts later than this after the start; zero: no such limit
  // Only completes the deferred steps of an earlier run that was published as a success. Other steps are not touched
  // again, and deferred steps that need a failed step are dropped.
  bool only_deferred = false;
  // With only_deferred: names of steps that are not deferred, failed in that run, and are repeated as well.
  std::vector<std::string> again = {};
  Profile profile = {};
  std::vector<Observer*> observers = {};
  uint64_t jitter_seed = 0;  // determines the jitter of pauses between attempts
  // Publishes the result (provision.json, the marker). A failure here is reported as the step "completion".
  std::function<Task<Result<void>>(const Report&)> on_complete = {};
};

// The host, the graph and everything that the options point to must outlive the task.
Task<Report> run(host::Host& host, const Graph& graph, Options options);

}  // namespace sunup::engine
