#include "redaction/scrub.h"

#include <algorithm>

#include "base/base64.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "redaction/credential.h"
#include "redaction/spellings.h"

namespace sunup::redaction {
namespace {

bool is_token_char(char c) {
  return is_alphanumeric(c) || c == '-' || c == '_' || c == '.' || c == '~' || c == '+' || c == '/' || c == '=' ||
         c == '%';
}

size_t run_of(std::string_view text, bool (*fits)(char)) {
  return static_cast<size_t>(std::ranges::find_if_not(text, fits) - text.begin());
}

// abcdef.0123456789abcdef: a bootstrap token of a cluster.
size_t bootstrap_token(std::string_view text, char before) {
  constexpr size_t kLength = 6 + 1 + 16;
  const auto fits = [](char c) { return is_lower(c) || is_digit(c); };
  if (fits(before) || before == '.' || text.size() < kLength || text[6] != '.') return 0;
  if (!std::ranges::all_of(text.substr(0, 6), fits) || !std::ranges::all_of(text.substr(7, 16), fits)) return 0;
  if (text.size() == kLength) return kLength;
  // A name continues after a full stop; a sentence ends with it.
  const bool goes_on = text[kLength] == '.' && text.size() > kLength + 1 && fits(text[kLength + 1]);
  return fits(text[kLength]) || goes_on ? 0 : kLength;
}

// Three parts of base64url; the first one begins with {" when decoded. `none` is the number of the next bytes in which
// none begins: what follows a part of a run that is no token, up to the end of the run, is none, either.
size_t web_token(std::string_view text, size_t& none) {
  if (none > 0 || !text.starts_with("eyJ")) return 0;
  const size_t length = run_of(text, is_token_char);
  if (std::ranges::count(text.substr(0, length), '.') >= 2 && length > 30) return length;
  none = length;
  return 0;
}

// ghp_..., github_pat_..., glpat-...: prefixes by which services make their tokens recognizable.
size_t prefixed_token(std::string_view text) {
  constexpr std::string_view kPrefixes[] = {"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-"};
  constexpr size_t kShortest = 20;
  for (const std::string_view prefix : kPrefixes) {
    if (!text.starts_with(prefix)) continue;
    const size_t length = prefix.size() + run_of(text.substr(prefix.size()), is_name_char);
    if (length >= prefix.size() + kShortest) return length;
  }
  return 0;
}

// `name` followed by the value; the name is kept. The value ends where a word of its kind ends.
Found after(std::string_view text, std::string_view name) {
  if (!equal_ignoring_case(text.substr(0, name.size()), name)) return {};
  const size_t length = run_of(text.substr(name.size()), is_token_char);
  return length >= 6 ? Found{name.size(), name.size() + length} : Found();
}

// Basic dXNlcjpwYXNzd29yZA==: "basic" is also an ordinary word, so the value must be a user and a password in base64.
Found basic(std::string_view text) {
  const Found found = after(text, "basic ");
  if (found.length == 0) return {};
  const auto inside = base64_decode(text.substr(found.keep, found.length - found.keep));
  return inside && inside->find(':') != std::string::npos ? found : Found();
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
Found url_password(std::string_view text) {
  if (!text.starts_with("://")) return {};
  const size_t end = text.find_first_of("/?# \t\n\"'<>", 3);
  const std::string_view authority = text.substr(3, end == text.npos ? text.npos : end - 3);
  const size_t at = authority.rfind('@');
  const size_t colon = authority.find(':');
  if (at == authority.npos || colon == authority.npos || colon > at) return {};
  if (authority.substr(colon + 1, at - colon - 1) == Redactor::kMark) return {};
  return {3 + colon + 1, 3 + at};
}

Found credential(std::string_view text, std::string_view line, IsSecretName further, int depth, size_t& no_web_token) {
  const char before = line.empty() ? '\0' : line.back();
  switch (text.front()) {
    case 'B':
    case 'b':
      if (const Found found = after(text, "bearer "); found.length != 0) return found;
      if (const Found found = basic(text); found.length != 0) return found;
      break;
    case 's':
    case 'S':
      if (before == '?' || before == '&' || before == ';')
        if (const Found found = after(text, "sig="); found.length != 0) return found;
      break;
    case 'e':
      if (const size_t length = web_token(text, no_web_token); length != 0) return {0, length};
      break;
    case '-':
      if (const size_t length = private_key(text); length != 0) return {0, length};
      if (const Found found = flag_value(text, line); found.length != 0) return found;
      break;
    case 'g':
      if (is_name_char(before)) break;
      if (const size_t length = prefixed_token(text); length != 0) return {0, length};
      break;
    case ':':
      return url_password(text);
    default:
      break;
  }
  if (const size_t length = bootstrap_token(text, before); length != 0) return {0, length};
  if (!is_name_char(before))
    if (const Found found = named_value(text, further); found.length != 0) return found;
  if (!is_base64_char(before))
    if (const Found found = encoded_credential(text, further, depth); found.length != 0) return found;
  return {};
}

}  // namespace

std::string scrub_decoded(std::string_view text, IsSecretName further, int depth) {
  std::string out;
  out.reserve(text.size());
  std::string line;  // the relevant part of the preceding text
  constexpr size_t kFarEnough = 1024;
  size_t no_web_token = 0;
  const auto skip = [&](size_t count) {
    text.remove_prefix(count);
    no_web_token -= std::min(no_web_token, count);
  };
  while (!text.empty()) {
    const Found found = credential(text, line, further, depth, no_web_token);
    if (line.size() > 2 * kFarEnough) line.erase(0, kFarEnough);
    if (found.length == 0) {
      // The escape of a line end within quoted text: its letter does not belong to the following text.
      const bool is_escape = text.size() > 1 && text[0] == '\\' && (text[1] == 'n' || text[1] == 'r' || text[1] == 't');
      const size_t plain = is_escape ? 2 : 1;
      out += text.substr(0, plain);
      if (text[0] == '\n' || (is_escape && text[1] == 'n')) line.clear();
      line += is_escape ? ' ' : text.front();
      skip(plain);
      continue;
    }
    out += text.substr(0, found.keep);
    out += Redactor::kMark;
    line += text.substr(0, found.keep);
    line += Redactor::kMark;
    skip(found.length);
  }
  return out;
}

std::string scrub(std::string_view text, IsSecretName further) {
  return scrub_decoded(text, further, 0);
}

void Sieve::hide(std::string_view value) {
  redactor_.hide(value);
  for (const std::string& disguise : disguises_of(value)) redactor_.hide_as_it_is(disguise);
  if (!value.empty() && value.size() < kShortestHidden) short_.emplace_back(std::string(value));
}

std::string Sieve::clean_json(std::string text) const {
  const std::string mark = '"' + std::string(Redactor::kMark) + '"';
  for (const Secret& value : short_) {
    const std::string quoted = json_string(value.reveal(), JsonEscapes::kText);
    for (size_t at = text.find(quoted); at != std::string::npos; at = text.find(quoted, at + mark.size()))
      text.replace(at, quoted.size(), mark);
  }
  return clean(text);
}

}  // namespace sunup::redaction
