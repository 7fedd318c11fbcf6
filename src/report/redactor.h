// Takes credentials out of text on its way to a log, an event, a result or a terminal: whole texts, and streams that
// arrive in pieces.
//
//   Redactor redactor;
//   redactor.hide("hunter2-and-more");
//   redactor.redact("token=hunter2-and-more");   // "token=[redacted]"
//
// A value is found as it is, and as scripts tend to print it (spellings.h).
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "report/pattern.h"

namespace sunup::report {

class Redactor {
 public:
  static constexpr std::string_view kMark = "[redacted]";
  // Anything shorter would also be found in innocent text ("true", "azure").
  static constexpr size_t kShortest = 6;

  // Of a URL only the user information and the query are hidden: that is where it can carry a credential.
  void hide(std::string_view value);

  // Only as it stands here, for who knows of more ways to write a value.
  void hide_as_it_is(std::string_view text) {
    if (text.size() >= kShortest) add_pattern(Pattern(std::string(text)));
  }

  bool empty() const { return empty_; }
  std::string redact(std::string_view text) const;

 private:
  friend class RedactedStream;

  void hide_url(std::string_view url, size_t scheme_end);
  void add_value(std::string_view value);
  void add_pattern(const Pattern& pattern);
  // kNeedsMore if one of them may be longer still.
  Pattern::Fit longest_at(const Piece& piece, size_t at) const;
  // How much of it was dealt with: all, or what stands before a possible start.
  size_t redact_into(std::string& out, const Piece& piece) const;

  const std::vector<Pattern>& starting_with(char first) const { return patterns_[static_cast<unsigned char>(first)]; }

  // By their first byte: most text is passed over by it alone, and the rest is held against few.
  std::array<std::vector<Pattern>, 256> patterns_ = {};
  bool empty_ = true;
};

// The same for bytes that come in pieces. Only what may still turn out to be the start of a hidden value is held
// back; everything else passes at once and unchanged.
class RedactedStream {
 public:
  explicit RedactedStream(const Redactor& redactor) : redactor_(redactor) {}

  std::string feed(std::string_view bytes);
  std::string finish();

 private:
  std::string pass(bool may_go_on);

  const Redactor& redactor_;
  std::string held_;
  size_t run_before_ = 0;  // of base64, directly before it
};

}  // namespace sunup::report
