// When to try again: whether an error is worth it, how long to wait, and when it is too late.
#pragma once

#include <optional>
#include <string_view>

#include "engine/step.h"

namespace sunup::engine {

// The pause before the next attempt; nothing: that was the last one. `attempts` have been made; `left` is the time in
// which another may still start. Pauses double from Retry::pause and are spread between half and the whole of that, by
// seed, step and attempt: nodes that fail together do not come back together, and a simulated run repeats.
std::optional<Duration> next_pause(const Retry& retry, std::string_view step, int attempts, const Error& error,
                                   Duration left, uint64_t seed);

// May an operation that failed with this succeed later, although nothing of the node's config or image has changed: a
// full disk, a lack of memory or descriptors, a disk error, a network that is away?
bool may_pass(const Error& error);

}  // namespace sunup::engine
