// The time of a request of the largest size, and how many times longer it takes than one with a sixteenth of the size:
// about 16 if the work is linear, 256 if it is quadratic. Each time is the best of three.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>

#include "service/scaling_cases.h"

namespace sunup::service {
namespace {

double seconds_for(const scaling::Case& one, const std::string& body) {
  const auto before = std::chrono::steady_clock::now();
  benchmark::DoNotOptimize(handle(request_of(one.method, one.target, body)));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
}

void measure(benchmark::State& state, const scaling::Case& one) {
  const std::string small = one.body(one.size / 16), large = one.body(one.size);
  double best_small = 1e9, best_large = 1e9;
  for (auto _ : state) {
    best_small = std::min(best_small, seconds_for(one, small));
    best_large = std::min(best_large, seconds_for(one, large));
  }
  state.counters["largest_ms"] = best_large * 1000;
  state.counters["times_a_16th"] = best_large / best_small;
}

const bool registered = [] {
  scaling::set_example_context();
  for (const scaling::Case& one : scaling::cases())
    benchmark::RegisterBenchmark(one.name.c_str(), [one](benchmark::State& state) { measure(state, one); })
        ->Iterations(3)
        ->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
}  // namespace sunup::service
