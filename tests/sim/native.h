// Native provisioning on the simulated machine: the real step catalogue, for the configs of the golden cases, with
// crashes, power cuts and all other faults.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "engine/run.h"
#include "host/sim/machine.h"
#include "plan/catalogue.h"
#include "scenario.h"

namespace sunup::simulation {

struct NativeCase {
  std::string name;
  aksnodeconfig::v1::Configuration config;
  render::node::NodeFacts facts;  // of the image
  std::string metadata;           // the response of the metadata service
};

const std::vector<NativeCase>& native_cases();

// A machine that booted from the image of the case, with every unit and program that its plan can use.
void furnish(host::sim::World& world, const NativeCase& which);

struct NativeLife {
  host::sim::EndOfRun end = host::sim::EndOfRun::kHung;
  std::optional<engine::Report> report;
  std::vector<engine::Step> steps;  // of the executed plan
  uint64_t operations = 0;
  std::vector<std::string> read;     // the paths that were read, listed or examined
  std::vector<std::string> written;  // the paths that were written, renamed to or removed
  std::vector<std::pair<uint64_t, std::string>>
      edits;              // the operations before which a file was last compared, its path
  bool finishes = false;  // only completes the success of an earlier process
  bool all_done = false;
};

// Whether this operation of the machine changes a path.
bool writes(std::string_view what);

// The faults of one run, chosen at random from the operations of a run without faults.
void draw_faults(host::sim::World& world, host::sim::Random& random, const NativeLife& usual);

// The plan as it is announced once the response of the metadata service is known.
Result<engine::Graph> announced(host::sim::World& world, const NativeCase& which);

// One process: gathers the facts, makes the plan, and runs it until it ends or is killed.
NativeLife live(host::sim::World& world, const NativeCase& which, std::string* trace = nullptr);

// Runs the seed; the case is drawn from it.
Verdict play_native(uint64_t seed, std::string* trace = nullptr);

}  // namespace sunup::simulation
