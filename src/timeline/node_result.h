// The parts of provision.json that a timeline needs: how the run ended, and when.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "timeline/model.h"

namespace sunup::timeline {

struct NodeResult {
  std::string exit_code = {};
  std::string error = {};
  std::string failed_step = {};        // only written by the built-in steps
  std::optional<Nanos> start = {};     // wall, in whole seconds
  std::optional<Nanos> duration = {};  // the same
};
// Empty if the text is not a provision.json.
std::optional<NodeResult> parse_result(std::string_view provision_json);

}  // namespace sunup::timeline
