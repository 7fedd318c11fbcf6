// The wire server's goal state, and the health report that answers it: Azure waits for "Ready" before it reports a VM
// as created, and shows the description of a "NotReady" to the user who created the VM.
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

// A goal state without an instance is not complete yet. This is an error like any other; the caller may retry.
Result<GoalState> read_goal_state(std::string_view document);

struct Health {
  bool ready = true;
  std::string sub_status = {};   // for NotReady: "Provisioning", "ProvisioningFailed"
  std::string description = {};  // for NotReady
};

// The server rejects the whole report if the description, in bytes, is longer. Other agents limit it to 512.
inline constexpr size_t kLongestDescription = 512;

// The body of POST /machine?comp=health, and of POST /provisioning/health, which does not need a goal state.
std::string health_xml(const GoalState& goal, const Health& health);
std::string health_json(const Health& health);

}  // namespace sunup::azure
