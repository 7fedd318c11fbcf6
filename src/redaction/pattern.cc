#include "redaction/pattern.h"

#include <algorithm>

#include "base/text.h"

namespace sunup::redaction {
namespace {

constexpr std::string_view kLineEnds[] = {"\n", "\r\n", "\\n", "\\r\\n"};  // the last two: in a JSON string

// Standard or URL-safe base64.
bool is_base64(char c) {
  return is_alphanumeric(c) || std::string_view("+/-_").find(c) != std::string_view::npos;
}

Pattern::Fit out_of_text(const Piece& piece) {
  return {piece.may_go_on ? Pattern::At::kNeedsMore : Pattern::At::kNothing, 0};
}

// The line end at `at` that wraps base64.
Pattern::Fit wrap(const Piece& piece, size_t at) {
  const char c = piece.text[at];
  if ((c != '\n' && c != '\r' && c != '\\') || base64_run(piece, at) < kWrappedLine) return {};
  const std::string_view rest = piece.text.substr(at);
  for (const std::string_view end : kLineEnds) {
    if (rest.starts_with(end)) return {Pattern::At::kMatch, end.size()};
    if (end.starts_with(rest)) return out_of_text(piece);
  }
  return {};
}

}  // namespace

size_t base64_run(const Piece& piece, size_t at) {
  size_t run = 0;
  while (run < at && run < kWrappedLine && is_base64(piece.text[at - run - 1])) ++run;
  return run == at ? std::min(run + piece.run_before, kWrappedLine) : run;
}

bool may_have_backslash(char c) {
  // Blanks and punctuation, except characters that no shell escapes. Other characters than printable ASCII are escaped
  // in other ways.
  return c >= ' ' && c <= '~' && !is_alphanumeric(c) && std::string_view("_-./:=@%+").find(c) == std::string_view::npos;
}

bool Pattern::may_begin_with(char first) const {
  const char own = reveal().front();
  return first == own || (first == '\\' && freedom_ == Freedom::kBackslashes && may_have_backslash(own));
}

Pattern::Fit Pattern::fit(const Piece& piece, size_t at) const {
  switch (freedom_) {
    case Freedom::kNone:
      return fit_exactly(piece, at);
    case Freedom::kBackslashes:
      return fit_with_backslashes(piece, at);
    case Freedom::kLineEnds:
      return fit_with_line_ends(piece, at);
  }
  return {};
}

Pattern::Fit Pattern::fit_exactly(const Piece& piece, size_t at) const {
  const std::string_view text = piece.text.substr(at);
  if (text.starts_with(reveal())) return {At::kMatch, reveal().size()};
  return reveal().starts_with(text) ? out_of_text(piece) : Fit();
}

Pattern::Fit Pattern::fit_with_backslashes(const Piece& piece, size_t at) const {
  const std::string_view text = piece.text.substr(at);
  size_t i = 0;
  for (const char c : reveal()) {
    // A backslash of the value itself is always escaped by another one.
    if (i < text.size() && text[i] == '\\' && may_have_backslash(c)) ++i;
    if (i == text.size()) return out_of_text(piece);
    if (text[i++] != c) return {};
  }
  return {At::kMatch, i};
}

Pattern::Fit Pattern::fit_with_line_ends(const Piece& piece, size_t at) const {
  size_t i = at;
  for (const char c : reveal()) {
    if (i < piece.text.size() && piece.text[i] != c) {
      const Fit end = wrap(piece, i);
      if (end.at != At::kMatch) return end;
      i += end.length;
    }
    if (i == piece.text.size()) return out_of_text(piece);
    if (piece.text[i++] != c) return {};
  }
  return {At::kMatch, i - at};
}

}  // namespace sunup::redaction
