#include "report/extension_words.h"

#include <charconv>
#include <nlohmann/json.hpp>

namespace sunup::report {
namespace {

std::optional<int> number_after(std::string_view text, std::string_view mark) {
  const size_t at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(at + mark.size());
  int value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  return error == std::errc() && end != rest.data() ? std::optional(value) : std::nullopt;
}

// "error" of the last line that is a record of the controller's log.
std::string last_error(std::string_view text) {
  std::string found;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!line.starts_with('{')) continue;
    const auto record = nlohmann::json::parse(line, nullptr, false);
    if (!record.is_object() || !record.contains("error") || !record["error"].is_string()) continue;
    found = record["error"].get<std::string>();
  }
  return found;
}

}  // namespace

std::optional<CseStatus> status_from_extension(std::string_view text) {
  CseStatus status;
  status.truncated = true;
  const size_t failed = text.find("Enable failed");
  // Its success alone is not the node's: the status that may say otherwise can be what was cut off.
  if (failed == std::string_view::npos) return std::nullopt;
  const std::string_view words = text.substr(failed);
  status.extension_failed = true;
  // 1 is what provision-wait ends with for whatever failed: no code of the provisioning itself.
  if (const auto code = number_after(words, "exit status="); code && *code > 1) status.exit_code = code;
  status.error = last_error(words);
  if (status.error.empty()) status.error = words.substr(0, words.find('\n'));
  return status;
}

}  // namespace sunup::report
