// The files by which waagent, Azure's guest agent, knows that this VM is provisioned: with them it neither provisions
// again nor reports Ready in our place. It goes on with extensions as usual.
#pragma once

#include <string>

#include "azure/ovf_env.h"
#include "base/result.h"
#include "host/files.h"

namespace sunup::guest {

inline constexpr char kAgentProvisioned[] = "/var/lib/waagent/provisioned";

// To be called before the agent starts, which is early in a boot.
Result<void> tell_agent_provisioned(host::Files& files, const std::string& vm_id);
Result<void> leave_agent_files(host::Files& files, const azure::OvfEnvironment& environment);

// Somebody else provisions this VM after all: takes back what the first of them did.
Result<void> forget_agent_files(host::Files& files);

}  // namespace sunup::guest
