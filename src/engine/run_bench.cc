// The cost of the engine itself: graphs of steps that do nothing, on the real machine.
#include "engine/run.h"

#include <benchmark/benchmark.h>

#include <filesystem>

#include "host/real/machine.h"

namespace sunup::engine {
namespace {

std::vector<Step> no_ops(int64_t count, bool chained) {
  std::vector<Step> steps;
  for (int64_t i = 0; i < count; ++i) {
    Step step;
    step.name = "step" + std::to_string(i);
    if (chained && i > 0) step.needs.push_back("step" + std::to_string(i - 1));
    step.run = [](Context&) -> Task<Result<void>> { co_return Result<void>(); };
    steps.push_back(std::move(step));
  }
  return steps;
}

// The minimum cost of a run with that many steps, including the journal in the directory for temporary
// files and the syncfs of the barrier.
void run_no_ops(benchmark::State& state, bool chained) {
  auto machine = host::real::Machine::open();
  const std::string directory = std::filesystem::temp_directory_path() / "sunup-bench";
  std::filesystem::create_directories(directory);
  Result<Graph> graph = Graph::make(no_ops(state.range(0), chained), "step" + std::to_string(state.range(0) - 1));
  for (auto _ : state) {
    state.PauseTiming();
    std::filesystem::remove(directory + "/journal");
    state.ResumeTiming();
    Options options;
    options.journal = directory + "/journal";
    const Report report = (*machine)->loop().run(run((*machine)->host(), *graph, options));
    if (!report.ok) state.SkipWithError("the run failed");
    state.counters["to_last_step_ms"] =
        std::chrono::duration<double, std::milli>(report.milestone - report.started).count();
  }
  std::filesystem::remove_all(directory);
}

void side_by_side(benchmark::State& state) {
  run_no_ops(state, false);
}
void one_after_the_other(benchmark::State& state) {
  run_no_ops(state, true);
}
BENCHMARK(side_by_side)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);
BENCHMARK(one_after_the_other)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);

void make_graph(benchmark::State& state) {
  const std::vector<Step> steps = no_ops(state.range(0), true);
  for (auto _ : state) benchmark::DoNotOptimize(Graph::make(steps, ""));
}
BENCHMARK(make_graph)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sunup::engine
