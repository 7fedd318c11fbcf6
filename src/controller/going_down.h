// Whether the machine is shutting down. A shutdown stops all programs, so a failure of provisioning at that time must
// not leave a result: a result would prevent the next boot from resuming.
#pragma once

#include "controller/node.h"

namespace sunup::controller {

host::Task<bool> going_down(Node& node);

}  // namespace sunup::controller
