#include "collect/disguises.h"

#include <algorithm>

#include "base/base64.h"
#include "base/json_writer.h"
#include "base/url.h"
#include "report/redactor.h"
#include "report/spellings.h"

namespace sunup::collect {
namespace {

std::string json_quoted(std::string_view value, JsonEscapes escapes) {
  const std::string literal = json_string(value, escapes);
  return literal.substr(1, literal.size() - 2);
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

void add(std::vector<std::string>& all, std::string_view value) {
  for (const JsonEscapes inner : {JsonEscapes::kText, JsonEscapes::kHtml})
    for (const JsonEscapes outer : {JsonEscapes::kText, JsonEscapes::kHtml}) {
      const std::string twice = json_quoted(json_quoted(value, inner), outer);
      all.push_back(twice);
      all.push_back(json_quoted(twice, outer));
    }
  for (const char* quote : {"\"", "&quot;", "&#34;"})
    for (const char* apostrophe : {"'", "&#39;", "&#x27;", "&apos;"}) {
      const std::string page = for_page(value, quote, apostrophe);
      all.push_back(page);
      all.push_back(json_quoted(page, JsonEscapes::kText));
      all.push_back(json_quoted(page, JsonEscapes::kHtml));
    }
  all.push_back(hex(value, "0123456789abcdef"));
  all.push_back(hex(value, "0123456789ABCDEF"));
  // Covers any alignment: unknown bytes may precede the secret, and also the text that was encoded first.
  constexpr size_t kShortestCore = 12;  // a shorter one would match by chance
  for (const size_t before : {0u, 1u, 2u})
    for (const size_t before_that : {0u, 1u, 2u}) {
      const std::string core = report::base64_core(report::base64_core(value, before), before_that);
      if (core.size() >= kShortestCore) all.push_back(core);
    }
}

}  // namespace

std::vector<std::string> disguises_of(std::string_view secret) {
  while (!secret.empty() && (secret.back() == '\n' || secret.back() == '\r')) secret.remove_suffix(1);
  std::vector<std::string_view> values;
  if (!is_url(secret)) values.push_back(secret);
  for (const std::string_view credential : url_credentials(secret)) values.push_back(credential);
  std::vector<std::string> all;
  for (const std::string_view value : values)
    if (value.size() >= report::Redactor::kShortest) add(all, value);
  if (const auto decoded = base64_decode(secret); decoded && decoded->size() >= report::Redactor::kShortest)
    add(all, *decoded);
  std::ranges::sort(all);
  const auto again = std::ranges::unique(all);
  all.erase(again.begin(), again.end());
  return all;
}

}  // namespace sunup::collect
