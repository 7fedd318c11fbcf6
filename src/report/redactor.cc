#include "report/redactor.h"

#include <algorithm>

#include "base/base64.h"
#include "base/url.h"
#include "base/utf8.h"
#include "report/quoted.h"

namespace sunup::report {
namespace {

// "user:password" of a URL, or nothing.
std::string_view user_information(std::string_view url, size_t scheme_end) {
  const std::string_view rest = url.substr(scheme_end + 3);
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  const size_t at = authority.rfind('@');
  return at == std::string_view::npos ? std::string_view() : authority.substr(0, at);
}

// As it stands in a URL or a form: everything but letters, digits, "-_.~" and `kept` as %XX.
std::string percent_encoded(std::string_view value, std::string_view kept, std::string_view digits) {
  std::string out;
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-_.~").find(c) != std::string_view::npos;
    if (plain || kept.find(c) != std::string_view::npos)
      out += c;
    else
      out += {'%', digits[byte >> 4], digits[byte & 15]};
  }
  return out;
}

std::string for_urls(std::string base64) {
  std::ranges::replace(base64, '+', '-');
  std::ranges::replace(base64, '/', '_');
  return base64;
}

std::string shell_quoted(std::string_view value) {
  std::string out;
  for (const char c : value) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  return out;
}

std::string json_escaped(std::string_view value, Markup markup) {
  std::string out;
  append_json_string(out, value, markup);
  return out.substr(1, out.size() - 2);
}

}  // namespace

std::string base64_core(std::string_view value, size_t before) {
  const std::string text = base64_encode(std::string(before, '\0') + std::string(value));
  const size_t first = before == 0 ? 0 : before + 1;    // characters that also hold bits of what stands before
  const size_t last = (before + value.size()) * 8 / 6;  // and of what comes after
  return first < last ? text.substr(first, last - first) : std::string();
}

void Redactor::hide(std::string_view value) {
  if (const size_t scheme_end = value.find("://"); scheme_end != std::string_view::npos) hide_url(value, scheme_end);
  if (is_url(value)) return;
  add_value(value);
  // A key in base64 is decoded before it is used, and may be printed then.
  if (const auto decoded = base64_decode(value)) add_value(*decoded);
}

void Redactor::hide_url(std::string_view url, size_t scheme_end) {
  add_value(user_information(url, scheme_end));
  if (const size_t question = url.find('?'); question != std::string_view::npos)
    add_value(url.substr(question + 1, url.find('#', question) - question - 1));
  for (const std::string_view credential : url_credentials(url)) {
    add_value(credential);
    add_value(percent_decoded(credential));
  }
}

void Redactor::add_value(std::string_view value) {
  while (!value.empty() && (value.back() == '\n' || value.back() == '\r')) value.remove_suffix(1);
  if (value.size() < kShortest) return;
  add_pattern(value);
  add_pattern(shell_quoted(value));
  add_pattern(json_escaped(value, Markup::kAsIs));
  add_pattern(json_escaped(value, Markup::kEscaped));
  add_as_in_urls(value);
  // Short cores would hit by chance.
  constexpr size_t kShortestCore = 12;
  for (const size_t before : {0u, 1u, 2u}) {
    if (const std::string core = base64_core(value, before); core.size() >= kShortestCore) {
      add_pattern(core);
      add_pattern(for_urls(core));
    }
  }

  // A key of several lines is also printed line by line.
  if (value.find('\n') == std::string_view::npos) return;
  for (size_t start = 0; start < value.size();) {
    const size_t end = std::min(value.find('\n', start), value.size());
    std::string_view line = value.substr(start, end - start);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.size() >= kShortest && !line.starts_with("-----")) add_pattern(line);
    start = end + 1;
  }
}

// Who encodes for a URL agrees with nobody about what may stay: path separators, what JavaScript leaves, or more.
void Redactor::add_as_in_urls(std::string_view value) {
  // Bytes that are no text (a key behind base64) are not put into URLs, and would hold up a stream at every '%'.
  for (std::string_view rest = value; !rest.empty();) {
    const Rune rune = first_rune(rest);
    if (!rune.valid() || rune.code < ' ') return;
    rest.remove_prefix(rune.size);
  }
  for (const char* kept : {"", "/", "!'()*", "/:@!$&'()*+,;="})
    for (const char* digits : {"0123456789ABCDEF", "0123456789abcdef"})
      add_pattern(percent_encoded(value, kept, digits));
}

void Redactor::add_pattern(std::string_view pattern) {
  for (const Secret& known : starting_with(pattern[0]))
    if (known.reveal() == pattern) return;
  patterns_[static_cast<unsigned char>(pattern[0])].emplace_back(std::string(pattern));
  empty_ = false;
}

Redactor::At Redactor::look(std::string_view text, bool may_go_on, size_t& length) const {
  length = 0;
  for (const Secret& secret : starting_with(text[0])) {
    const std::string_view pattern = secret.reveal();
    if (text.starts_with(pattern))
      length = std::max(length, pattern.size());
    else if (may_go_on && pattern.starts_with(text))
      return At::kNeedsMore;
  }
  return length > 0 ? At::kMatch : At::kNothing;
}

void Redactor::redact_into(std::string& out, std::string_view& text, bool may_go_on) const {
  while (!text.empty()) {
    const auto candidate = std::find_if(text.begin(), text.end(), [this](char c) { return !starting_with(c).empty(); });
    const size_t plain = static_cast<size_t>(candidate - text.begin());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) return;

    size_t length = 0;
    switch (look(text, may_go_on, length)) {
      case At::kNeedsMore:
        return;
      case At::kMatch:
        out += kMark;
        text.remove_prefix(length);
        break;
      case At::kNothing:
        out += text[0];
        text.remove_prefix(1);
        break;
    }
  }
}

std::string Redactor::redact(std::string_view text) const {
  std::string out;
  out.reserve(text.size());
  redact_into(out, text, false);
  return out;
}

std::string RedactedStream::feed(std::string_view bytes) {
  if (redactor_.empty()) return std::string(bytes);
  held_ += bytes;
  std::string out;
  std::string_view rest = held_;
  redactor_.redact_into(out, rest, true);
  held_ = std::string(rest);
  return out;
}

std::string RedactedStream::finish() {
  std::string out = redactor_.redact(held_);
  held_.clear();
  return out;
}

}  // namespace sunup::report
