// Any text is a sequence of words: each consists only of its own text, and a written word is read back unchanged.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/shell_word.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sunup;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const ShellRules rules : {ShellRules::kBash, ShellRules::kFragment, ShellRules::kQuotesOnly}) {
    for (const Quote inside : {Quote::kNone, Quote::kSingle, Quote::kDouble}) {
      const ShellWord word = shell_word(text, {.rules = rules, .inside = inside});
      require(word.length <= size, "a word is no longer than the text");
      require(word.value.size() <= word.length, "a value is no longer than its word");
      size_t end = 0;
      for (const ShellPiece& piece : word.pieces) {
        require(piece.at >= end, "pieces follow on each other");
        const bool outside =
            piece.text.data() < text.data() || piece.text.data() + piece.text.size() > text.data() + size;
        require(piece.text.empty() || !outside, "a piece is a part of the text");
        end = piece.at + piece.text.size();
        require(end <= word.length, "a piece is a part of its word");
      }
    }
  }
  for (const ShellQuoting quoting : {ShellQuoting::kSingle, ShellQuoting::kDouble, ShellQuoting::kIfNeeded}) {
    std::string written;
    append_shell_word(written, text, quoting);
    const ShellWord word = shell_word(written + ";");
    require(word.closed && word.length == written.size(), "what is written is one word");
    require(word.value == text, "what is written is read back");
    for (const ShellPiece& piece : word.pieces)
      require(piece.kind != ShellPiece::Kind::kDollar && piece.kind != ShellPiece::Kind::kBackquote,
              "a shell replaces nothing in what is written");
  }
  return 0;
}
