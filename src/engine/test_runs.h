// Runs of a few steps on the simulated machine, for tests.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/run.h"
#include "engine/test_trace.h"
#include "host/sim/machine.h"

namespace sunup::engine {

struct TestRuns : testing::Test {
  host::sim::World world{1};
  std::vector<std::string> log;  // what the bodies did
  Options options;
  TextTrace trace;

  // A step that logs its name, after an optional delay.
  Step step(std::string name, std::vector<std::string> needs = {}, Duration takes = Duration::zero()) {
    Step made;
    made.name = name;
    made.needs = std::move(needs);
    made.run = [this, name, takes](Context& c) -> Task<Result<void>> {
      if (takes > Duration::zero()) co_await c.host.loop.after(takes);
      log.push_back(name);
      co_return Result<void>();
    };
    return made;
  }
  Step failing(std::string name, int times, std::vector<std::string> needs = {}) {
    Step made = step(name, std::move(needs));
    auto left = std::make_shared<int>(times);
    made.run = [this, name, left](Context&) -> Task<Result<void>> {
      log.push_back(name);
      if ((*left)-- > 0) co_return Error("broken");
      co_return Result<void>();
    };
    return made;
  }

  Report run(std::vector<Step> steps, std::string milestone = "") {
    graph = std::make_unique<Graph>(*Graph::make(std::move(steps), std::move(milestone)));
    return run_again();
  }
  Report run_again() {
    host::sim::Machine machine(world);
    options.observers = {&trace};
    std::optional<Report> report;
    end = machine.loop().run(engine::run(machine.host(), *graph, options), &report);
    took = machine.loop().now();
    return report ? std::move(*report) : Report{};
  }
  StepOutcome outcome(const Report& report, const std::string& name) {
    for (size_t i = 0; i < graph->size(); ++i)
      if (graph->steps()[i].name == name) return report.steps[i].outcome;
    return StepOutcome::kNotRun;
  }

  std::unique_ptr<Graph> graph;
  host::sim::EndOfRun end = host::sim::EndOfRun::kHung;
  TimePoint took;
};

}  // namespace sunup::engine
