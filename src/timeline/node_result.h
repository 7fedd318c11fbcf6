// provision.json, as far as a timeline needs it: how the run ended, and when.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "timeline/model.h"

namespace sunup::timeline {

struct NodeResult {
  std::string exit_code = {};
  std::string error = {};
  std::string failed_step = {};        // only the built-in steps leave one
  std::optional<Nanos> start = {};     // wall, in whole seconds
  std::optional<Nanos> duration = {};  // the same
};
// Nothing when it is no such file.
std::optional<NodeResult> parse_result(std::string_view provision_json);

}  // namespace sunup::timeline
