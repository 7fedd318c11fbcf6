// `provision-wait`: waits until the provision has ended, prints its result, and exits by it.
#pragma once

#include <optional>

#include "controller/node.h"
#include "host/task.h"

namespace sunup::controller {

// 0 if the result says so, else 1. The result is on stdout before anything else is done with it.
host::Task<int> provision_wait(Node& node, std::optional<host::Duration> limit);

}  // namespace sunup::controller
