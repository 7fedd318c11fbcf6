#include "timeline/node_result.h"

#include <charconv>
#include <cmath>

#include "report/boot_times.h"
#include "report/result_file.h"

namespace sunup::timeline {

std::optional<NodeResult> parse_result(std::string_view provision_json) {
  auto read = report::parse_result(provision_json);
  if (!read || read->exit_code.empty()) return std::nullopt;
  NodeResult result;
  result.exit_code = std::move(read->exit_code);
  result.error = std::move(read->error);
  result.failed_step = std::move(read->failed_step);
  if (const auto start = report::parse_boot_time(read->start_time)) result.start = std::llround(*start) * kSecond;
  const std::string& took = read->duration;
  int seconds = 0;
  const auto [end, error] = std::from_chars(took.data(), took.data() + took.size(), seconds);
  if (error == std::errc() && end == took.data() + took.size() && seconds >= 0) result.duration = seconds * kSecond;
  return result;
}

}  // namespace sunup::timeline
