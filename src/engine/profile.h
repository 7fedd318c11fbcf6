// How long steps took in an earlier run, or default values: the weights of the critical path.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "host/loop.h"

namespace sunup::engine {

class Profile {
 public:
  // Lines of "name milliseconds"; '#' begins a comment. An invalid line is an error with its line number.
  static Result<Profile> parse(std::string_view text);
  std::string print() const;

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
