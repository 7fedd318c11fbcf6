// How long 10,000 spans take in each format, and from the run record to the timeline.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "timeline/build.h"
#include "timeline/formats.h"

namespace sunup::timeline {
namespace {

Sources ten_thousand() {
  std::string record = R"({"sunup":"run record","v":1,"boot":"b","t":1000000000,"wall":1794769175000000000})"
                       "\n";
  for (int i = 0; i < 10'000; ++i) {
    const int64_t at = 1'000'000'000 + int64_t{i} * 1'000'000;
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
  record += R"({"t":11000000000,"e":"run ended"})"
            "\n";
  Sources sources;
  sources.run_record = std::move(record);
  return sources;
}

void BM_Build(benchmark::State& state) {
  const Sources sources = ten_thousand();
  for (auto _ : state) benchmark::DoNotOptimize(build(sources));
}
BENCHMARK(BM_Build)->Unit(benchmark::kMillisecond);

void BM_Show(benchmark::State& state) {
  const auto timeline = build(ten_thousand());
  const auto format = static_cast<Format>(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(show(*timeline, format));
  state.SetLabel(std::string(kFormatNames[static_cast<size_t>(format)]));
}
BENCHMARK(BM_Show)->DenseRange(0, 5)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sunup::timeline
