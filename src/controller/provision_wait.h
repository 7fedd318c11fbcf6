// `provision-wait`: waits until provisioning has ended, prints its result, and exits accordingly.
#pragma once

#include <optional>

#include "controller/node.h"
#include "host/task.h"

namespace sunup::controller {

// 0 if the result is a success, otherwise 1. The result is printed before it is interpreted.
host::Task<int> provision_wait(Node& node, std::optional<host::Duration> limit);

}  // namespace sunup::controller
