#include "report/extension_text.h"

#include <algorithm>
#include <charconv>

#include "base/json_reader.h"
#include "base/json_tree.h"
#include "base/text.h"

namespace sunup::report {
namespace {

constexpr std::string_view kBlank = " \t\r\n";
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
  constexpr std::string_view kLineEnds = " \r\n";
  text.remove_prefix(std::min(text.find_first_not_of(kLineEnds), text.size()));
  return std::string(text.substr(0, text.find_last_not_of(kLineEnds) + 1));
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

// The length of the JSON value at the start of the text, which may be truncated; 0 if it is not JSON.
size_t value_length(std::string_view text) {
  JsonReader in(text, JsonDialect::kGo);
  if (in.skip()) return in.offset();
  JsonReader cut(text, JsonDialect::kBroken);
  return cut.skip() || cut.error_offset() < text.size() ? 0 : text.size();
}

// Splits JSON documents that are separated only by blanks; the last one may be truncated. Empty if the text is anything
// else.
std::vector<std::string_view> documents(std::string_view text) {
  std::vector<std::string_view> found;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
    if (text.empty()) return found;
    const size_t length = text[0] == '{' || text[0] == '[' ? value_length(text) : 0;
    if (length == 0) return {};
    found.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
}

// The position of the extension's message about the next [stdout]; npos if there is none. A message after a ": "
// belongs to the previous text.
size_t headline_in(std::string_view between) {
  size_t failed = between.rfind(kFailed);
  if (failed != between.npos && between.substr(0, failed).ends_with(": ")) failed = between.npos;
  const size_t enable = between.rfind("Enable ");
  if (enable == between.npos || failed == between.npos) return std::min(enable, failed);
  return std::max(enable, failed);
}

// The texts of the extension: each has [stdout] and then [stderr], often with "Enable succeeded:" before both.
std::vector<std::string_view> extension_texts(std::string_view text) {
  std::vector<std::string_view> found;
  while (true) {
    const size_t errors = text.find(kStderr, std::min(text.find(kStdout), text.size()));
    const size_t next = errors == text.npos ? text.npos : text.find(kStdout, errors);
    if (next == text.npos) break;
    const size_t headline = headline_in(text.substr(errors, next - errors));
    const size_t cut = headline == text.npos ? next : errors + headline;
    found.push_back(text.substr(0, cut));
    text.remove_prefix(cut);
  }
  found.push_back(text);
  return found;
}

// The position of the failure message in the text before its [stdout]; npos if there is none.
size_t extension_failure(std::string_view text) {
  // The extension's message precedes the output of the command. If the beginning is cut off, the message is repeated at
  // the end.
  const std::string_view headline = text.substr(0, text.find(kStdout));
  return std::min({headline.find("Enable failed"), headline.find(kFailed), text.find(kFailedAgain)});
}

}  // namespace

std::vector<std::string_view> separate_results(std::string_view text) {
  auto parts = documents(text);
  if (parts.empty()) parts = extension_texts(text);
  return parts;
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
