// A text to search for, with optional variations: the same value may contain additional backslashes or line ends, in
// too many combinations to list them all.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/secret.h"

namespace sunup::redaction {

// Programs wrap base64 at 64 or 76 columns. A shorter line is rarely continued base64, and holding back each line that
// ends with the first letter of an encoded secret would delay ordinary output.
constexpr size_t kWrappedLine = 60;

// The available part of a text that arrives in pieces.
struct Piece {
  std::string_view text;
  size_t run_before = 0;   // length of the base64 run directly before it, see base64_run()
  bool may_go_on = false;  // more may follow
};

// The number of base64 characters directly before `at`, up to kWrappedLine.
size_t base64_run(const Piece& piece, size_t at);

class Pattern {
 public:
  enum class Freedom {
    kNone,         // exact match
    kBackslashes,  // before all characters that are special to a shell (printf %q), or some of them (declare -p)
    kLineEnds,     // base64, which most programs wrap
  };
  enum class At { kNothing, kMatch, kNeedsMore };
  struct Fit {
    At at = At::kNothing;
    size_t length = 0;  // of a match
  };

  explicit Pattern(std::string text, Freedom freedom = Freedom::kNone) : text_(std::move(text)), freedom_(freedom) {}

  bool operator==(const Pattern&) const = default;
  std::string_view reveal() const { return text_.reveal(); }
  bool may_begin_with(char first) const;

  // The match at `at`. kNeedsMore: the available text matches so far, and more may follow.
  Fit fit(const Piece& piece, size_t at) const;

 private:
  Fit fit_exactly(const Piece& piece, size_t at) const;
  Fit fit_with_backslashes(const Piece& piece, size_t at) const;
  Fit fit_with_line_ends(const Piece& piece, size_t at) const;

  Secret text_;
  Freedom freedom_;
};

// Whether shells print the character with a backslash before it.
bool may_have_backslash(char c);

}  // namespace sunup::redaction
