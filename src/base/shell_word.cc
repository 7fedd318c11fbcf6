#include "base/shell_word.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"
#include "base/utf8.h"

namespace sunup {
namespace {

using Kind = ShellPiece::Kind;

// The characters that a backslash escapes within double quotes.
constexpr std::string_view kSpecialInDouble = "$`\"\\";

// Whether a shell expands the `$` at the start of `text`.
bool is_expansion(std::string_view text) {
  if (text.size() < 2) return false;
  return is_alphanumeric(text[1]) || std::string_view("_{([@*#?-$!").find(text[1]) != std::string_view::npos;
}

// The number at the start of `text`, whose digits are removed. 0 also means that there is none, because no value
// contains that byte.
uint32_t take_number(std::string_view& text, size_t most_digits, int base) {
  uint32_t number = 0;
  const std::string_view digits = text.substr(0, most_digits);
  const auto read = std::from_chars(digits.begin(), digits.end(), number, base);
  if (read.ec != std::errc()) return 0;
  text.remove_prefix(static_cast<size_t>(read.ptr - digits.begin()));
  return number;
}

// One escape of $'...' after its backslash.
void append_escape(std::string& out, std::string_view& text) {
  constexpr std::string_view kNames = "abeEfnrtv\\'\"?";
  constexpr std::string_view kMeant = "\a\b\x1b\x1b\f\n\r\t\v\\'\"?";
  const char name = text[0];
  if (const size_t known = kNames.find(name); known != std::string_view::npos) {
    out += kMeant[known];
    text.remove_prefix(1);
  } else if (name >= '0' && name <= '7') {
    out += static_cast<char>(take_number(text, 3, 8));
  } else if (name == 'c' && text.size() > 1) {
    out += static_cast<char>(text[1] & 0x1f);
    text.remove_prefix(2);
  } else if (name == 'x' || name == 'u' || name == 'U') {
    text.remove_prefix(1);
    const uint32_t code = take_number(text, name == 'x' ? 2 : name == 'u' ? 4 : 8, 16);
    if (code == 0)
      out.append({'\\', name});
    else if (name == 'x')
      out += static_cast<char>(code);
    else if (code <= 0x10FFFF)
      append_utf8(out, code);
  } else {
    out.append({'\\', name});
    text.remove_prefix(1);
  }
}

void append_with_escapes(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const char c = text[0];
    text.remove_prefix(1);
    if (c == '\\' && !text.empty())
      append_escape(out, text);
    else
      out += c;
  }
}

class Reader {
 public:
  Reader(std::string_view text, const ShellSyntax& syntax) : text_(text), syntax_(syntax) {}

  ShellWord read() && {
    bool goes_on = true;
    if (syntax_.inside != Quote::kNone)
      goes_on = quoted(0, syntax_.inside == Quote::kSingle ? Kind::kSingle : Kind::kDouble);
    while (goes_on && at_ < text_.size() && syntax_.ends.find(text_[at_]) == std::string_view::npos) goes_on = piece();
    word_.length = at_;
    return std::move(word_);
  }

 private:
  // Both return whether the word continues.
  bool piece() {
    const char c = text_[at_];
    const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (c == '\'') return quoted(at_ + 1, Kind::kSingle);
    if (c == '"') return quoted(at_ + 1, Kind::kDouble);
    if (syntax_.rules != ShellRules::kQuotesOnly) {
      if (c == '$' && next == '\'') return quoted(at_ + 2, Kind::kDollarQuote);
      if (c == '$' && next == '"') return quoted(at_ + 2, Kind::kDouble);
      if (const size_t length = special(at_, text_.size(), /*in_double=*/false); length > 0) {
        at_ += length;
        return true;
      }
    }
    add(Kind::kPlain, at_, text_.substr(at_, 1));
    ++at_;
    return true;
  }

  bool quoted(size_t start, Kind kind) {
    const size_t opened = at_;
    if (opened == 0) opens_with_quote_ = true;
    const bool fragment = syntax_.rules == ShellRules::kFragment;
    const size_t line_end = fragment ? std::min(text_.find('\n', start), text_.size()) : text_.size();
    const size_t close = closing(start, kind);
    if (fragment && close >= line_end && !opens_with_quote_) return false;
    word_.closed = close < text_.size();
    const size_t end = word_.closed ? close : line_end;
    if (kind == Kind::kDouble && syntax_.rules != ShellRules::kQuotesOnly)
      add_double(opened, start, end);
    else
      add(kind, opened, text_.substr(start, end - start));
    at_ = word_.closed ? close + 1 : line_end;
    return word_.closed;
  }

