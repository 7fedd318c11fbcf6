// The files that mark this VM as provisioned for waagent, Azure's guest agent: with them it neither provisions again
// nor reports Ready itself. It still handles extensions as usual.
#pragma once

#include <string>

#include "azure/ovf_env.h"
#include "base/result.h"
#include "host/files.h"

namespace sunup::guest {

inline constexpr char kAgentDisabled[] = "/var/lib/waagent/disable_agent";  // the agent sleeps while it exists
inline constexpr char kAgentProvisioned[] = "/var/lib/waagent/provisioned";

// Must be called before the agent starts, which is early in a boot.
Result<void> tell_agent_provisioned(host::Files& files, const std::string& vm_id);
Result<void> leave_agent_files(host::Files& files, const azure::OvfEnvironment& environment);

// Reverts tell_agent_provisioned(), for a VM that cloud-init or the agent provisions after all.
Result<void> forget_agent_files(host::Files& files);

}  // namespace sunup::guest
