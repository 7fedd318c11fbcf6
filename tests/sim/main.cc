// The simulator: runs seeds and reports which properties of the engine they violated.
//
//   sunup-sim --seeds 10000 --start 1      one line per failing seed; last line "10000 seeds, 0 failures"; exit 1 if
//   any sunup-sim --seed 4711                  one seed, with all events sunup-sim --native ...                 native
//   provisioning: the real steps, for the configs of the golden cases
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <string>

#include "native.h"
#include "scenario.h"

int main(int argc, char** argv) {
  CLI::App app("plays seeds of the simulated machine and checks the laws of the engine");
  uint64_t seeds = 1000;
  uint64_t start = 1;
  uint64_t single = 0;
  app.add_option("--seeds", seeds, "how many")->capture_default_str();
  app.add_option("--start", start, "the first one")->capture_default_str();
  CLI::Option* one = app.add_option("--seed", single, "play this one and print its trace");
  bool native = false;
  app.add_flag("--native", native, "play native provisioning, the real step catalogue, instead of drawn graphs");
  CLI11_PARSE(app, argc, argv);
  const auto play = native ? sunup::simulation::play_native : sunup::simulation::play;

  if (*one) {
    std::string trace;
    const auto verdict = play(single, &trace);
    fmt::print("{}", trace);
    for (const std::string& law : verdict.broken) fmt::print("seed {}: {}\n", single, law);
    fmt::print("1 seeds, {} failures\n", verdict.broken.empty() ? 0 : 1);
    return verdict.broken.empty() ? 0 : 1;
  }

  uint64_t failures = 0;
  uint64_t lives = 0;
  uint64_t crashes = 0;
  uint64_t cuts = 0;
  for (uint64_t i = 0; i < seeds; ++i) {
    const uint64_t seed = start + i;
    auto verdict = play(seed, nullptr);
    if (play(seed, nullptr).trace_hash != verdict.trace_hash)
      verdict.broken.emplace_back("two plays of the same seed differ");
    lives += static_cast<uint64_t>(verdict.lives);
    crashes += static_cast<uint64_t>(verdict.crashes);
    cuts += static_cast<uint64_t>(verdict.power_cuts);
    if (verdict.broken.empty()) continue;
    ++failures;
    fmt::print("seed {}: {}\n", seed, verdict.broken.front());
  }
  fmt::print("{} processes, {} crashes, {} of them power cuts\n", lives, crashes, cuts);
  fmt::print("{} seeds, {} failures\n", seeds, failures);
  return failures == 0 ? 0 : 1;
}