  // The position at which the quotes that opened before `at` are closed; past the end if they are not closed.
  size_t closing(size_t at, Kind kind) const {
    const char quote = kind == Kind::kDouble ? '"' : '\'';
    if (kind == Kind::kSingle || syntax_.rules == ShellRules::kQuotesOnly)
      return std::min(text_.find(quote, at), text_.size());
    while (at < text_.size() && text_[at] != quote) at += text_[at] == '\\' ? 2 : 1;
    return std::min(at, text_.size());
  }

  // The text between double quotes, with the pieces in it that have a special meaning there.
  void add_double(size_t opened, size_t at, size_t end) {
    const size_t pieces = word_.pieces.size();
    size_t from = at;  // start of the text that has not been added yet
    const auto add_text = [&](size_t until) {
      if (until > from)
        add(Kind::kDouble, word_.pieces.size() == pieces ? opened : from, text_.substr(from, until - from));
    };
    while (at < end) {
      const size_t before = at;
      const size_t length = special(at, end, /*in_double=*/true, [&] { add_text(before); });
      at += std::max<size_t>(length, 1);
      if (length > 0) from = at;
    }
    add_text(end);
    if (word_.pieces.size() == pieces) add(Kind::kDouble, opened, {});  // ""
  }

  // Adds the escape, `$` or backquote at `at`, after calling `first`. Returns its length, or 0 if there is none.
  template <class First>
  size_t special(size_t at, size_t end, bool in_double, First first) {
    const std::string_view rest = text_.substr(at, end - at);
    const bool escape = rest.size() > 1 && rest[0] == '\\' &&
                        (!in_double || rest[1] == '\n' || kSpecialInDouble.find(rest[1]) != std::string_view::npos);
    const bool dollar = rest[0] == '$' && is_expansion(rest);
    if (!escape && !dollar && rest[0] != '`') return 0;
    first();
    if (escape)
      add(Kind::kEscape, at, rest.substr(1, 1));
    else
      add(dollar ? Kind::kDollar : Kind::kBackquote, at, rest.substr(0, 1));
    return escape ? 2 : 1;
  }
  size_t special(size_t at, size_t end, bool in_double) {
    return special(at, end, in_double, [] {});
  }

  void add(Kind kind, size_t at, std::string_view text) {
    if (kind == Kind::kDollarQuote)
      append_with_escapes(word_.value, text);
    else if (kind != Kind::kEscape || text != "\n")  // otherwise the line continues on the next one
      word_.value += text;
    if (kind == Kind::kPlain && !word_.pieces.empty() && word_.pieces.back().kind == Kind::kPlain) {
      ShellPiece& last = word_.pieces.back();
      last.text = text_.substr(last.at, at + text.size() - last.at);
      return;
    }
    word_.pieces.push_back({kind, at, text});
  }

  std::string_view text_;
  const ShellSyntax& syntax_;
  size_t at_ = 0;
  bool opens_with_quote_ = false;
  ShellWord word_;
};

constexpr std::array<bool, 256> among(std::string_view characters) {
  std::array<bool, 256> found{};
  for (const char c : characters) found[static_cast<unsigned char>(c)] = true;
  return found;
}
constexpr auto kEscapedInDouble = among(kSpecialInDouble);
constexpr auto kBare = among("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,+@%=");

}  // namespace

ShellWord shell_word(std::string_view text, const ShellSyntax& syntax) {
  return Reader(text, syntax).read();
}

void append_shell_word(std::string& out, std::string_view value, ShellQuoting quoting) {
  const auto byte = [](char c) { return static_cast<unsigned char>(c); };
  if (quoting == ShellQuoting::kDouble) {
    out += '"';
    while (!value.empty()) {
      const auto* special = std::ranges::find_if(value, [&](char c) { return kEscapedInDouble[byte(c)]; });
      out.append(value.begin(), special);
      if (special != value.end()) out.append({'\\', *special++});
      value.remove_prefix(static_cast<size_t>(special - value.begin()));
    }
    out += '"';
  } else if (quoting == ShellQuoting::kIfNeeded && std::ranges::all_of(value, [&](char c) { return kBare[byte(c)]; })) {
    out += value;
  } else {
    out += '\'';
    for (const char c : value) {
      if (c == '\'')
        out += "'\\''";
      else
        out += c;
    }
    out += '\'';
  }
}

}  // namespace sunup
