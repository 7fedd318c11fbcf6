#include "report/extension_words.h"

#include <algorithm>
#include <charconv>

#include "base/json_tree.h"
#include "base/text.h"

namespace sunup::report {
namespace {

constexpr std::string_view kStdout = "[stdout]";
constexpr std::string_view kStderr = "[stderr]";
constexpr std::string_view kFailed = "failed to execute command: ";
constexpr std::string_view kFailedAgain = "\n: failed to execute command: ";

// The standard error of the command, without the extension's last line.
std::string standard_error(std::string_view text) {
  const size_t at = text.rfind(kStderr);
  if (at == std::string_view::npos) return "";
  text.remove_prefix(at + kStderr.size());
  text = text.substr(0, text.rfind(kFailedAgain));
  constexpr std::string_view kBlank = " \r\n";
  text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
  return std::string(text.substr(0, text.find_last_not_of(kBlank) + 1));
}

std::optional<int> number_after(std::string_view text, std::string_view mark) {
  const size_t at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(at + mark.size());
  int value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  return error == std::errc() && end != rest.data() ? std::optional(value) : std::nullopt;
}

// The "error" of the last line that is a record of the controller's log.
std::string last_error(std::string_view text) {
  std::string found;
  while (!text.empty()) {
    const std::string_view line = take_until(text, '\n');
    if (!line.starts_with('{')) continue;
    const auto record = JsonTree::parse(line);
    const JsonNode* error = record ? record->root().find("error") : nullptr;
    if (error != nullptr && error->is_string()) found = error->text;
  }
  return found;
}

}  // namespace

size_t extension_failure(std::string_view text) {
  // The extension's message precedes the output of the command. If the beginning is cut off, the message is repeated at
  // the end.
  const std::string_view headline = text.substr(0, text.find(kStdout));
  return std::min({headline.find("Enable failed"), headline.find(kFailed), text.find(kFailedAgain)});
}

std::optional<CseStatus> status_from_extension(std::string_view text) {
  CseStatus status;
  status.truncated = true;
  const size_t failed = extension_failure(text);
  // The success of the command does not mean that the node succeeded: the node's status, which may contain a failure,
  // may be cut off.
  if (failed == std::string_view::npos) return std::nullopt;
  const std::string_view words = text.substr(text[failed] == '\n' ? failed + kFailedAgain.find(kFailed) : failed);
  status.extension_failed = true;
  // provision-wait exits with 1 for any failure, so 1 is not a code of the provisioning itself.
  if (const auto code = number_after(words, "exit status="); code && *code > 1) status.exit_code = code;
  status.result.error = last_error(words);
  if (status.result.error.empty()) status.result.error = words.substr(0, words.find('\n'));
  status.result.output = standard_error(words);
  return status;
}

}  // namespace sunup::report
