// provision-wait --for kubelet, ready or pod: waits for an event after, or independent of, the result. Nothing is
// polled: kubelet's socket and files are watched, and a watch request is sent to the API server with the node's
// credentials.
#pragma once

#include <optional>
#include <string_view>

#include "controller/node.h"
#include "host/task.h"

namespace sunup::controller {

enum class Awaited { kKubelet, kReady, kPod };

std::optional<Awaited> parse_awaited(std::string_view text);

// Returns the exit code: 0 if the event has happened, 1 if the limit has passed or provisioning has failed. Prints the
// outcome to stdout in one line.
host::Task<int> wait_for(Node& node, Awaited what, std::optional<host::Duration> limit);

}  // namespace sunup::controller
