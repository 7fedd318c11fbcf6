// Draws a machine and a graph of steps from a seed. The steps do what provisioning steps do (files, links, units,
// programs, kernel settings, metadata), each with effects of its own and sometimes one it shares with a step before it.
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
// Gives the world what these steps use: units, programs, an endpoint. Nothing goes wrong yet.
void furnish(host::sim::World& world, const Generated& generated);

}  // namespace sunup::simulation
