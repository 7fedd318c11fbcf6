// Retries: whether an error is worth one, how long to wait, and when it is too late.
#pragma once

#include <optional>
#include <string_view>

#include "engine/step.h"

namespace sunup::engine {

// The pause before the next attempt; empty if there is none. `attempts` have been made; `left` is the time in which
// another one may still start. Pauses double from Retry::pause. Each is spread between half and all of that value by
// seed, step and attempt, so that nodes that fail together do not retry together and a simulated run is reproducible.
std::optional<Duration> next_pause(const Retry& retry, std::string_view step, int attempts, const Error& error,
                                   Duration left, uint64_t seed);

// Whether an operation that failed with this error may succeed later without a change of the node's config or image: a
// full disk, a lack of memory or descriptors, a disk error, an unreachable network.
bool may_pass(const Error& error);

}  // namespace sunup::engine
