#include "report/provision_result.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json_nesting.h"
#include "base/json_tree.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "base/utf8.h"

namespace sunup::report {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kParse = "parse provision.json: ";
constexpr char kUnfinishedSteps[] = "UnfinishedSteps";

enum class Kind { kFact, kFreeText };

struct Member {
  std::string_view name;
  std::string ProvisionResult::* value;
  Kind kind = Kind::kFact;
};
// In the order of the file. The original reads the first three, and fails if they are not strings.
constexpr Member kMembers[] = {
    {"ExitCode", &ProvisionResult::exit_code},
    {"Output", &ProvisionResult::output, Kind::kFreeText},
    {"Error", &ProvisionResult::error, Kind::kFreeText},
    {"ExecDuration", &ProvisionResult::duration},
    {"KernelStartTime", &ProvisionResult::kernel_start},
    {"CloudInitLocalStartTime", &ProvisionResult::cloud_init_local_start},
    {"CloudInitStartTime", &ProvisionResult::cloud_init_start},
    {"CloudFinalStartTime", &ProvisionResult::cloud_final_start},
    {"NetworkdStartTime", &ProvisionResult::networkd_start},
    {"CSEStartTime", &ProvisionResult::start},
    {"GuestAgentStartTime", &ProvisionResult::guest_agent_start},
    {"SystemdSummary", &ProvisionResult::systemd_summary, Kind::kFreeText},
    {"FailedStep", &ProvisionResult::failed_step},
    {"Hint", &ProvisionResult::hint, Kind::kFreeText},
    {"Verdict", &ProvisionResult::verdict, Kind::kFreeText},
};
constexpr size_t kReadByOriginal = 3;
constexpr size_t kOfOriginal = 12;

const Member* find_member(std::string_view name) {
  const auto* found =
      std::ranges::find_if(kMembers, [name](const Member& member) { return equal_ignoring_case(name, member.name); });
  return found == std::end(kMembers) ? nullptr : found;
}

// The names of the types are those of Go, which users know from the original's log.
Error wrong_type(const JsonNode& value, std::string_view member) {
  std::string what = std::string(kParse) + "json: cannot unmarshal " + std::string(value.kind_name()) + " into Go ";
  if (member.empty())
    what += "value of type main.ProvisionResult";
  else
    what += "struct field ProvisionResult." + std::string(member) + " of type string";
  return Error(std::move(what));
}

std::string all_of(const ProvisionResult& result) {
  JsonWriter json;
  json.begin_object();
  for (size_t i = 0; i < std::size(kMembers); ++i) {
    const auto& [name, value, kind] = kMembers[i];
    if (i == kOfOriginal) {
      json.key("BootDatapoints");
      json.begin_object();
      json.member("KernelStartTime", result.kernel_start);
      json.member("CSEStartTime", result.start);
      json.member("GuestAgentStartTime", result.guest_agent_start);
      json.member("KubeletStartTime", result.kubelet_start);
      json.end_object();
    }
    if (value == &ProvisionResult::verdict && !result.ignored_fields.empty()) {
      json.key("IgnoredFields");
      json.begin_array();
      for (const std::string& field : result.ignored_fields) json.text(field);
      json.end_array();
    }
    if (i < kOfOriginal || !(result.*value).empty()) json.member(name, result.*value);
  }
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

std::string printed(const ordered_json& file) {
  return file.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

// Formats the file in at most kLongestResult bytes, if shortening the output is sufficient.
std::string printed_to_fit(ordered_json& file) {
  std::string whole = printed(file);
  while (whole.size() > kLongestResult && file.contains("Output") && file["Output"].is_string()) {
    const std::string output = file["Output"];
    if (output.empty()) break;
    file["Output"] = end_fitting(output, output.size() / 2);
    whole = printed(file);
  }
  return whole;
}

}  // namespace

std::string to_json(const ProvisionResult& result) {
  std::string whole = all_of(result);
  if (whole.size() <= kLongestResult) return whole;
  ProvisionResult shorter = result;
  shorter.output.clear();
  size_t without = all_of(shorter).size();
  while (without > kLongestResult && !shorter.ignored_fields.empty()) {
    shorter.ignored_fields.resize(shorter.ignored_fields.size() / 2);
    without = all_of(shorter).size();
  }
  while (without > kLongestResult && !shorter.error.empty()) {
    shorter.error = fitting(shorter.error, shorter.error.size() / 2);
    without = all_of(shorter).size();
  }
  if (without < kLongestResult) shorter.output = end_fitting(result.output, kLongestResult - without);
  return all_of(shorter);
}

std::string brief_json(const ProvisionResult& result) {
  JsonWriter json;
  json.begin_object();
  json.member("ExitCode", result.exit_code);
  json.member("Error", result.error);
  json.member("Output", result.output);
  json.end_object();
  return std::move(json).take();
}

void set_times(ProvisionResult& result, const RunTimes& times) {
  result.duration = std::to_string(times.seconds());
  result.kernel_start = systemd_time(times.kernel);
  result.cloud_init_local_start = systemd_time(times.cloud_init_local);
  result.cloud_init_start = systemd_time(times.cloud_init);
  result.cloud_final_start = systemd_time(times.cloud_final);
  result.networkd_start = systemd_time(times.networkd);
  result.start = date_time(times.start);
  result.guest_agent_start = systemd_time(times.guest_agent);
  result.kubelet_start = systemd_time(times.kubelet);
}

void set_member(ProvisionResult& result, std::string_view name, std::string_view value) {
  if (const Member* member = find_member(name)) result.*(member->value) = value;
}

Result<ProvisionResult> parse_result(std::string_view text) {
  const auto tree = JsonTree::parse(text);
  if (!tree) return Error(std::string(kParse) + tree.error().what);
  const JsonNode& document = tree->root();
  ProvisionResult result;
  if (document.is_null()) return result;
  if (!document.is_object()) return wrong_type(document, "");
  for (const JsonNode& value : document) {
    const Member* member = find_member(value.name);
    if (member == nullptr || value.is_null()) continue;
    if (value.is_string())
      result.*(member->value) = value.text;
    else if (member < kMembers + kReadByOriginal)
      return wrong_type(value, member->name);
  }
  return result;
}

Result<int64_t> exit_code_of(const ProvisionResult& result) {
  if (result.exit_code.empty()) return Error("missing ExitCode in provision.json");
  std::string_view digits = result.exit_code;
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  int64_t code = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code);
  if (error != std::errc() || end != digits.data() + digits.size())
    return Error("invalid ExitCode in provision.json: " + result.exit_code);
  return code;
}

std::optional<double> duration_of(const ProvisionResult& result) {
  const std::string& text = result.duration;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data() || !std::isfinite(value)) return std::nullopt;
  return value;
}

