// One seed of the simulation: a machine, a graph of steps and a series of faults, all drawn from the seed, and the
// properties that must always hold (check() lists them).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sunup::simulation {

struct Verdict {
  std::vector<std::string> broken;  // violated properties, with the observed behaviour
  uint64_t trace_hash = 0;          // of all events, in order
  int lives = 0;                    // processes that were started
  int crashes = 0;
  int power_cuts = 0;
};

// Runs the seed. All events are written to `trace`, if it is given.
Verdict play(uint64_t seed, std::string* trace = nullptr);

}  // namespace sunup::simulation
