// Reads words of shell text without running it, and writes words in a form that a shell reads back.
//
//   shell_word(R"(it\'s' a'"\$1"; next)").value == "it's a$1"
//
// Quotes are removed and escapes resolved, as in bash. The values of variables and commands are not known here, so they
// stay as written; `pieces` contains their places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sunup {

enum class Quote : char { kNone = '\0', kSingle = '\'', kDouble = '"' };

// A part of a word that follows one syntax rule.
struct ShellPiece {
  enum class Kind : uint8_t {
    kPlain,        // characters outside quotes
    kSingle,       // '...'
    kDouble,       // "...", or a part of it between pieces of the kinds below
    kDollarQuote,  // $'...', in which escapes represent other characters
    kEscape,       // a backslash and the next character, which is the text; outside quotes or in double quotes
    kDollar,       // the `$` of $NAME, ${NAME}, $(command) and so on; outside quotes or in double quotes
    kBackquote,    // the ` of `command`; outside quotes or in double quotes
  };
  Kind kind;
  size_t at;              // its start, including the opening quote; the column in a text of one line is at + 1
  std::string_view text;  // as written, without quotes: a view of the text that was read
};

struct ShellWord {
  std::string value;
  std::vector<ShellPiece> pieces;
  size_t length = 0;   // of the text that it was read from
  bool closed = true;  // all quotes are closed
};

enum class ShellRules : uint8_t {
  kBash,        // a quote that is not closed extends to the end of the text
  kFragment,    // the same for text that may be an excerpt: a quote that opens the word and is never closed
                // ends at the end of the line; one after plain characters that is not closed in its line ends
                // the word before it, because it closes quotes around the word
  kQuotesOnly,  // quotes group text; nothing else has a meaning: no escapes, no $'...'
};

struct ShellSyntax {
  ShellRules rules = ShellRules::kBash;
  Quote inside = Quote::kNone;             // quotes that were opened before the start of the text
  std::string_view ends = " \t\n;&|()<>";  // the word ends before one of these outside quotes
};

// The word at the start of `text`; it may be empty. Any text is accepted.
ShellWord shell_word(std::string_view text, const ShellSyntax& syntax = {});

enum class ShellQuoting : uint8_t {
  kSingle,    // '...'
  kDouble,    // "..." with special characters escaped
  kIfNeeded,  // unquoted if no character has a special meaning, otherwise '...'
};

// Appends `value` as one word.
void append_shell_word(std::string& out, std::string_view value, ShellQuoting quoting);

}  // namespace sunup
