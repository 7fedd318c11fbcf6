// Determines whether this machine is an Azure VM, and its id.
#pragma once

#include <string>

#include "base/result.h"
#include "host/files.h"

namespace sunup::guest {

// The provisioning document that is used instead of a disc, for images and tests. cloud-init reads the same path.
inline constexpr char kSeed[] = "/var/lib/cloud/seed/azure/ovf-env.xml";

// True if the machine has the chassis asset tag of all Azure VMs, or if there is a seed.
Result<bool> is_azure(host::Files& files);

// Empty if the firmware does not provide it.
Result<std::string> vm_id(host::Files& files);

}  // namespace sunup::guest
