// One seed of the simulation: a machine, a graph of steps and a series of misfortunes, all drawn from the seed, and the
// laws that must hold whatever they are (check() lists them).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sunup::simulation {

struct Verdict {
  std::vector<std::string> broken;  // laws that did not hold, with what was seen
  uint64_t trace_hash = 0;          // of everything that happened, in order
  int lives = 0;                    // processes that were started
  int crashes = 0;
  int power_cuts = 0;
};

// Plays the seed. With `trace`, everything that happens is written there, readable.
Verdict play(uint64_t seed, std::string* trace = nullptr);

}  // namespace sunup::simulation
