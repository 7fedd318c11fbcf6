#include "redaction/redactor.h"

#include <algorithm>

#include "base/base64.h"
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/quoted.h"
#include "base/url.h"
#include "redaction/spellings.h"

namespace sunup::redaction {
namespace {

// "user:password" of a URL, or empty.
std::string_view user_information(std::string_view url, size_t scheme_end) {
  const std::string_view rest = url.substr(scheme_end + 3);
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  const size_t at = authority.rfind('@');
  return at == std::string_view::npos ? std::string_view() : authority.substr(0, at);
}

// The length, with quotes, of the string at the start of `text`.
size_t string_length(std::string_view text) {
  size_t at = 1;
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

std::string with_redacted_strings(const Redactor& redactor, std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t plain = std::min(text.find('"'), text.size());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const std::string_view literal = text.substr(0, string_length(text));
    text.remove_prefix(literal.size());
    JsonReader in(literal, JsonDialect::kGo);
    std::string_view meant;
    const bool readable = in.string(meant);
    const std::string shown = readable ? redactor.redact(meant) : "";
    if (!readable || shown == meant)
      out += literal;
    else
      append_json_string(out, shown, JsonEscapes::kText);
  }
  return out;
}

}  // namespace

void Redactor::hide(std::string_view value) {
  if (const size_t scheme_end = value.find("://"); scheme_end != std::string_view::npos) hide_url(value, scheme_end);
  if (is_url(value)) return;
  add_value(value);
  // The second part of a bootstrap token ("abcdef.0123456789abcdef") is the secret, and may be printed alone.
  constexpr size_t kTokenId = 6;
  constexpr size_t kTokenSize = 23;
  if (value.size() == kTokenSize && value[kTokenId] == '.') add_value(value.substr(kTokenId + 1));
  // A base64 key is decoded before it is used, and the decoded key may be printed.
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
  if (value.size() < kShortestHidden) return;
  for (const Pattern& spelling : spellings_of(value)) add_pattern(spelling);

  // A key of several lines may also be printed line by line.
  if (value.find('\n') == std::string_view::npos) return;
  for (size_t start = 0; start < value.size();) {
    const size_t end = std::min(value.find('\n', start), value.size());
    std::string_view line = value.substr(start, end - start);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.size() >= kShortestHidden && !line.starts_with("-----")) add_pattern(Pattern(std::string(line)));
    start = end + 1;
  }
}

void Redactor::add_pattern(const Pattern& pattern) {
  for (const char first : {'\\', pattern.reveal().front()}) {
    auto& known = patterns_[static_cast<unsigned char>(first)];
    if (pattern.may_begin_with(first) && std::ranges::find(known, pattern) == known.end()) known.push_back(pattern);
  }
  empty_ = false;
}

Pattern::Fit Redactor::longest_at(const Piece& piece, size_t at) const {
  Pattern::Fit longest;
  for (const Pattern& pattern : starting_with(piece.text[at])) {
    const Pattern::Fit fit = pattern.fit(piece, at);
    if (fit.at == Pattern::At::kNeedsMore) return fit;
    if (fit.length > longest.length) longest = fit;
  }
  return longest;
}

size_t Redactor::redact_into(std::string& out, const Piece& piece) const {
  const std::string_view text = piece.text;
  for (size_t at = 0; at < text.size();) {
    const auto* candidate =
        std::find_if(text.begin() + at, text.end(), [this](char c) { return !starting_with(c).empty(); });
    const size_t next = static_cast<size_t>(candidate - text.begin());
    out += text.substr(at, next - at);
    at = next;
    if (at == text.size()) break;

    const Pattern::Fit fit = longest_at(piece, at);
    if (fit.at == Pattern::At::kNeedsMore) return at;
    if (fit.at == Pattern::At::kMatch) {
      out += kMark;
      at += fit.length;
    } else {
      out += text[at++];
    }
  }
  return text.size();
}

std::string Redactor::redact(std::string_view text) const {
  std::string out;
  out.reserve(text.size());
  redact_into(out, {.text = text});
  return out;
}

std::string RedactedStream::feed(std::string_view bytes) {
  if (redactor_.empty()) return std::string(bytes);
  held_ += bytes;
  return pass(true);
}

std::string RedactedStream::finish() {
  return pass(false);
}

std::string RedactedStream::pass(bool may_go_on) {
  std::string out;
  const Piece piece{.text = held_, .run_before = run_before_, .may_go_on = may_go_on};
  const size_t passed = redactor_.redact_into(out, piece);
  run_before_ = base64_run(piece, passed);
  held_.erase(0, passed);
  return out;
}

std::string redacted_json(const Redactor& redactor, std::string_view text) {
  const std::string strings = with_redacted_strings(redactor, text);
  // Text that is not JSON may contain characters in any spelling that JSON allows.
  const std::string plain = plainly_spelled(strings);
  const std::string hidden = redactor.redact(plain);
  return hidden == plain ? redactor.redact(strings) : hidden;
}

}  // namespace sunup::redaction
