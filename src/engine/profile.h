// How long steps usually take: the weights of the critical path.
#pragma once

#include <map>
#include <string>

#include "host/loop.h"

namespace sunup::engine {

class Profile {
 public:
  void record(const std::string& step, host::Duration took) { weights_[step] = took; }
  host::Duration weight(const std::string& step) const {
    const auto found = weights_.find(step);
    return found == weights_.end() ? kDefault : found->second;
  }

  // Most steps write one or two files. Steps that wait for something are worth recording.
  static constexpr host::Duration kDefault = std::chrono::milliseconds(5);

 private:
  std::map<std::string, host::Duration> weights_;
};

}  // namespace sunup::engine
