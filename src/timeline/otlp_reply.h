// What a collector made of a trace: it may answer 200 and still have refused spans.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sunup::timeline {

struct Refusal {
  int64_t spans = 0;  // 0: only something to say
  std::string message = {};
};
// Of an ExportTraceServiceResponse as JSON; nothing: all was taken. A body that is none of it says nothing.
std::optional<Refusal> refusal_of(std::string_view body);

}  // namespace sunup::timeline
