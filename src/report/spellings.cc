#include "report/spellings.h"

#include <algorithm>

#include "base/base64.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "base/utf8.h"

namespace sunup::report {
namespace {

using Freedom = Pattern::Freedom;

// As it stands in a URL or a form: everything but letters, digits, "-_.~" and `kept` as %XX.
std::string percent_encoded(std::string_view value, std::string_view kept, std::string_view digits) {
  std::string out;
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = is_alphanumeric(c) || std::string_view("-_.~").find(c) != std::string_view::npos;
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

// Between single quotes, an apostrophe has to stand outside of them.
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

// Between $' and ', as bash writes whatever has a control character in it. To the C locale, which scripts at boot
// mostly have, all bytes that are not ASCII are some.
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
  if (!is_text(value, false)) return;  // no variable holds it, and it would hold up a stream at every backslash
  for (const bool ascii_only : {false, true}) out.emplace_back(escaped_for_bash(value, ascii_only));
}

// Who encodes for a URL agrees with nobody about what may stay: path separators, what JavaScript leaves, or more.
void add_for_urls(std::vector<Pattern>& out, std::string_view value) {
  // Bytes that are no text (a key behind base64) are not put into URLs, and would hold up a stream at every '%'.
  if (!is_text(value, true)) return;
  for (const char* kept : {"", "/", "!'()*", "/:@!$&'()*+,;="})
    for (const char* digits : {"0123456789ABCDEF", "0123456789abcdef"})
      out.emplace_back(percent_encoded(value, kept, digits));
}

void add_base64(std::vector<Pattern>& out, std::string_view value) {
  constexpr size_t kShortestCore = 12;  // a shorter one would hit by chance
  for (const size_t before : {0u, 1u, 2u}) {
    const std::string core = base64_core(value, before);
    if (core.size() < kShortestCore) continue;
    out.emplace_back(core, Freedom::kLineEnds);
    out.emplace_back(for_urls(core), Freedom::kLineEnds);
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

std::string base64_core(std::string_view value, size_t before) {
  const std::string text = base64_encode(std::string(before, '\0') + std::string(value));
  const size_t first = before == 0 ? 0 : before + 1;    // characters that also hold bits of what stands before
  const size_t last = (before + value.size()) * 8 / 6;  // and of what comes after
  return first < last ? text.substr(first, last - first) : std::string();
}

}  // namespace sunup::report
