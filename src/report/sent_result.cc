#include "report/sent_result.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace sunup::report {

using nlohmann::ordered_json;

std::string to_json(const SentResult& result) {
  ordered_json out{{"node", ""}, {"exitCode", 0}};
  if (result.failure) out = ordered_json::parse(failure_json(*result.failure));
  out["node"] = result.node;
  out["timeline"] = result.timeline;
  out["run"] = result.run;
  ordered_json milestones = ordered_json::object();
  for (const auto& [name, seconds] : result.milestones) {
    if (milestones.size() == kMostMilestones) break;
    if (name.size() <= kLongestMilestone && std::isfinite(seconds))
      milestones[name] = std::round(seconds * 1000) / 1000;
  }
  out["milestones"] = std::move(milestones);
  return out.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace sunup::report
