#include "report/result_file.h"

#include <charconv>

#include "base/json_tree.h"
#include "base/json_writer.h"
#include "base/text.h"

namespace sunup::report {
namespace {

constexpr std::string_view kParse = "parse provision.json: ";

// The names of the types are those of Go, which users know from the original's log.
Error wrong_type(const JsonNode& value, std::string_view member) {
  std::string what = std::string(kParse) + "json: cannot unmarshal " + std::string(value.kind_name()) + " into Go ";
  if (member.empty())
    what += "value of type main.ProvisionResult";
  else
    what += "struct field ProvisionResult." + std::string(member) + " of type string";
  return Error(std::move(what));
}

}  // namespace

std::string to_json(const ProvisionResult& result) {
  JsonWriter json;
  json.begin_object();
  json.member("ExitCode", result.exit_code);
  json.member("Error", result.error);
  json.member("Output", result.output);
  json.end_object();
  return std::move(json).take();
}

Result<ProvisionResult> parse_result(std::string_view text) {
  const auto tree = JsonTree::parse(text);
  if (!tree) return Error(std::string(kParse) + tree.error().what);
  const JsonNode& document = tree->root();
  ProvisionResult result;
  if (document.is_null()) return result;
  if (!document.is_object()) return wrong_type(document, "");

  struct Wanted {
    std::string_view name;
    std::string* target;
    bool is_strict;  // the original reads it too, and fails for other types
  };
  const Wanted wanted[] = {{"ExitCode", &result.exit_code, true},
                           {"Error", &result.error, true},
                           {"Output", &result.output, true},
                           {"FailedStep", &result.failed_step, false},
                           {"CSEStartTime", &result.start_time, false},
                           {"ExecDuration", &result.duration, false}};
  for (const JsonNode& value : document) {
    for (const auto& [member, target, is_strict] : wanted) {
      if (!equal_ignoring_case(value.name, member) || value.is_null()) continue;
      if (!value.is_string() && is_strict) return wrong_type(value, member);
      if (value.is_string()) *target = value.text;
      break;
    }
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

}  // namespace sunup::report
