// The output of a child on one stream, for the log and the result: all of it up to a limit, otherwise its beginning and
// its end, with a line between them that gives the size of the omitted part.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sunup::controller {

class CapturedOutput {
 public:
  static constexpr size_t kHead = 128u << 10;
  static constexpr size_t kTail = 384u << 10;

  void add(std::string_view bytes);
  std::string text() const;

 private:
  std::string head_;
  std::string tail_;  // trimmed to kTail when it has grown to twice that
  uint64_t dropped_ = 0;
};

}  // namespace sunup::controller