namespace {

// Null for a text that cannot be changed: the scripts of an image may have left anything.
ordered_json changeable(std::string_view text) {
  return nested_too_deeply(text) ? ordered_json() : ordered_json::parse(text, nullptr, false);
}

}  // namespace

std::string with_unfinished_steps(std::string_view text, const std::vector<std::string>& steps) {
  auto file = changeable(text);
  if (!file.is_object() || (steps.empty() && !file.contains(kUnfinishedSteps))) return std::string(text);
  file.erase(kUnfinishedSteps);
  if (!steps.empty()) file[kUnfinishedSteps] = steps;
  return printed_to_fit(file);
}

std::string with_native_refusal(std::string_view text, std::string_view why) {
  auto file = changeable(text);
  if (!file.is_object()) return std::string(text);
  file["NativeRefusal"] = why;
  return printed_to_fit(file);
}

std::vector<std::string> unfinished_steps(std::string_view text) {
  const nlohmann::json file = nlohmann::json::parse(text, nullptr, false);
  std::vector<std::string> names;
  if (!file.is_object() || !file.contains(kUnfinishedSteps) || !file[kUnfinishedSteps].is_array()) return names;
  for (const nlohmann::json& name : file[kUnfinishedSteps])
    if (name.is_string()) names.push_back(name);
  return names;
}

std::string without_free_text(std::string_view text) {
  const auto file = changeable(text);
  if (!file.is_object()) return "";
  ordered_json facts = ordered_json::object();
  for (const Member& member : kMembers)
    if (const auto found = file.find(member.name);
        member.kind == Kind::kFact && found != file.end() && found->is_string())
      facts[member.name] = *found;
  return printed(facts) + "\n";
}

}  // namespace sunup::report
