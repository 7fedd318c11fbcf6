// Words of a shell's text: read without running it, and written so that a shell reads them back.
//
//   shell_word(R"(it\'s' a'"\$1"; next)").value == "it's a$1"
//
// Quotes are taken away and escapes resolved, as bash does it. What a variable or a command would be replaced with is
// not known here, so it stays as it is written; `pieces` says that it is there, and where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sunup {

enum class Quote : char { kNone = '\0', kSingle = '\'', kDouble = '"' };

// A part of a word that is read by one rule.
struct ShellPiece {
  enum class Kind : uint8_t {
    kPlain,        // characters outside of quotes
    kSingle,       // '...'
    kDouble,       // "...", or a part of it between pieces of the kinds below
    kDollarQuote,  // $'...', whose escapes stand for other characters
    kEscape,       // a backslash and the character behind it, which is the text; outside of quotes or in double quotes
    kDollar,       // the `$` of $NAME, ${NAME}, $(command) and the like; outside of quotes or in double quotes
    kBackquote,    // the ` of `command`; outside of quotes or in double quotes
  };
  Kind kind;
  size_t at;              // where it begins, its opening quote included; the column in a text of one line is at + 1
  std::string_view text;  // as it is written, without its quotes: a view of the text that was read
};

struct ShellWord {
  std::string value;
  std::vector<ShellPiece> pieces;
  size_t length = 0;   // of the text that it was read from
  bool closed = true;  // all its quotes are
};

enum class ShellRules : uint8_t {
  kBash,      // a quote that is not closed reaches to the end of the text
  kFragment,  // the same for text that may be torn out of its context: a quote that opens the word and is never closed
              // ends with its line; one that follows on plain characters without being closed in its line ends the
              // word before it, since it closes quotes around the word
  kQuotesOnly,  // quotes hold text together; nothing else has a meaning: no escapes, no $'...'
};

struct ShellSyntax {
  ShellRules rules = ShellRules::kBash;
  Quote inside = Quote::kNone;             // quotes that were opened before the text begins
  std::string_view ends = " \t\n;&|()<>";  // the word ends before one of these that is not quoted
};

// The word that `text` begins with; it may be empty. Any text is fine.
ShellWord shell_word(std::string_view text, const ShellSyntax& syntax = {});

enum class ShellQuoting : uint8_t {
  kSingle,    // '...'
  kDouble,    // "..." with what has a meaning there escaped
  kIfNeeded,  // bare if nothing in it has a meaning anywhere, else '...'
};

// Adds `value` as one word.
void append_shell_word(std::string& out, std::string_view value, ShellQuoting quoting);

}  // namespace sunup
