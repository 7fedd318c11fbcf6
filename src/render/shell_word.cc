#include "render/shell_word.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "base/utf8.h"

namespace sunup::render {
namespace {

enum class Quoting { kSingle, kDouble, kEscapes };  // kEscapes: $'...'

// What stands between double quotes.
void append_double_quoted(std::string& out, std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '\\' && i + 1 < text.size() &&
                        std::string_view("$`\"\\\n").find(text[i + 1]) != std::string_view::npos;
    if (escape && text[++i] == '\n') continue;  // a line that goes on in the next
    out += text[i];
  }
}

// The number at the start of `text`, which is shortened by its digits. 0 also stands for none: no value holds that
// byte.
uint32_t take_number(std::string_view& text, size_t most_digits, int base) {
  uint32_t number = 0;
  const std::string_view digits = text.substr(0, most_digits);
  const auto read = std::from_chars(digits.begin(), digits.end(), number, base);
  if (read.ec != std::errc()) return 0;
  text.remove_prefix(static_cast<size_t>(read.ptr - digits.begin()));
  return number;
}

// One escape of $'...' behind its backslash.
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
  Reader(std::string_view text, std::string_view ends) : text_(text), ends_(ends) {}

  ShellWord read(Quote inside) {
    bool goes_on = true;
    if (inside != Quote::kNone) goes_on = quoted(0, inside == Quote::kSingle ? Quoting::kSingle : Quoting::kDouble);
    while (goes_on && at_ < text_.size() && ends_.find(text_[at_]) == std::string_view::npos) goes_on = piece();
    return {std::move(value_), at_, closed_};
  }

 private:
  // Both: whether the word goes on behind it.
  bool piece() {
    const char c = text_[at_];
    const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (c == '\'') return quoted(at_ + 1, Quoting::kSingle);
    if (c == '"') return quoted(at_ + 1, Quoting::kDouble);
    if (c == '$' && next == '\'') return quoted(at_ + 2, Quoting::kEscapes);
    if (c == '$' && next == '"') return quoted(at_ + 2, Quoting::kDouble);
    if (c == '\\' && at_ + 1 < text_.size()) {
      if (next != '\n') value_ += next;
      at_ += 2;
    } else {
      value_ += c;
      ++at_;
    }
    return true;
  }

  bool quoted(size_t start, Quoting quoting) {
    if (at_ == 0) opens_with_quote_ = true;
    const size_t line_end = std::min(text_.find('\n', start), text_.size());
    const size_t close = closing(start, quoting);
    if (close >= line_end && !opens_with_quote_) return false;
    closed_ = close < text_.size();
    const std::string_view inside = text_.substr(start, (closed_ ? close : line_end) - start);
    if (quoting == Quoting::kSingle) value_ += inside;
    if (quoting == Quoting::kDouble) append_double_quoted(value_, inside);
    if (quoting == Quoting::kEscapes) append_with_escapes(value_, inside);
    at_ = closed_ ? close + 1 : line_end;
    return closed_;
  }

  // Where the quotes that opened before `at` are closed; past the end, if they are not.
  size_t closing(size_t at, Quoting quoting) const {
    if (quoting == Quoting::kSingle) return std::min(text_.find('\'', at), text_.size());
    const char quote = quoting == Quoting::kDouble ? '"' : '\'';
    while (at < text_.size() && text_[at] != quote) at += text_[at] == '\\' ? 2 : 1;
    return std::min(at, text_.size());
  }

  std::string_view text_;
  std::string_view ends_;
  size_t at_ = 0;
  bool opens_with_quote_ = false;
  bool closed_ = true;
  std::string value_;
};

}  // namespace

ShellWord shell_word(std::string_view text, Quote inside, std::string_view ends) {
  return Reader(text, ends).read(inside);
}

}  // namespace sunup::render
