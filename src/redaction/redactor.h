// Redacts credentials in text for a log, an event, a result or a terminal: whole texts, and streams that arrive in
// pieces.
//
//   Redactor redactor;
//   redactor.hide("hunter2-and-more");
//   redactor.redact("token=hunter2-and-more");   // "token=[redacted]"
//
// A value is found in plain form and in the forms in which scripts print it (spellings.h).
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "redaction/pattern.h"

namespace sunup::redaction {

class Redactor {
 public:
  static constexpr std::string_view kMark = "[redacted]";

  // Values that are shorter than kShortestHidden are not hidden. In a URL only the user information and the query are
  // hidden, because only these can contain a credential.
  void hide(std::string_view value);

  // Hides only this exact text, for callers that add further forms of a value themselves.
  void hide_as_it_is(std::string_view text) {
    if (text.size() >= kShortestHidden) add_pattern(Pattern(std::string(text)));
  }

  bool empty() const { return empty_; }
  std::string redact(std::string_view text) const;

 private:
  friend class RedactedStream;

  void hide_url(std::string_view url, size_t scheme_end);
  void add_value(std::string_view value);
  void add_pattern(const Pattern& pattern);
  // Returns kNeedsMore if a pattern may match a longer text.
  Pattern::Fit longest_at(const Piece& piece, size_t at) const;
  // Returns the length of the processed text: all of it, or the part before a possible start of a pattern.
  size_t redact_into(std::string& out, const Piece& piece) const;

  const std::vector<Pattern>& starting_with(char first) const { return patterns_[static_cast<unsigned char>(first)]; }

  // Indexed by the first byte, so most text is skipped quickly and the rest is compared with few patterns.
  std::array<std::vector<Pattern>, 256> patterns_ = {};
  bool empty_ = true;
};

// The same for data that arrives in pieces. Only data that may be the start of a hidden value is held back; everything
// else is passed on immediately and unchanged.
class RedactedStream {
 public:
  explicit RedactedStream(const Redactor& redactor) : redactor_(redactor) {}

  std::string feed(std::string_view bytes);
  std::string finish();

 private:
  std::string pass(bool may_go_on);

  const Redactor& redactor_;
  std::string held_;
  size_t run_before_ = 0;  // length of the base64 run directly before it
};

// Redacts JSON text of another program. Its strings may contain the output of a script, in which text quoted by a shell
// is escaped once more. A string without credentials keeps its spelling. Text that is not JSON is accepted.
//
//   {"Output":"+ X='it'\\''s'\n"}    // the value it's, quoted by set -x
std::string redacted_json(const Redactor& redactor, std::string_view text);

}  // namespace sunup::redaction
