// Retries HTTP requests: a lost packet, or a server that is just starting, must not fail a resolve.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <random>

#include "base/result.h"
#include "fleet/sources/http_client.h"

namespace sunup::fleet {

// Exponential back-off with jitter: each delay is longer, up to a limit, and randomized, so clients that failed at the
// same time do not retry at the same time.
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

class PatientClient {
 public:
  // The deadline of the options is for all attempts, their timeout for each.
  explicit PatientClient(HttpOptions options);
  // Each attempt is a call of `ask`, which returns the errors of HttpClient.
  using Ask = std::function<Result<HttpAnswer>(const HttpUrl&)>;
  PatientClient(Clock::time_point deadline, Ask ask) : deadline_(deadline), ask_(std::move(ask)) {}

  // Returns an answer with a status below 500, except 429. `refusal_may_pass`: a 403 may come from a server that has
  // not loaded its rules yet, and is retried. The Error contains the number of attempts and the result of the last
  // attempt that was not cut short by the deadline. An error that a retry cannot fix has os_errno kNotTrusted.
  Result<HttpAnswer> get(const HttpUrl& url, bool refusal_may_pass = false) const;

 private:
  Clock::time_point deadline_;
  Ask ask_;
};

}  // namespace sunup::fleet
