#include "report/separate.h"

#include <algorithm>

#include "base/json_reader.h"

namespace sunup::report {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

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
// belongs to the previous text (extension_words.h).
size_t headline_in(std::string_view between) {
  constexpr std::string_view kFailed = "failed to execute command: ";
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
    const size_t errors = text.find("[stderr]", std::min(text.find("[stdout]"), text.size()));
    const size_t next = errors == text.npos ? text.npos : text.find("[stdout]", errors);
    if (next == text.npos) break;
    const size_t headline = headline_in(text.substr(errors, next - errors));
    const size_t cut = headline == text.npos ? next : errors + headline;
    found.push_back(text.substr(0, cut));
    text.remove_prefix(cut);
  }
  found.push_back(text);
  return found;
}

}  // namespace

std::vector<std::string_view> separate_results(std::string_view text) {
  auto parts = documents(text);
  if (parts.empty()) parts = extension_texts(text);
  return parts;
}

}  // namespace sunup::report
