#include "report/guest_events.h"

#include "base/json_writer.h"
#include "report/fitting.h"

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

  const auto* const level = event.level == EventLevel::kNone    ? ""
                            : event.level == EventLevel::kError ? "Error"
                                                                : "Informational";
  JsonWriter json;
  json.begin_object();
  json.member("Timestamp", start);
  json.member("OperationId", end);
  json.member("Version", "1.23");
  json.member("TaskName", whole_name ? event.task : "AKS.AKSNodeController." + event.task);
  json.member("EventLevel", level);
  json.member("Message", message);
  json.member("EventPid", "0");
  json.member("EventTid", "0");
  json.end_object();
  return std::move(json).take();
}

std::string event_file_name(WallTime written) {
  return std::to_string(written) + ".json";
}

}  // namespace sunup::report
