#include <algorithm>

#include "base/text.h"
#include "base/url.h"
#include "redaction/credential.h"

namespace sunup::redaction {
namespace {

constexpr std::string_view kMark = Redactor::kMark;

constexpr std::string_view kEndings[] = {"secret",   "password", "passwd",     "passphrase",  "pwd",
                                         "token",    "key",      "credential", "credentials", "connectionstring",
                                         "sastoken", "keydata"};
// These end like the name of a secret but are not secret: the shell's directories, and public keys and key names.
constexpr std::string_view kHarmless[] = {"pwd", "oldpwd", "publickey", "hostkey", "cachekey", "tokenkey"};

bool names_a_secret(std::string_view name, IsSecretName further) {
  if (further(name)) return true;
  const std::string word = plain_name(name);
  const auto ends = [&word](std::string_view ending) { return word.ends_with(ending); };
  if (std::ranges::none_of(kEndings, ends)) return word == "auth";
  return std::ranges::find(kHarmless, word) == std::end(kHarmless) && !word.ends_with("publickey");
}

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}
bool is_quote(char c) {
  return c == '"' || c == '\'' || c == '`';
}

size_t run_of(std::string_view text, size_t at, bool (*fits)(char)) {
  while (at < text.size() && fits(text[at])) ++at;
  return at;
}

// A quote, alone or with the backslashes that it has within quoted text (JSON in JSON has one, then three ...).
struct Quote {
  size_t backslashes = 0;
  size_t end = 0;  // the position after it; 0: there is none
};
Quote quote_at(std::string_view text, size_t at) {
  const size_t mark = run_of(text, at, [](char c) { return c == '\\'; });
  if (mark >= text.size() || !is_quote(text[mark])) return {};
  return {mark - at, mark + 1};
}

// The end of the quoted text that begins at `at`: the next such quote with no more backslashes before it. A quote that
// is not closed ends at the end of the line.
size_t quoted_end(std::string_view text, size_t at, char mark, size_t backslashes) {
  size_t before = 0;
  for (size_t i = at; i < text.size(); ++i) {
    if (text[i] == '\n') return i;
    if (text[i] == mark && backslashes > 0 && before <= backslashes) return i - before;
    // Two backslashes are an escaped backslash and do not affect the quote.
    if (text[i] == mark && backslashes == 0 && before % 2 == 0) return i;
    before = text[i] == '\\' ? before + 1 : 0;
  }
  return text.size();
}

// ", next" and "&grant_type=x" end a value; a comma within it does not.
bool begins_another(std::string_view rest) {
  if (rest.empty() || is_blank(rest[0]) || rest[0] == '\n' || rest[0] == '\r' || is_quote(rest[0])) return true;
  if (rest[0] == '\\') return true;
  const size_t name = run_of(rest, 0, is_name_char);
  return name > 0 && name < rest.size() && rest[name] == '=';
}

// "\n", "\t" and "\"" within quoted text.
bool is_escape(std::string_view text, size_t at) {
  constexpr std::string_view kLetters = "nrt\"'";
  constexpr size_t kMostBackslashes = 64;
  const size_t letter = run_of(text.substr(0, at + kMostBackslashes), at, [](char c) { return c == '\\'; });
  return letter > at && letter < text.size() && kLetters.find(text[letter]) != std::string_view::npos;
}

// `words`: only a blank ends the value, as in prose and YAML.
size_t plain_end(std::string_view text, size_t at, bool words = false) {
  constexpr std::string_view kSeparators = ",;&";
  constexpr std::string_view kClosers = ")]}";
  for (size_t i = at; i < text.size(); ++i) {
    if (text.substr(i).starts_with(kMark)) {
      i += kMark.size() - 1;
      continue;
    }
    const char c = text[i];
    if (is_blank(c) || c == '\n' || c == '\r' || is_quote(c) || c == '<') return i;
    if (c == '\\' && is_escape(text, i)) return i;
    if (words) continue;
    const bool closes = kClosers.find(c) != std::string_view::npos;
    if (!closes && kSeparators.find(c) == std::string_view::npos) continue;
    const std::string_view rest = text.substr(i + 1);
    if (begins_another(rest) || (closes && std::string_view(",)]}").find(rest[0]) != std::string_view::npos)) return i;
  }
  return text.size();
}

bool says_nothing(std::string_view value) {
  constexpr std::string_view kWords[] = {"true", "false", "null", "none", "nil", "[]", "{}", "<nil>", "[", "{", "|"};
  return value.empty() || value == kMark || std::ranges::find(kWords, value) != std::end(kWords);
}

// After a colon in unquoted text: a word of a sentence is not a credential.
bool looks_like_a_credential(std::string_view value, bool last_of_line) {
  constexpr size_t kShortest = 6;
  constexpr size_t kLongWord = 20;
  if (value.size() < kShortest) return false;
  return last_of_line || value.size() >= kLongWord || std::ranges::any_of(value, is_digit);
}

// The name "key" alone is used for many values that are not credentials.
bool is_key_material(std::string_view value) {
  constexpr size_t kShortest = 20;
  return value.size() >= kShortest && std::ranges::any_of(value, is_digit);
}

// In a URL the user information and the query can contain a credential; the host and path are kept because they are
// useful.
Found of_url(std::string_view text, size_t at, size_t end) {
  const std::string_view url = text.substr(at, end - at);
  const size_t scheme = url.find("://");
  const size_t path = std::min(url.find_first_of("/?#", scheme + 3), url.size());
  const size_t user = url.substr(0, path).rfind('@');
  const size_t query = url.find('?');
  const bool has_user = user != std::string_view::npos && url.substr(scheme + 3, user - scheme - 3) != kMark;
  const bool has_query = query != std::string_view::npos && url.substr(query + 1) != kMark;
  if (has_user) return {at + scheme + 3, has_query ? end : at + user};
  return has_query ? Found{at + query + 1, end} : Found();
}

// Authorization: Basic dXNlcjpw; the scheme is kept.
Found authorization(std::string_view text, size_t at) {
  const size_t word = run_of(text, at, [](char c) { return is_letter(c); });
  if (word > at && word < text.size() && is_blank(text[word])) {
    const size_t value = run_of(text, word, is_blank);
    const size_t end = plain_end(text, value);
    if (end > value) return says_nothing(text.substr(value, end - value)) ? Found() : Found{value, end};
  }
  const size_t end = plain_end(text, at);
  return says_nothing(text.substr(at, end - at)) ? Found() : Found{at, end};
}

// Cookie: a=b; c="d", until the end of the line or of the quoted text that contains it. A cookie has a name; text
// without one is prose.
Found cookies(std::string_view text, size_t at, const Quote& opening) {
  size_t end = at;
  if (opening.end != 0) {
    end = quoted_end(text, at, text[opening.end - 1], opening.backslashes);
  } else {
    bool inside = false;  // within a quoted value
    while (end < text.size() && text[end] != '\n' && text[end] != '\r') {
      const size_t mark = run_of(text, end, [](char c) { return c == '\\'; });
      const char next = mark < text.size() ? text[mark] : '\n';
      if (mark > end && (next == 'n' || next == 'r')) break;
      if (is_quote(next)) {
        if (!inside && (end == at || text[end - 1] != '=')) break;
        inside = !inside;
      }
      end = std::min(mark + 1, text.size());
    }
  }
  const std::string_view value = text.substr(at, end - at);
  if (value.size() > kLongestHarmless) return {at, end};
  return value.find('=') == std::string_view::npos || says_nothing(value) ? Found() : Found{at, end};
}

}  // namespace

