#include "redaction/spellings.h"

#include <algorithm>

#include "base/base64.h"
#include "base/json_writer.h"
#include "base/url.h"
#include "base/utf8.h"

namespace sunup::redaction {
namespace {

using Freedom = Pattern::Freedom;

std::string for_urls(std::string base64) {
  std::ranges::replace(base64, '+', '-');
  std::ranges::replace(base64, '/', '_');
  return base64;
}

// Inside single quotes, an apostrophe must be outside of the quotes.
std::string single_quoted(std::string_view value, std::string_view apostrophe) {
  std::string out;
  for (const char c : value) {
    if (c == '\'')
      out += apostrophe;
    else
      out += c;
  }
  return out;
}

// The form between $' and ', in which bash writes any text with a control character. In the C locale, which scripts at
// boot usually have, all bytes outside ASCII count as control characters.
std::string escaped_for_bash(std::string_view value, bool ascii_only) {
  constexpr std::string_view kNamed = "\a\b\x1b\f\n\r\t\v\\'";
  constexpr std::string_view kNames = "abEfnrtv\\'";
  std::string out;
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (const size_t named = kNamed.find(c); named != std::string_view::npos)
      out += {'\\', kNames[named]};
    else if (byte < ' ' || byte == 0x7F || (ascii_only && byte > 0x7F))
      out += {'\\', static_cast<char>('0' + (byte >> 6)), static_cast<char>('0' + (byte >> 3 & 7)),
              static_cast<char>('0' + (byte & 7))};
    else
      out += c;
  }
  return out;
}

std::string json_escaped(std::string_view value, JsonEscapes escapes) {
  const std::string literal = json_string(value, escapes);
  return literal.substr(1, literal.size() - 2);
}

bool is_text(std::string_view bytes, bool one_line) {
  while (!bytes.empty()) {
    const Rune rune = first_rune(bytes);
    if (!rune.valid() || rune.code == 0 || (one_line && rune.code < ' ')) return false;
    bytes.remove_prefix(rune.size);
  }
  return true;
}

void add_for_shells(std::vector<Pattern>& out, std::string_view value) {
  out.emplace_back(single_quoted(value, "'\\''"));
  out.emplace_back(single_quoted(value, "'\"'\"'"));  // dash, Python
  if (std::ranges::any_of(value, may_have_backslash)) out.emplace_back(std::string(value), Freedom::kBackslashes);
  if (!is_text(value, false)) return;  // a variable cannot contain it, and it would delay a stream at every backslash
  for (const bool ascii_only : {false, true}) out.emplace_back(escaped_for_bash(value, ascii_only));
}

// URL encoders differ in the characters that they leave unescaped: path separators, those of JavaScript, or more.
void add_for_urls(std::vector<Pattern>& out, std::string_view value) {
  // Bytes that are not text (a decoded key) are not part of URLs, and would delay a stream at every '%'.
  if (!is_text(value, true)) return;
  for (const char* kept : {"", "/", "!'()*", "/:@!$&'()*+,;="})
    for (const char* digits : {"0123456789ABCDEF", "0123456789abcdef"})
      out.emplace_back(percent_encoded(value, std::string("-_.~") + kept, digits));
}

constexpr size_t kShortestCore = 12;  // a shorter one would match by chance

// The part of the base64 text that depends only on `value`, if `before` bytes (0, 1 or 2 modulo 3) precede it.
std::string base64_core(std::string_view value, size_t before) {
  const std::string text = base64_encode(std::string(before, '\0') + std::string(value));
  const size_t first = before == 0 ? 0 : before + 1;    // skips characters that depend on preceding bytes
  const size_t last = (before + value.size()) * 8 / 6;  // and on following ones
  return first < last ? text.substr(first, last - first) : std::string();
}

void add_base64(std::vector<Pattern>& out, std::string_view value) {
  for (const size_t before : {0u, 1u, 2u}) {
    const std::string core = base64_core(value, before);
    if (core.size() < kShortestCore) continue;
    out.emplace_back(core, Freedom::kLineEnds);
    out.emplace_back(for_urls(core), Freedom::kLineEnds);
  }
}

std::string for_page(std::string_view value, std::string_view quote, std::string_view apostrophe) {
  std::string out;
  for (const char c : value) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += quote;
    else if (c == '\'')
      out += apostrophe;
    else
      out += c;
  }
  return out;
}

std::string hex(std::string_view value, std::string_view digits) {
  std::string out;
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    out += {digits[byte >> 4], digits[byte & 15]};
  }
  return out;
}

void add_disguises(std::vector<std::string>& all, std::string_view value) {
  for (const JsonEscapes inner : {JsonEscapes::kText, JsonEscapes::kHtml})
    for (const JsonEscapes outer : {JsonEscapes::kText, JsonEscapes::kHtml}) {
      const std::string twice = json_escaped(json_escaped(value, inner), outer);
      all.push_back(twice);
      all.push_back(json_escaped(twice, outer));
    }
  for (const char* quote : {"\"", "&quot;", "&#34;"})
    for (const char* apostrophe : {"'", "&#39;", "&#x27;", "&apos;"}) {
      const std::string page = for_page(value, quote, apostrophe);
      all.push_back(page);
      all.push_back(json_escaped(page, JsonEscapes::kText));
      all.push_back(json_escaped(page, JsonEscapes::kHtml));
    }
  all.push_back(hex(value, "0123456789abcdef"));
  all.push_back(hex(value, "0123456789ABCDEF"));
  // Covers any alignment: unknown bytes may precede the secret, and also the text that was encoded first.
  for (const size_t before : {0u, 1u, 2u})
    for (const size_t before_that : {0u, 1u, 2u}) {
      const std::string core = base64_core(base64_core(value, before), before_that);
      if (core.size() >= kShortestCore) all.push_back(core);
    }
}

}  // namespace

std::vector<Pattern> spellings_of(std::string_view value) {
  std::vector<Pattern> out;
  out.emplace_back(std::string(value));
  out.emplace_back(json_escaped(value, JsonEscapes::kText));
  out.emplace_back(json_escaped(value, JsonEscapes::kHtml));
  add_for_shells(out, value);
  add_for_urls(out, value);
  add_base64(out, value);
  return out;
}

std::vector<std::string> disguises_of(std::string_view secret) {
  while (!secret.empty() && (secret.back() == '\n' || secret.back() == '\r')) secret.remove_suffix(1);
  std::vector<std::string_view> values;
  if (!is_url(secret)) values.push_back(secret);
  for (const std::string_view credential : url_credentials(secret)) values.push_back(credential);
  std::vector<std::string> all;
  for (const std::string_view value : values)
    if (value.size() >= kShortestHidden) add_disguises(all, value);
  if (const auto decoded = base64_decode(secret); decoded && decoded->size() >= kShortestHidden)
    add_disguises(all, *decoded);
  std::ranges::sort(all);
  const auto again = std::ranges::unique(all);
  all.erase(again.begin(), again.end());
  return all;
}

}  // namespace sunup::redaction
