#include "report/guest_events.h"

#include "report/fitting.h"
#include "report/quoted.h"

namespace sunup::report {

std::string to_json(const GuestEvent& event) {
  const std::string start = event_time(event.start);
  const std::string end = event_time(event.end);
  const bool whole_name = event.task.starts_with("AKS.");
  const std::string times = whole_name ? ""
                                       : " | startTime=" + start + " endTime=" + end +
                                             " durationMs=" + std::to_string((event.end - event.start) / 1'000'000);
  const std::string message =
      (event.may_be_cut ? fitting(event.message, kLongestMessage - times.size()) : event.message) + times;

  std::string out = R"({"Timestamp":")" + start + R"(","OperationId":")" + end + R"(","Version":"1.23","TaskName":)";
  append_json_string(out, whole_name ? event.task : "AKS.AKSNodeController." + event.task, Markup::kEscaped);
  out += R"(,"EventLevel":")";
  if (event.level != EventLevel::kNone) out += event.level == EventLevel::kError ? "Error" : "Informational";
  out += R"(","Message":)";
  append_json_string(out, message, Markup::kEscaped);
  out += R"(,"EventPid":"0","EventTid":"0"})";
  return out;
}

std::string event_file_name(WallTime written) {
  return std::to_string(written) + ".json";
}

}  // namespace sunup::report