bool is_name_char(char c) {
  return is_alphanumeric(c) || c == '-' || c == '_';
}

std::string plain_name(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (c != '-' && c != '_') out += to_lower(c);
  return out;
}

Found named_value(std::string_view text, IsSecretName further) {
  constexpr size_t kLongestName = 80;
  const size_t name_end = run_of(text, 0, is_name_char);
  if (name_end == 0 || name_end > kLongestName || name_end == text.size()) return {};
  const bool is_flag = text.starts_with("--");
  const size_t name = std::min(text.find_first_not_of('-'), name_end);
  const std::string_view word = text.substr(name, name_end - name);

  const Quote closing = quote_at(text, name_end);
  const size_t name_done = closing.end != 0 ? closing.end : name_end;
  size_t at = run_of(text, name_done, is_blank);
  if (at >= text.size()) return {};
  char separator = text[at];
  if (separator == '=' || separator == ':') {
    at = run_of(text, at, [](char c) { return c == '=' || c == ':' || c == '>'; });
  } else if (separator == '>' && at == name_end) {
    ++at;  // an XML element
  } else if (is_flag && at > name_end) {
    separator = ' ';
  } else {
    return {};
  }
  const bool is_authorization =
      word.size() >= 13 && equal_ignoring_case(word.substr(word.size() - 13), "authorization");
  const bool is_cookie = word.size() >= 6 && equal_ignoring_case(word.substr(word.size() - 6), "cookie");
  if (!is_authorization && !is_cookie && !names_a_secret(word, further)) return {};

  at = run_of(text, at, is_blank);
  if (at < text.size() && text[at] == '$' && quote_at(text, at + 1).end != 0) ++at;
  if (is_cookie && at < text.size() && text[at] == '[') ++at;  // a header may be repeated
  const Quote opening = quote_at(text, at);
  const size_t value = opening.end != 0 ? opening.end : at;
  if (text.substr(value).starts_with("-----BEGIN ")) return {};  // a key has several lines
  if (is_authorization) return authorization(text, value);
  if (is_cookie) return cookies(text, value, opening);
  const bool prose = separator == ':' && closing.end == 0;
  const size_t end = opening.end != 0 ? quoted_end(text, value, text[opening.end - 1], opening.backslashes)
                                      : plain_end(text, value, prose);
  const std::string_view found = text.substr(value, end - value);
  if (found.size() > kLongestHarmless) return {value, end};
  if (says_nothing(found)) return {};
  if (is_url(found)) return of_url(text, value, end);
  if (found.find("://") != std::string_view::npos) return {value, end};  // a URL of an unknown form
  if (equal_ignoring_case(word, "key") && !is_key_material(found)) return {};
  if (opening.end == 0) {
    if (equal_ignoring_case(word, "auth")) return {};
    const bool last_of_line = end == text.size() || text[end] == '\n' || text[end] == '\r';
    if (prose && !looks_like_a_credential(found, last_of_line)) return {};
    if (separator == ' ' && found.starts_with('-')) return {};
  }
  return {value, end};
}

}  // namespace sunup::redaction
