#include "report/separate.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace sunup::report {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

// Just behind the JSON value that starts the text, by its brackets alone; npos when they do not close.
size_t end_of_value(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

// JSON documents with nothing but blanks between them; the last may be cut off. Empty when the text is something else.
std::vector<std::string_view> documents(std::string_view text) {
  std::vector<std::string_view> found;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
    if (text.empty()) return found;
    if (text[0] != '{' && text[0] != '[') return {};
    const size_t end = std::min(end_of_value(text), text.size());
    const std::string_view part = text.substr(0, end);
    const bool cut_off = end == text.size() && part.back() != '}' && part.back() != ']';
    if (!cut_off && !nlohmann::json::accept(part)) return {};
    found.push_back(part);
    text.remove_prefix(end);
  }
}

// Where the extension's words about the next [stdout] begin; npos: there are none. Words behind a ": " belong to the
// text before (extension_words.h).
size_t headline_in(std::string_view between) {
  constexpr std::string_view kFailed = "failed to execute command: ";
  size_t failed = between.rfind(kFailed);
  if (failed != between.npos && between.substr(0, failed).ends_with(": ")) failed = between.npos;
  const size_t enable = between.rfind("Enable ");
  if (enable == between.npos || failed == between.npos) return std::min(enable, failed);
  return std::max(enable, failed);
}

// The extension's texts: each has [stdout] and then [stderr], often with "Enable succeeded:" before both.
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
