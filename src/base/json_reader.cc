#include "base/json_reader.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/json_escape.h"
#include "base/quoted.h"
#include "base/text.h"
#include "base/utf8.h"

namespace sunup {
namespace {

constexpr uint32_t kReplacement = 0xFFFD;
constexpr std::string_view kBeginningOfValue = "looking for beginning of value";

struct NumberScan {
  size_t length = 0;          // up to its end, or to the invalid character
  std::string_view wrong_in;  // empty: a number; otherwise the position of the character as encoding/json describes it
};

NumberScan scan_number(std::string_view text) {
  size_t n = 0;
  const auto is = [&](char c) { return n < text.size() && text[n] == c; };
  const auto digits = [&] {
    const size_t start = n;
    while (n < text.size() && is_digit(text[n])) ++n;
    return n > start;
  };
  if (is('-')) ++n;
  if (is('0'))
    ++n;
  else if (!digits())
    return {n, "in numeric literal"};
  if (is('.')) {
    ++n;
    if (!digits()) return {n, "after decimal point in numeric literal"};
  }
  if (is('e') || is('E')) {
    ++n;
    if (is('+') || is('-')) ++n;
    if (!digits()) return {n, "in exponent of numeric literal"};
  }
  return {n, ""};
}

bool is_white(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

bool is_word(char c) {
  return is_alphanumeric(c) || c == '_' || c == '-';
}

// The format of a whole text that is not JSON at all, if it can be recognised.
std::string_view other_format(std::string_view text) {
  while (!text.empty() && is_white(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_white(text.back())) text.remove_suffix(1);
  constexpr size_t kWorthIt = 16;
  const auto is_base64 = [](char c) {
    return (is_word(c) && c != '_' && c != '-') || c == '+' || c == '/' || c == '=';
  };
  if (text.size() >= kWorthIt &&
      std::ranges::all_of(text, [&](char c) { return is_base64(c) || c == '\n' || c == '\r'; }))
    return "; this looks like base64: decode it first, a config is JSON";
  while (text.starts_with('#')) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
  const size_t colon = line.find(':');
  const bool key = colon != std::string_view::npos && colon > 0 &&
                   std::ranges::all_of(line.substr(0, colon), is_word) &&
                   (colon + 1 == line.size() || line[colon + 1] == ' ');
  if (key || line.starts_with("---")) return "; this looks like YAML: a config is JSON";
  return "";
}

bool is_bare(char c) {
  return is_alphanumeric(c) || c == '+' || c == '-' || c == '.';
}

bool ends_a_scalar(char c) {
  return c == ',' || c == '}' || c == ']' || c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

}  // namespace

std::string_view describe(JsonKind kind) {
  switch (kind) {
    case JsonKind::kObject:
      return "an object";
    case JsonKind::kArray:
      return "a list";
    case JsonKind::kString:
      return "a string";
    case JsonKind::kNumber:
      return "a number";
    case JsonKind::kTrue:
    case JsonKind::kFalse:
      return "a boolean";
    case JsonKind::kNull:
      return "null";
    case JsonKind::kNone:
      break;
  }
  return "nothing";
}

bool is_json_number(std::string_view text) {
  const NumberScan number = scan_number(text);
  return number.wrong_in.empty() && number.length == text.size();
}

int JsonReader::deepest() const {
  switch (dialect_) {
    case JsonDialect::kStrict:
      return 100;
    case JsonDialect::kGo:
      return 10000;
    case JsonDialect::kBroken:
      break;
  }
  return 65;
}

void JsonReader::skip_white() {
  while (at_ < text_.size() && is_white(text_[at_])) ++at_;
}

JsonKind JsonReader::peek() {
  skip_white();
  if (at_ == text_.size()) return JsonKind::kNone;
  // Text that begins with "not ..." is not a null, and a caller that expects something else must not report a null.
  // encoding/json does, and reports the first differing letter.
  const auto word = [this](std::string_view name, JsonKind kind) {
    return dialect_ == JsonDialect::kGo || stands_here(name) ? kind : JsonKind::kNone;
  };
  switch (text_[at_]) {
    case '{':
      return JsonKind::kObject;
    case '[':
      return JsonKind::kArray;
    case '"':
      return JsonKind::kString;
    case 't':
      return word("true", JsonKind::kTrue);
    case 'f':
      return word("false", JsonKind::kFalse);
    case 'n':
      return word("null", JsonKind::kNull);
    case '-':
      return JsonKind::kNumber;
    default:
      return is_digit(text_[at_]) ? JsonKind::kNumber : JsonKind::kNone;
  }
}

bool JsonReader::fail(size_t offset, std::string reason) {
  if (error_.empty()) {
    error_ = std::move(reason);
    if (depth_ == 0 && dialect_ == JsonDialect::kStrict) error_ += other_format(text_);
    error_offset_ = offset;
  }
  return false;
}

bool JsonReader::fail_as_go(size_t offset, std::string_view where) {
  if (offset >= text_.size()) return fail(offset, "unexpected end of JSON input");
  return fail(offset,
              "invalid character " + quoted_byte(static_cast<unsigned char>(text_[offset])) + " " + std::string(where));
}

bool JsonReader::unexpected(std::string_view wanted, std::string_view where) {
  if (dialect_ == JsonDialect::kGo) return fail_as_go(at_, where);
  std::string reason = "expected " + std::string(wanted);
  if (at_ == text_.size()) return fail(at_, reason + ", but the text ends here");
  const unsigned char c = static_cast<unsigned char>(text_[at_]);
  if (text_.substr(at_).starts_with("\xEF\xBB\xBF")) return fail(at_, reason + ", found a byte order mark");
  if (c == '/' || c == '#') return fail(at_, reason + "; JSON has no comments");
  if (c > 0x20 && c < 0x7f) return fail(at_, reason + ", found '" + static_cast<char>(c) + "'");
  return fail(at_, reason + ", found a character that JSON does not allow here");
}

bool JsonReader::enter(char open) {
  skip_white();
  if (at_ == text_.size() || text_[at_] != open)
    return unexpected(open == '{' ? "an object" : "a list", kBeginningOfValue);
  if (is_at_deepest_level())
    return fail(at_, dialect_ == JsonDialect::kGo ? "exceeded max depth"
                                                  : "nested more than " + std::to_string(deepest()) + " levels deep");
  ++depth_;
  ++at_;
  return true;
}

bool JsonReader::closes(char close) {
  skip_white();
  if (at_ == text_.size() || text_[at_] != close) return false;
  ++at_;
  --depth_;
  return true;
}

bool JsonReader::comma_or(char close) {
  if (closes(close)) return false;
  if (at_ == text_.size() || text_[at_] != ',') {
    if (close == '}')
      unexpected("',' or '}'", "after object key:value pair");
    else
      unexpected("',' or ']'", "after array element");
    return false;
  }
  const size_t comma = at_++;
  if (dialect_ == JsonDialect::kGo) return true;  // here a bracket is reported as an invalid value or key
  if (dialect_ == JsonDialect::kBroken) return !closes(close);
  skip_white();
  if (at_ == text_.size() || text_[at_] != close) return true;
  return fail(comma, std::string("a ',' before '") + close + "' is not allowed");
}

bool JsonReader::key_and_colon(std::string_view& key) {
  if (peek() != JsonKind::kString)
    return unexpected("a name in double quotes", "looking for beginning of object key string");
  if (!string(key)) return false;
  skip_white();
  if (at_ == text_.size() || text_[at_] != ':') return unexpected("':'", "after object key");
  ++at_;
  return true;
}

bool JsonReader::string(std::string_view& out) {
  if (peek() != JsonKind::kString) return unexpected("a string", kBeginningOfValue);
  const bool strict = dialect_ == JsonDialect::kStrict;
  const size_t open = at_;
  size_t i = open + 1;
  size_t copied = i;
  bool changed = false;
  const auto replace = [&](size_t length, std::optional<uint32_t> code) {
    if (!changed) scratch_.clear();
    changed = true;
    scratch_.append(text_, copied, i - copied);
    if (code) append_utf8(scratch_, *code);
    i += length;
    copied = i;
  };
  while (i < text_.size() && text_[i] != '"') {
    const unsigned char c = static_cast<unsigned char>(text_[i]);
    if (c == '\\') {
      const JsonEscape escape = read_json_escape(text_.substr(i));
      const bool refused =
          !escape.is_known() || (strict && (escape.code == 0 || escape.problem == JsonEscape::Problem::kHalf));
      if (!refused)
        replace(escape.length, escape.forgiven());
      else if (dialect_ != JsonDialect::kBroken)
        return escape_is_wrong(i, escape);
      else if (i + 1 == text_.size())
        replace(1, std::nullopt);
      else
        ++i;  // an unknown escape: the character itself
    } else if (c < 0x20 && dialect_ != JsonDialect::kBroken) {
      if (!strict) return fail_as_go(i, "in string literal");
      if (c == 0) return fail(i, "a NUL character is not allowed");
      return fail(i, "a raw control character is not allowed in a string; write it as an escape");
    } else if (c < 0x80) {
      ++i;
    } else if (const Rune rune = first_rune(text_.substr(i)); rune.valid()) {
      i += rune.size;
    } else if (strict) {
      return fail(i, "not valid UTF-8");
    } else {
      replace(rune.size, kReplacement);
    }
  }
  if (i >= text_.size() && dialect_ != JsonDialect::kBroken)
    return strict ? fail(open, "the string that starts here is not closed") : fail_as_go(i, "in string literal");
  if (changed) {
    scratch_.append(text_, copied, i - copied);
    out = scratch_;
  } else {
    out = text_.substr(open + 1, i - open - 1);
  }
  cut_ = i >= text_.size();
  at_ = std::min(i + 1, text_.size());
  return true;
}

bool JsonReader::escape_is_wrong(size_t at, const JsonEscape& escape) {
  if (dialect_ == JsonDialect::kGo)
    return fail_as_go(at + escape.length, escape.problem == JsonEscape::Problem::kHex
                                              ? "in \\u hexadecimal character escape"
                                              : "in string escape code");
  if (at + 1 >= text_.size()) return fail(at, "the text ends within an escape");
  if (!escape.is_known()) return fail(at, "not an escape that JSON knows");
  if (escape.code == 0) return fail(at, "a NUL character is not allowed");
  return fail(at, "half of a surrogate pair without its other half");
}

bool JsonReader::number(std::string_view& raw) {
  if (peek() != JsonKind::kNumber) return unexpected("a number", kBeginningOfValue);
  const auto [length, wrong_in] = scan_number(text_.substr(at_));
  if (dialect_ == JsonDialect::kGo) {
    if (!wrong_in.empty()) return fail_as_go(at_ + length, wrong_in);
  } else if (!wrong_in.empty() || (at_ + length < text_.size() && !ends_a_scalar(text_[at_ + length]))) {
    return fail(at_, "not a number that JSON allows");
  }
  raw = text_.substr(at_, length);
  at_ += length;
  return true;
}

bool JsonReader::stands_here(std::string_view word) const {
  const std::string_view rest = text_.substr(at_);
  return rest.starts_with(word) && (rest.size() == word.size() || ends_a_scalar(rest[word.size()]));
}

bool JsonReader::literal(std::string_view word) {
  skip_white();
  if (dialect_ == JsonDialect::kGo) {
    const auto wrong = std::ranges::mismatch(word, text_.substr(at_)).in1;
    if (wrong != word.end())
      return fail_as_go(
          at_ + static_cast<size_t>(wrong - word.begin()),
          "in literal " + std::string(word) + " (expecting " + quoted_byte(static_cast<unsigned char>(*wrong)) + ")");
  } else if (!stands_here(word)) {
    return unexpected(word, "");
  }
  at_ += word.size();
  return true;
}

bool JsonReader::word(std::string_view& raw) {
  const JsonKind kind = peek();
  const size_t start = at_;
  if (dialect_ == JsonDialect::kBroken) {
    while (at_ < text_.size() && is_bare(text_[at_])) ++at_;
    if (at_ == start) return unexpected("a value", kBeginningOfValue);
  } else if (kind == JsonKind::kNumber) {
    return number(raw);
  } else {
    const std::string_view name = kind == JsonKind::kTrue    ? "true"
                                  : kind == JsonKind::kFalse ? "false"
                                  : kind == JsonKind::kNull  ? "null"
                                                             : "";
    if (name.empty()) return unexpected(depth_ == 0 ? "JSON" : "a value", kBeginningOfValue);
    if (!literal(name)) return false;
  }
  raw = text_.substr(start, at_ - start);
  return true;
}

bool JsonReader::skip() {
  struct {
    void name(std::string_view) {}
    void value(JsonKind, std::string_view) {}
    void end() {}
  } nobody;
  return visit(nobody);
}

bool JsonReader::at_end() {
  skip_white();
  return at_ == text_.size();
}

bool JsonReader::end() {
  return at_end() || unexpected("the end of the text", "after top-level value");
}

Position JsonReader::position(size_t offset) {
  if (offset < cursor_.offset) cursor_ = {};
  for (; cursor_.offset < offset && cursor_.offset < text_.size(); ++cursor_.offset) {
    const unsigned char c = static_cast<unsigned char>(text_[cursor_.offset]);
    if (c == '\n') {
      ++cursor_.place.line;
      cursor_.place.column = 1;
    } else if ((c & 0xC0) != 0x80) {
      ++cursor_.place.column;
    }
  }
  return cursor_.place;
}

}  // namespace sunup
