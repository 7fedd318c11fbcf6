// The response of a collector, which may have status 200 although spans were rejected.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sunup::timeline {

struct Refusal {
  int64_t spans = 0;  // 0: only a message
  std::string message = {};
};
// Parses an ExportTraceServiceResponse in JSON. Empty if all spans were accepted, or if the body has another format.
std::optional<Refusal> refusal_of(std::string_view body);

}  // namespace sunup::timeline
