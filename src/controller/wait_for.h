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

// The exit code: 0: reached; 1: the limit has passed, or provisioning has failed. One line on stdout says which.
host::Task<int> wait_for(Node& node, Awaited what, std::optional<host::Duration> limit);

}  // namespace sunup::controller
