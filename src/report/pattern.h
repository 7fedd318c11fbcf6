// A text to look for, and the freedom that whoever wrote it had: the same value with a few backslashes or line ends in
// it is still that value, and there are too many ways to set them to list them all.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/secret.h"

namespace sunup::report {

// Programs wrap base64 at 64 or 76 columns. A shorter line hardly ever is base64 that goes on: to wait after each that
// ends in the first letter of an encoded secret would hold up ordinary output.
constexpr size_t kWrappedLine = 60;

// What is there of a text that may come in pieces.
struct Piece {
  std::string_view text;
  size_t run_before = 0;   // how much base64 stood directly before it, see base64_run()
  bool may_go_on = false;  // more of it may come
};

// How many characters of base64 stand directly before `at`, counted up to kWrappedLine.
size_t base64_run(const Piece& piece, size_t at);

class Pattern {
 public:
  enum class Freedom {
    kNone,         // as it stands here
    kBackslashes,  // with one before whatever means something to a shell (printf %q), or before some of it (declare -p)
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

  // Whether it stands at `at`. kNeedsMore: all that is there fits, and more may come.
  Fit fit(const Piece& piece, size_t at) const;

 private:
  Fit fit_exactly(const Piece& piece, size_t at) const;
  Fit fit_with_backslashes(const Piece& piece, size_t at) const;
  Fit fit_with_line_ends(const Piece& piece, size_t at) const;

  Secret text_;
  Freedom freedom_;
};

// Whether shells write a backslash before it when they print a value for other shells.
bool may_have_backslash(char c);

}  // namespace sunup::report
