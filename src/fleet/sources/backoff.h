// Exponential back-off with jitter: each delay is longer, up to a limit, and randomized, so clients that failed at the
// same time do not retry at the same time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>

namespace sunup::fleet {

class Backoff {
 public:
  using Pause = std::chrono::milliseconds;

  Backoff(Pause first, Pause limit, uint32_t seed) : step_(first), limit_(limit), random_(seed) {}

  // Between half of the current delay and all of it; the next delay is twice as long.
  Pause next() {
    const Pause::rep most = step_.count();
    step_ = std::min(step_ * 2, limit_);
    return Pause(std::uniform_int_distribution<Pause::rep>(most / 2, most)(random_));
  }

 private:
  Pause step_;
  Pause limit_;
  std::minstd_rand random_;
};

}  // namespace sunup::fleet
