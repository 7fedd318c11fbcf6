#include "report/json_reader.h"

#include <cstdint>

#include "base/json_escape.h"
#include "base/text.h"
#include "base/utf8.h"
#include "report/quoted.h"

namespace sunup::report {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Result<JsonValue> read() {
    JsonValue value;
    skip_space();
    if (!read_value(value, 0)) return Error(error_);
    skip_space();
    if (at_ < text_.size()) {
      fail("after top-level value");
      return Error(error_);
    }
    return value;
  }

 private:
  using Kind = JsonValue::Kind;

  // The byte under the cursor is wrong, or there is none.
  bool fail(std::string_view where) {
    if (at_ >= text_.size())
      error_ = "unexpected end of JSON input";
    else
      error_ = "invalid character " + quoted_byte(static_cast<unsigned char>(text_[at_])) + " " + std::string(where);
    return false;
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool at(char c) const { return at_ < text_.size() && text_[at_] == c; }

  void skip_space() {
    while (at(' ') || at('\t') || at('\n') || at('\r')) ++at_;
  }

  bool read_value(JsonValue& value, int depth) {
    constexpr int kDeepest = 1000;
    if (depth > kDeepest) {
      error_ = "exceeded max depth";
      return false;
    }
    switch (peek()) {
      case '{':
        return read_object(value, depth);
      case '[':
        return read_array(value, depth);
      case '"':
        value.kind = Kind::kString;
        return read_string(value.text);
      case 't':
        return read_word("true", Kind::kBool, value);
      case 'f':
        return read_word("false", Kind::kBool, value);
      case 'n':
        return read_word("null", Kind::kNull, value);
      default:
        return peek() == '-' || is_digit(peek()) ? read_number(value) : fail("looking for beginning of value");
    }
  }

  bool read_word(std::string_view word, Kind kind, JsonValue& value) {
    value.kind = kind;
    value.text = word;
    for (const char c : word) {
      if (!at(c))
        return fail("in literal " + std::string(word) + " (expecting " + quoted_byte(static_cast<unsigned char>(c)) +
                    ")");
      ++at_;
    }
    return true;
  }

  bool read_number(JsonValue& value) {
    const size_t start = at_;
    if (at('-')) ++at_;
    if (at('0'))
      ++at_;
    else if (!skip_digits())
      return fail("in numeric literal");
    if (at('.')) {
      ++at_;
      if (!skip_digits()) return fail("after decimal point in numeric literal");
    }
    if (at('e') || at('E')) {
      ++at_;
      if (at('+') || at('-')) ++at_;
      if (!skip_digits()) return fail("in exponent of numeric literal");
    }
    value.kind = Kind::kNumber;
    value.text = text_.substr(start, at_ - start);
    return true;
  }

  bool skip_digits() {
    const size_t start = at_;
    while (is_digit(peek())) ++at_;
    return at_ > start;
  }

  bool read_array(JsonValue& value, int depth) {
    value.kind = Kind::kArray;
    ++at_;
    skip_space();
    if (at(']')) return ++at_, true;
    while (true) {
      skip_space();
      if (!read_value(value.items.emplace_back(), depth + 1)) return false;
      skip_space();
      if (at(']')) return ++at_, true;
      if (!at(',')) return fail("after array element");
      ++at_;
    }
  }

  bool read_object(JsonValue& value, int depth) {
    value.kind = Kind::kObject;
    ++at_;
    skip_space();
    if (at('}')) return ++at_, true;
    while (true) {
      skip_space();
      if (!at('"')) return fail("looking for beginning of object key string");
      auto& [name, member] = value.members.emplace_back();
      if (!read_string(name)) return false;
      skip_space();
      if (!at(':')) return fail("after object key");
      ++at_;
      skip_space();
      if (!read_value(member, depth + 1)) return false;
      skip_space();
      if (at('}')) return ++at_, true;
      if (!at(',')) return fail("after object key:value pair");
      ++at_;
    }
  }

  bool read_string(std::string& out) {
    ++at_;
    while (true) {
      if (at_ >= text_.size() || static_cast<unsigned char>(text_[at_]) < 0x20) return fail("in string literal");
      if (at('"')) return ++at_, true;
      if (at('\\')) {
        const JsonEscape escape = read_json_escape(text_.substr(at_));
        at_ += escape.length;
        if (escape.problem == JsonEscape::Problem::kUnknown) return fail("in string escape code");
        if (escape.problem == JsonEscape::Problem::kHex) return fail("in \\u hexadecimal character escape");
        append_utf8(out, escape.forgiven());
        continue;
      }
      const Rune rune = first_rune(text_.substr(at_));
      append_utf8(out, rune.valid() ? rune.code : kReplacement);
      at_ += rune.size;
    }
  }

  static constexpr uint32_t kReplacement = 0xFFFD;
  std::string_view text_;
  size_t at_ = 0;
  std::string error_;
};

}  // namespace

std::string_view JsonValue::kind_name() const {
  switch (kind) {
    case Kind::kNull:
      return "null";
    case Kind::kBool:
      return "bool";
    case Kind::kNumber:
      return "number";
    case Kind::kString:
      return "string";
    case Kind::kArray:
      return "array";
    case Kind::kObject:
      return "object";
  }
  return "null";
}

Result<JsonValue> parse_json(std::string_view text) {
  return Reader(text).read();
}

bool same_name(std::string_view a, std::string_view b) {
  return equal_ignoring_case(a, b);
}

}  // namespace sunup::report
