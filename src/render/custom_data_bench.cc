// Custom data per second on one core, from a config that is already loaded.
#include "render/custom_data.h"

#include <benchmark/benchmark.h>

#include "contract/load.h"

namespace sunup::render {
namespace {

void custom_data_of(benchmark::State& state, CustomDataForm form) {
  const auto loaded = contract::load_file(SUNUP_SOURCE_DIR "/bench/config.json");
  if (!loaded) return state.SkipWithError(loaded.error().what.c_str());
  const CustomDataOptions options{.form = form};
  for (auto _ : state) benchmark::DoNotOptimize(custom_data(loaded->config, options));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(custom_data_of, boothook, CustomDataForm::kBoothook);
BENCHMARK_CAPTURE(custom_data_of, ignition, CustomDataForm::kIgnition);

}  // namespace
}  // namespace sunup::render
