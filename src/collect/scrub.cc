#include "collect/scrub.h"

#include <algorithm>
#include <cctype>

#include "report/redactor.h"

namespace sunup::collect {
namespace {

using report::Redactor;

bool is_token_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.' || c == '~' || c == '+' ||
         c == '/' || c == '=' || c == '%';
}

bool same_letters(std::string_view text, std::string_view word) {
  return text.size() >= word.size() && std::equal(word.begin(), word.end(), text.begin(), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
         });
}

size_t run_of(std::string_view text, bool (*fits)(char)) {
  return static_cast<size_t>(std::ranges::find_if_not(text, fits) - text.begin());
}

// abcdef.0123456789abcdef: a cluster's bootstrap token.
size_t bootstrap_token(std::string_view text, char before) {
  constexpr size_t kLength = 6 + 1 + 16;
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  if (fits(before) || before == '.' || text.size() < kLength || text[6] != '.') return 0;
  if (!std::ranges::all_of(text.substr(0, 6), fits) || !std::ranges::all_of(text.substr(7, 16), fits)) return 0;
  if (text.size() > kLength && (fits(text[kLength]) || text[kLength] == '.')) return 0;
  return kLength;
}

// Three parts of base64url, the first of which begins with {" .
size_t web_token(std::string_view text) {
  if (!text.starts_with("eyJ")) return 0;
  const size_t length = run_of(text, is_token_char);
  return std::ranges::count(text.substr(0, length), '.') >= 2 && length > 30 ? length : 0;
}

// `name` and then the value; the name is kept. The value ends where a word of that kind does.
size_t after(std::string_view text, std::string_view name, size_t& keep) {
  if (!same_letters(text, name)) return 0;
  keep = name.size();
  const size_t length = run_of(text.substr(keep), is_token_char);
  return length >= 6 ? keep + length : 0;
}

size_t private_key(std::string_view text) {
  constexpr std::string_view kBegin = "-----BEGIN ";
  constexpr std::string_view kEnd = "-----END ";
  if (!text.starts_with(kBegin)) return 0;
  const size_t label = text.find("-----", kBegin.size());
  if (label == text.npos || text.substr(0, label).find("PRIVATE KEY") == text.npos) return 0;
  const size_t end = text.find(kEnd, label);
  if (end == text.npos) return text.size();
  const size_t last = text.find("-----", end + kEnd.size());
  return last == text.npos ? text.size() : last + 5;
}

// ://user:password@
size_t url_password(std::string_view text, size_t& keep) {
  if (!text.starts_with("://")) return 0;
  const size_t end = text.find_first_of("/?# \t\n\"'<>", 3);
  const std::string_view authority = text.substr(3, end == text.npos ? text.npos : end - 3);
  const size_t at = authority.rfind('@');
  const size_t colon = authority.find(':');
  if (at == authority.npos || colon == authority.npos || colon > at) return 0;
  keep = 3 + colon + 1;
  return 3 + at;
}

}  // namespace

std::string scrub(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  char before = '\0';
  while (!text.empty()) {
    size_t keep = 0;
    size_t length = 0;
    switch (text.front()) {
      case 'B':
      case 'b':
        length = after(text, "bearer ", keep);
        break;
      case 's':
      case 'S':
        if (before == '?' || before == '&' || before == ';') length = after(text, "sig=", keep);
        break;
      case 'e':
        length = web_token(text);
        break;
      case '-':
        length = private_key(text);
        break;
      case ':':
        length = url_password(text, keep);
        break;
      default:
        break;
    }
    if (length == 0) {
      keep = 0;
      length = bootstrap_token(text, before);
    }
    if (length == 0) {
      before = text.front();
      out += before;
      text.remove_prefix(1);
      continue;
    }
    out += text.substr(0, keep);
    out += Redactor::kMark;
    before = ']';
    text.remove_prefix(length);
  }
  return out;
}

}  // namespace sunup::collect
