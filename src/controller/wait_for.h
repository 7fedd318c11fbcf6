// provision-wait --for kubelet, ready or pod: waits for what comes after, or beside, the result. Nothing is polled: the
// kubelet's socket and files are watched, and the API server is asked with a watch request and the node's credentials.
#pragma once

#include <optional>
#include <string_view>

#include "controller/node.h"
#include "host/task.h"

namespace sunup::controller {

enum class Awaited { kKubelet, kReady, kPod };

std::optional<Awaited> parse_awaited(std::string_view text);

// Returns the exit code: 0 if the event has happened, 1 if the limit has passed or provisioning has failed. Prints one
// line to stdout that says which.
host::Task<int> wait_for(Node& node, Awaited what, std::optional<host::Duration> limit);

}  // namespace sunup::controller
