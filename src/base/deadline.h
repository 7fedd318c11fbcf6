// The time at which work is abandoned. Long loops check it, so that a request that is too large ends with an error
// instead of occupying a processor.
//
//   for (const Item& item : items) {
//     if (deadline.passed()) return deadline.error();
//     ...
//   }
#pragma once

#include <chrono>

#include "base/result.h"

namespace sunup {

class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  Deadline() = default;  // never passes
  explicit Deadline(Clock::time_point at) : at_(at) {}
  static Deadline after(Clock::duration time) { return Deadline(Clock::now() + time); }

  bool passed() const { return at_ != Clock::time_point::max() && Clock::now() >= at_; }
  Clock::time_point at() const { return at_; }
  static Error error() { return Error("the work took too long and was given up"); }

 private:
  Clock::time_point at_ = Clock::time_point::max();
};

}  // namespace sunup
