// Resolves per second on one core, without reading and writing files; bench/fleet.py measures the whole program.
#include "fleet/launch/batch.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "fleet/launch/resolve_request.h"
#include "fleet/sources/document.h"

namespace sunup::fleet {
namespace {

struct Fleet {
  Findings findings;
  Catalog catalog;
  Resolver resolver;

  Fleet() : resolver(make_resolver(settings(), {}, recorded_image_versions(), std::nullopt)) {
    for (const char* file : {"/examples/fleet/nodepool.yaml", "/examples/fleet/nodeclass.yaml"})
      catalog.add(*read_document_file(std::string(SUNUP_SOURCE_DIR) + file), findings);
  }

 private:
  static Settings settings() {
    Findings ignored;
    return read_settings(*read_document_file(SUNUP_SOURCE_DIR "/examples/fleet/settings.yaml"), {}, ignored);
  }
};

enum class Mix {
  kAlike,      // as one pool creates them
  kDifferent,  // no two have the same labels, taints, size and zone
};

std::string claim(size_t i, Mix mix) {
  const bool alike = mix == Mix::kAlike;
  nlohmann::json labels = {{"karpenter.sh/nodepool", "general"}, {"team", "web"}};
  nlohmann::json taints = {{{"key", "dedicated"}, {"value", "web"}, {"effect", "NoSchedule"}}};
  if (!alike) {
    labels["example.com/own"] = std::to_string(i);
    taints.push_back({{"key", "example.com/own"}, {"value", fmt::format("v{}", i % 1009)}, {"effect", "NoExecute"}});
  }
  const auto in = [](const char* key, std::vector<std::string> values) {
    return nlohmann::json{{"key", key}, {"operator", "In"}, {"values", std::move(values)}};
  };
  return nlohmann::json{
      {"apiVersion", "karpenter.sh/v1"},
      {"kind", "NodeClaim"},
      {"metadata", {{"name", fmt::format("general-{:05x}", i)}, {"labels", std::move(labels)}}},
      {"spec",
       {{"nodeClassRef", {{"group", "karpenter.azure.com"}, {"kind", "AKSNodeClass"}, {"name", "default"}}},
        {"requirements",
         {in("node.kubernetes.io/instance-type", {alike || i % 2 == 0 ? "Standard_D4s_v5" : "Standard_D8s_v5"}),
          in("karpenter.sh/capacity-type", {"on-demand"}),
          in("topology.kubernetes.io/zone", {fmt::format("eastus-{}", i % 3 + 1)})}},
        {"taints", std::move(taints)}}}}
      .dump();
}

void resolve(benchmark::State& state, Mix mix) {
  const Fleet fleet;
  std::vector<std::string> lines;
  for (size_t i = 0; i < 10000; ++i) lines.push_back(claim(i, mix));
  Batch batch(fleet.resolver, fleet.catalog);
  std::string out;
  size_t i = 0;
  for (auto _ : state) {
    out.clear();
    if (!batch.resolve(lines[i++ % lines.size()], out)) state.SkipWithError(out.c_str());
    benchmark::DoNotOptimize(out);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(resolve, claims_alike, Mix::kAlike);
BENCHMARK_CAPTURE(resolve, claims_all_different, Mix::kDifferent);

}  // namespace
}  // namespace sunup::fleet
