#include "timeline/node_result.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/boot_times.h"

namespace sunup::timeline {
namespace {

using nlohmann::json;

std::string text_of(const json& object, const char* member) {
  const auto found = object.find(member);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

std::optional<NodeResult> parse_result(std::string_view provision_json) {
  const json object = json::parse(provision_json, nullptr, false);
  if (!object.is_object()) return std::nullopt;
  NodeResult result;
  result.exit_code = text_of(object, "ExitCode");
  if (result.exit_code.empty()) return std::nullopt;
  result.error = text_of(object, "Error");
  result.failed_step = text_of(object, "FailedStep");
  if (const auto start = report::parse_boot_time(text_of(object, "CSEStartTime")))
    result.start = std::llround(*start) * kSecond;
  const std::string took = text_of(object, "ExecDuration");
  int seconds = 0;
  const auto [end, error] = std::from_chars(took.data(), took.data() + took.size(), seconds);
  if (error == std::errc() && end == took.data() + took.size() && seconds >= 0) result.duration = seconds * kSecond;
  return result;
}

}  // namespace sunup::timeline
