// Measures each format, and the way from the run record to the timeline, with up to 10,000 spans. The printed
// complexity must not be N^2.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "timeline/build.h"
#include "timeline/formats.h"

namespace sunup::timeline {
namespace {

Sources run_of(int64_t steps) {
  std::string record = R"({"sunup":"run record","v":1,"boot":"b","t":1000000000,"wall":1794769175000000000})"
                       "\n";
  for (int64_t i = 0; i < steps; ++i) {
    const int64_t at = 1'000'000'000 + i * 1'000'000;
    record += fmt::format(R"({{"t":1000000000,"e":"declared","step":"s{}","needs":["s{}"]}})"
                          "\n",
                          i, i - 1);
    record += fmt::format(R"({{"t":{},"e":"started","step":"s{}","attempt":1,"text":"not done before"}})"
                          "\n",
                          at, i);
    record += fmt::format(R"({{"t":{},"e":"ended","step":"s{}","attempt":1}})"
                          "\n",
                          at + 900'000, i);
  }
  record += fmt::format(R"({{"t":{},"e":"run ended"}})"
                        "\n",
                        1'000'000'000 + steps * 1'000'000);
  Sources sources;
  sources.run_record = std::move(record);
  return sources;
}

void BM_Build(benchmark::State& state) {
  const Sources sources = run_of(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(build(sources));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(BM_Build)->Arg(5'000)->Arg(10'000)->Arg(20'000)->Complexity()->Unit(benchmark::kMillisecond);

void BM_Show(benchmark::State& state, Format format) {
  const auto timeline = build(run_of(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(show(*timeline, format));
  state.SetComplexityN(state.range(0));
}
const bool kEachFormat = [] {
  for (size_t i = 0; i < std::size(kFormatNames); ++i)
    benchmark::RegisterBenchmark(fmt::format("BM_Show/{}", kFormatNames[i]).c_str(), BM_Show, static_cast<Format>(i))
        ->Arg(5'000)
        ->Arg(10'000)
        ->Arg(20'000)
        ->Complexity()
        ->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
}  // namespace sunup::timeline
