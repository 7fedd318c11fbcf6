#include "report/guest_events.h"

#include "base/json_writer.h"
#include "base/utf8.h"

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

std::string cse_start_message(const std::string& exit_code, const RunTimes& times, std::string_view mode) {
  const auto known = [](WallTime time) { return time == 0 ? std::string() : event_time(time); };
  JsonWriter json;
  json.begin_object();
  json.member("ExitCode", exit_code);
  json.member("E2E", std::to_string(times.seconds()));
  json.member("KernelStartTime", known(times.kernel));
  json.member("CloudInitLocalStartTime", known(times.cloud_init_local));
  json.member("CloudInitStartTime", known(times.cloud_init));
  json.member("CloudFinalStartTime", known(times.cloud_final));
  json.member("NetworkdStartTime", known(times.networkd));
  json.member("GuestAgentStartTime", known(times.guest_agent));
  json.member("KubeletStartTime", known(times.kubelet));
  json.member("KubeletReadyTime", std::string_view());  // only the scripts wait for it
  json.member("ScriptlessMode", mode);
  json.end_object();
  return std::move(json).take();
}

std::string event_file_name(WallTime written) {
  return std::to_string(written) + ".json";
}

}  // namespace sunup::report
