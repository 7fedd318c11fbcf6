// Is this machine a VM of Azure, and which one?
#pragma once

#include <string>

#include "base/result.h"
#include "host/files.h"

namespace sunup::guest {

// The provisioning document in place of a disc, for images and tests; the place where cloud-init looks for it, too.
inline constexpr char kSeed[] = "/var/lib/cloud/seed/azure/ovf-env.xml";

// By the chassis asset tag that every VM of Azure has, or because a seed is there.
Result<bool> is_azure(host::Files& files);

// Empty: the firmware does not say.
Result<std::string> vm_id(host::Files& files);

}  // namespace sunup::guest
