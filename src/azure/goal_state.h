// The wire server's goal state, and the health report that answers it: Azure waits for "Ready" before it calls a VM
// created, and shows the description of a "NotReady" to whoever created it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace sunup::azure {

struct GoalState {
  std::string incarnation;
  std::string container_id;
  std::string instance_id;
};

// Without an instance it is not complete yet, which is an error like others: ask again.
Result<GoalState> read_goal_state(std::string_view document);

struct Health {
  bool ready = true;
  std::string sub_status = {};   // of NotReady: "Provisioning", "ProvisioningFailed"
  std::string description = {};  // of NotReady
};

// The server refuses a longer description, counted in bytes, together with the report. Other agents stay at 512.
inline constexpr size_t kLongestDescription = 512;

// The body of POST /machine?comp=health, and that of POST /provisioning/health, which needs no goal state.
std::string health_xml(const GoalState& goal, const Health& health);
std::string health_json(const Health& health);

}  // namespace sunup::azure
