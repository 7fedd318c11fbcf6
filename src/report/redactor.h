// Takes credentials out of text on its way to a log, an event, a result or a terminal: whole texts, and streams that
// arrive in pieces.
//
//   Redactor redactor;
//   redactor.hide("hunter2-and-more");
//   redactor.redact("token=hunter2-and-more");   // "token=[redacted]"
//
// A value is found as it is, and as scripts tend to print it: in base64 (also in the middle of a longer encoded text),
// inside a JSON string, quoted for a shell, in a URL.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/secret.h"

namespace sunup::report {

// The part of base64 text that `value` alone decides when `before` bytes (0, 1 or 2 modulo 3) stand before it.
std::string base64_core(std::string_view value, size_t before);

class Redactor {
 public:
  static constexpr std::string_view kMark = "[redacted]";
  // Anything shorter would also be found in innocent text ("true", "azure").
  static constexpr size_t kShortest = 6;

  // Of a URL only the user information and the query are hidden: that is where it can carry a credential.
  void hide(std::string_view value);

  // Only as it stands here, for who knows of more ways to write a value.
  void hide_as_it_is(std::string_view text) {
    if (text.size() >= kShortest) add_pattern(text);
  }

  bool empty() const { return empty_; }
  std::string redact(std::string_view text) const;

 private:
  friend class RedactedStream;
  enum class At { kNothing, kMatch, kNeedsMore };

  // What stands at the start of `text`; `length` is the longest match. kNeedsMore only if the text may go on.
  At look(std::string_view text, bool may_go_on, size_t& length) const;
  void hide_url(std::string_view url, size_t scheme_end);
  void add_value(std::string_view value);
  void add_as_in_urls(std::string_view value);
  void add_pattern(std::string_view pattern);
  void redact_into(std::string& out, std::string_view& text, bool may_go_on) const;

  const std::vector<Secret>& starting_with(char first) const { return patterns_[static_cast<unsigned char>(first)]; }

  // By their first byte: most text is passed over by it alone, and the rest is held against few.
  std::array<std::vector<Secret>, 256> patterns_ = {};
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
  const Redactor& redactor_;
  std::string held_;
};

}  // namespace sunup::report
