#include "report/cse_status_file.h"

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>

#include "base/json_nesting.h"
#include "base/json_writer.h"
#include "report/fitting.h"

namespace sunup::report {
namespace {

constexpr WallTime kSecond = 1'000'000'000;
constexpr char kUnfinishedSteps[] = "UnfinishedSteps";

std::string formatted(WallTime time, const char* format) {
  if (time == 0) return {};
  const time_t seconds = time / kSecond;
  struct tm parts;
  localtime_r(&seconds, &parts);
  char text[80];
  return {text, strftime(text, sizeof text, format, &parts)};
}

std::string event_time_or_nothing(WallTime time) {
  return time == 0 ? std::string() : event_time(time);
}

}  // namespace

std::string systemd_time(WallTime time) {
  return formatted(time, "%a %Y-%m-%d %H:%M:%S %Z");
}

std::string date_time(WallTime time) {
  return formatted(time, "%a %b %e %H:%M:%S %Z %Y");
}

namespace {

std::string all_of(const CseStatusFile& status) {
  const CseTimes& times = status.times;
  JsonWriter json;
  json.begin_object();
  json.member("ExitCode", std::to_string(status.exit_code));
  json.member("Output", status.output);
  json.member("Error", status.error);
  json.member("ExecDuration", std::to_string((times.end - times.start) / kSecond));
  json.member("KernelStartTime", systemd_time(times.kernel));
  json.member("CloudInitLocalStartTime", systemd_time(times.cloud_init_local));
  json.member("CloudInitStartTime", systemd_time(times.cloud_init));
  json.member("CloudFinalStartTime", systemd_time(times.cloud_final));
  json.member("NetworkdStartTime", systemd_time(times.networkd));
  json.member("CSEStartTime", date_time(times.start));
  json.member("GuestAgentStartTime", systemd_time(times.guest_agent));
  json.member("SystemdSummary", status.systemd_summary);
  json.key("BootDatapoints");
  json.begin_object();
  json.member("KernelStartTime", systemd_time(times.kernel));
  json.member("CSEStartTime", date_time(times.start));
  json.member("GuestAgentStartTime", systemd_time(times.guest_agent));
  json.member("KubeletStartTime", systemd_time(times.kubelet));
  json.end_object();
  if (!status.failed_step.empty()) json.member("FailedStep", status.failed_step);
  if (!status.hint.empty()) json.member("Hint", status.hint);
  if (!status.ignored_fields.empty()) {
    json.key("IgnoredFields");
    json.begin_array();
    for (const std::string& field : status.ignored_fields) json.text(field);
    json.end_array();
  }
  if (!status.verdict.empty()) json.member("Verdict", status.verdict);
  json.end_object();
  return std::move(json).take();
}

// The end of the text that fits into `room` bytes as a JSON string, without cutting a character.
std::string_view end_fitting(std::string_view text, size_t room) {
  const auto written = [](std::string_view part) { return json_string(part, JsonEscapes::kHtml).size() - 2; };
  size_t from = text.size() > room ? text.size() - room : 0;
  while (from < text.size()) {
    const bool inside = from > 0 && (static_cast<unsigned char>(text[from]) & 0xC0) == 0x80;
    const size_t size = inside ? 0 : written(text.substr(from));
    if (!inside && size <= room) break;
    // Each byte becomes at most six, so a sixth of the excess can be skipped at once without skipping too much.
    from += inside ? 1 : std::max<size_t>(1, (size - room) / 6);
  }
  return text.substr(from);
}

// Formats the file in at most kLongestStatusFile bytes, if shortening the output is sufficient.
std::string printed(nlohmann::ordered_json& file) {
  using nlohmann::ordered_json;
  const auto print = [&] { return file.dump(-1, ' ', false, ordered_json::error_handler_t::replace); };
  std::string whole = print();
  while (whole.size() > kLongestStatusFile && file.contains("Output") && file["Output"].is_string()) {
    const std::string output = file["Output"];
    if (output.empty()) break;
    file["Output"] = end_fitting(output, output.size() / 2);
    whole = print();
  }
  return whole;
}

}  // namespace

std::string to_json(const CseStatusFile& status) {
  std::string whole = all_of(status);
  if (whole.size() <= kLongestStatusFile) return whole;
  CseStatusFile shorter = status;
  shorter.output.clear();
  size_t without = all_of(shorter).size();
  while (without > kLongestStatusFile && !shorter.ignored_fields.empty()) {
    shorter.ignored_fields.resize(shorter.ignored_fields.size() / 2);
    without = all_of(shorter).size();
  }
  while (without > kLongestStatusFile && !shorter.error.empty()) {
    shorter.error = fitting(shorter.error, shorter.error.size() / 2);
    without = all_of(shorter).size();
  }
  if (without < kLongestStatusFile) shorter.output = end_fitting(status.output, kLongestStatusFile - without);
  return all_of(shorter);
}

namespace {

// Null for a text that cannot be changed: the scripts of an image may have left anything.
nlohmann::ordered_json changeable(std::string_view text) {
  return nested_too_deeply(text) ? nlohmann::ordered_json() : nlohmann::ordered_json::parse(text, nullptr, false);
}

}  // namespace

std::vector<std::string> unfinished_steps(std::string_view text) {
  const nlohmann::json file = nlohmann::json::parse(text, nullptr, false);
  std::vector<std::string> names;
  if (!file.is_object() || !file.contains(kUnfinishedSteps) || !file[kUnfinishedSteps].is_array()) return names;
  for (const nlohmann::json& name : file[kUnfinishedSteps])
    if (name.is_string()) names.push_back(name);
  return names;
}

std::string with_unfinished_steps(std::string_view text, const std::vector<std::string>& steps) {
  auto file = changeable(text);
  if (!file.is_object() || (steps.empty() && !file.contains(kUnfinishedSteps))) return std::string(text);
  file.erase(kUnfinishedSteps);
  if (!steps.empty()) file[kUnfinishedSteps] = steps;
  return printed(file);
}

std::string with_native_refusal(std::string_view text, std::string_view why) {
  auto file = changeable(text);
  if (!file.is_object()) return std::string(text);
  file["NativeRefusal"] = why;
  return printed(file);
}

std::string cse_start_message(const CseStatusFile& status) {
  const CseTimes& times = status.times;
  JsonWriter json;
  json.begin_object();
  json.member("ExitCode", std::to_string(status.exit_code));
  json.member("E2E", std::to_string((times.end - times.start) / kSecond));
  json.member("KernelStartTime", event_time_or_nothing(times.kernel));
  json.member("CloudInitLocalStartTime", event_time_or_nothing(times.cloud_init_local));
  json.member("CloudInitStartTime", event_time_or_nothing(times.cloud_init));
  json.member("CloudFinalStartTime", event_time_or_nothing(times.cloud_final));
  json.member("NetworkdStartTime", event_time_or_nothing(times.networkd));
  json.member("GuestAgentStartTime", event_time_or_nothing(times.guest_agent));
  json.member("KubeletStartTime", event_time_or_nothing(times.kubelet));
  json.member("KubeletReadyTime", std::string_view());  // only the scripts wait for it
  json.member("ScriptlessMode", status.scriptless_mode);
  json.end_object();
  return std::move(json).take();
}

}  // namespace sunup::report
