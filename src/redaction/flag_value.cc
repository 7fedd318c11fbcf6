#include <algorithm>

#include "base/text.h"
#include "redaction/credential.h"

namespace sunup::redaction {
namespace {

bool is_quote(char c) {
  return c == '"' || c == '\'' || c == '`';
}
bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

// Whether a word begins here: at the start of a line, after a blank, or as an argument in a list.
bool begins_a_word(std::string_view line) {
  return line.empty() || is_blank(line.back()) || is_quote(line.back()) || line.back() == '\n' || line.back() == '[' ||
         line.back() == ',';
}

// The position of the argument after a flag that ends at `at`, or 0. Handles `-p x`, `-p "x"`, `"-p","x"`, and the
// backslashes of quoted text.
size_t argument(std::string_view text, size_t at) {
  const size_t flag_end = at;
  const auto skip = [&](auto fits) {
    while (at < text.size() && fits(text[at])) ++at;
  };
  skip([](char c) { return c == '\\' || is_quote(c); });
  if (at < text.size() && (text[at] == ',' || text[at] == '=')) ++at;
  skip(is_blank);
  if (at == flag_end) return 0;
  skip([](char c) { return c == '\\' || is_quote(c); });
  return at;
}

size_t word_end(std::string_view text, size_t at, size_t most = std::string_view::npos) {
  text = text.substr(0, at + std::min(most, text.size() - at));
  while (at < text.size() && !is_blank(text[at]) && !is_quote(text[at]) && text[at] != '\n' && text[at] != '\r') {
    if (text[at] == '\\' && at + 1 < text.size() && (is_quote(text[at + 1]) || text[at + 1] == 'n')) break;
    ++at;
  }
  return at;
}

bool is_worth_it(std::string_view value) {
  return !value.empty() && value.front() != '-' && value.front() != '$' && !value.starts_with(Redactor::kMark);
}

bool has_word(std::string_view line, std::string_view word) {
  const auto letter = [&line](size_t at) { return at < line.size() && is_alphanumeric(line[at]); };
  for (size_t at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1))
    if ((at == 0 || !letter(at - 1)) && !letter(at + word.size())) return true;
  return false;
}

}  // namespace

Found flag_value(std::string_view text, std::string_view line) {
  if (!begins_a_word(line)) return {};
  for (const std::string_view flag : {"-u", "-U", "--user", "--proxy-user"}) {
    if (!text.starts_with(flag)) continue;
    const size_t at = argument(text, flag.size());
    if (at == 0) continue;
    // No user's name is longer.
    const size_t colon = text.substr(0, word_end(text, at, kLongestHarmless)).find(':', at);
    if (colon == std::string_view::npos || colon == at) continue;
    const size_t end = word_end(text, colon);
    if (end - colon > kLongestHarmless) return {colon + 1, end};
    const std::string_view value = text.substr(colon + 1, end - colon - 1);
    // URLs and numeric user and group IDs are not credentials.
    const bool numbers = std::ranges::all_of(value, is_digit);
    if (is_worth_it(value) && !numbers && !value.starts_with("//")) return {colon + 1, end};
  }
  if (text.starts_with("-p") || text.starts_with("-P")) {
    const bool login = has_word(line, "login") || has_word(line, "sshpass");
    const size_t at = login ? argument(text, 2) : 0;
    if (at == 0) return {};
    const size_t end = word_end(text, at);
    if (is_worth_it(text.substr(at, end - at))) return {at, end};
  }
  return {};
}

}  // namespace sunup::redaction
