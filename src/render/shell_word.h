// Reads a word of a shell's text without running it: quotes are taken away and escapes resolved, as bash does it. What
// a variable or a command would put there nobody knows; it stays as it is written.
//
//   shell_word(R"(it\'s' a'"\$1"; next)").value == "it's a$1"
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sunup::render {

enum class Quote : char { kNone = '\0', kSingle = '\'', kDouble = '"' };

struct ShellWord {
  std::string value;
  size_t length = 0;   // of the text that it was read from
  bool closed = true;  // all its quotes are
};

// The word that `text` begins with; it ends before one of `ends` that is not quoted. `inside` are quotes that were
// opened before the text begins. Any text is fine: a quote that opens the word and is never closed ends with its line,
// and one that follows on plain characters without being closed in its line ends the word. That one closes quotes
// around it.
ShellWord shell_word(std::string_view text, Quote inside = Quote::kNone, std::string_view ends = " \t\n;&|()<>");

}  // namespace sunup::render
