// Measures renders per second on one core, from a loaded config and from its text.
#include <benchmark/benchmark.h>

#include "contract/load.h"
#include "render/cse_env.h"
#include "render/nbc_env.h"

namespace sunup::render {
namespace {

const char* const kConfigFile = SUNUP_SOURCE_DIR "/bench/config.json";

contract::Configuration benchmark_config(benchmark::State& state) {
  auto loaded = contract::load_file(kConfigFile);
  if (!loaded) {
    state.SkipWithError(loaded.error().what.c_str());
    return {};
  }
  return std::move(loaded->config);
}

const ImageFacts kImage = {"containerd github.com/containerd/containerd/v2 2.0.0 abc",
                           {{"aks-gpu-cuda-lts", {"580.159.04", "20260629214430"}}}};

void environment_from_config(benchmark::State& state) {
  const auto config = benchmark_config(state);
  for (auto _ : state) benchmark::DoNotOptimize(cse_environment(config, kImage));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(environment_from_config);

void environment_from_text(benchmark::State& state) {
  const auto text = contract::read_config_file(kConfigFile);
  if (!text) return state.SkipWithError(text.error().what.c_str());
  for (auto _ : state) {
    const auto loaded = contract::load_text(*text, kConfigFile);
    benchmark::DoNotOptimize(cse_environment(loaded->config, kImage));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(environment_from_text);

void nbc_text(benchmark::State& state) {
  std::string text;
  for (const auto& [name, value] : cse_environment(benchmark_config(state), kImage))
    text.append(name).append("=\"").append(value).append("\" ");
  for (auto _ : state) benchmark::DoNotOptimize(nbc_environment(text));
  state.SetBytesProcessed(static_cast<int64_t>(text.size()) * state.iterations());
}
BENCHMARK(nbc_text);

}  // namespace
}  // namespace sunup::render
