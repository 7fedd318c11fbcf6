// Generates a machine and a graph of steps from a seed. The steps do what provisioning steps do (files, links, units,
// programs, kernel settings, metadata), each with its own effects and sometimes one that it shares with an earlier
// step.
#pragma once

#include <string>
#include <vector>

#include "engine/step.h"
#include "host/sim/world.h"

namespace sunup::simulation {

struct Generated {
  std::vector<engine::Step> steps;
  std::string milestone;
};

Generated generate_steps(host::sim::Random random);
// Adds everything that these steps use to the world: units, programs, an endpoint. No faults yet.
void furnish(host::sim::World& world, const Generated& generated);

}  // namespace sunup::simulation
