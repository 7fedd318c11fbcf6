#include "contract/json_reader.h"

#include <algorithm>
#include <utility>

#include "base/json_escape.h"
#include "base/text.h"
#include "base/utf8.h"

namespace sunup::contract {
namespace {

// Length of the number at the start of `text`; 0 if there is none.
size_t number_length(std::string_view text) {
  size_t n = 0;
  const auto digits = [&] {
    const size_t start = n;
    while (n < text.size() && is_digit(text[n])) ++n;
    return n > start;
  };
  if (n < text.size() && text[n] == '-') ++n;
  if (n < text.size() && text[n] == '0') {
    ++n;
  } else if (!digits()) {
    return 0;
  }
  if (n < text.size() && text[n] == '.') {
    ++n;
    if (!digits()) return 0;
  }
  if (n < text.size() && (text[n] == 'e' || text[n] == 'E')) {
    ++n;
    if (n < text.size() && (text[n] == '+' || text[n] == '-')) ++n;
    if (!digits()) return 0;
  }
  return n;
}

bool is_white(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

bool is_word(char c) {
  return is_alphanumeric(c) || c == '_' || c == '-';
}

// What a whole text is that is no JSON at all, if that shows: people hand over what they have.
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
  const size_t n = number_length(text);
  return n > 0 && n == text.size();
}

void JsonReader::skip_white() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (!is_white(c)) return;
    ++at_;
  }
}

JsonKind JsonReader::peek() {
  skip_white();
  if (at_ == text_.size()) return JsonKind::kNone;
  switch (text_[at_]) {
    case '{':
      return JsonKind::kObject;
    case '[':
      return JsonKind::kArray;
    case '"':
      return JsonKind::kString;
    // Not by its first letter: a text that begins "not ..." is no null, and whoever wants something else must not be
    // told that it found one.
    case 't':
      return stands_here("true") ? JsonKind::kTrue : JsonKind::kNone;
    case 'f':
      return stands_here("false") ? JsonKind::kFalse : JsonKind::kNone;
    case 'n':
      return stands_here("null") ? JsonKind::kNull : JsonKind::kNone;
    case '-':
      return JsonKind::kNumber;
    default:
      return is_digit(text_[at_]) ? JsonKind::kNumber : JsonKind::kNone;
  }
}

bool JsonReader::fail(size_t offset, std::string reason) {
  if (error_.empty()) {
    error_ = std::move(reason);
    if (depth_ == 0) error_ += other_format(text_);
    error_offset_ = offset;
  }
  return false;
}

bool JsonReader::unexpected(std::string_view wanted) {
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
  if (at_ == text_.size() || text_[at_] != open) return unexpected(open == '{' ? "an object" : "a list");
  if (++depth_ > kMaxDepth) return fail(at_, "nested more than " + std::to_string(kMaxDepth) + " levels deep");
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

// True: another element follows. False: the end, or an error.
bool JsonReader::comma_or(char close) {
  if (closes(close)) return false;
  if (at_ == text_.size() || text_[at_] != ',') {
    unexpected(close == '}' ? "',' or '}'" : "',' or ']'");
    return false;
  }
  const size_t comma = at_++;
  skip_white();
  if (at_ < text_.size() && text_[at_] == close) {
    fail(comma, std::string("a ',' before '") + close + "' is not allowed");
    return false;
  }
  return true;
}

bool JsonReader::key_and_colon(std::string_view& key) {
  if (peek() != JsonKind::kString) return unexpected("a name in double quotes");
  if (!string(key)) return false;
  skip_white();
  if (at_ == text_.size() || text_[at_] != ':') return unexpected("':'");
  ++at_;
  return true;
}

bool JsonReader::string(std::string_view& out) {
  if (peek() != JsonKind::kString) return unexpected("a string");
  const size_t open = at_;
  size_t i = at_ + 1;
  size_t copied = i;
  bool escaped = false;
  while (true) {
    if (i >= text_.size()) return fail(open, "the string that starts here is not closed");
    const unsigned char c = static_cast<unsigned char>(text_[i]);
    if (c == '"') break;
    if (c == '\\') {
      if (!escaped) scratch_.clear();
      escaped = true;
      scratch_.append(text_, copied, i - copied);
      if (!escape(i, scratch_)) return false;
      copied = i;
    } else if (c == 0) {
      return fail(i, "a NUL character is not allowed");
    } else if (c < 0x20) {
      return fail(i, "a raw control character is not allowed in a string; write it as an escape");
    } else if (c < 0x80) {
      ++i;
    } else {
      const Rune rune = first_rune(text_.substr(i));
      if (!rune.valid()) return fail(i, "not valid UTF-8");
      i += rune.size;
    }
  }
  if (escaped) {
    scratch_.append(text_, copied, i - copied);
    out = scratch_;
  } else {
    out = text_.substr(open + 1, i - open - 1);
  }
  at_ = i + 1;
  return true;
}

// Reads the escape at `at` (which it moves behind it) and appends what it stands for.
bool JsonReader::escape(size_t& at, std::string& out) {
  if (at + 1 >= text_.size()) return fail(at, "the text ends within an escape");
  const JsonEscape read = read_json_escape(text_.substr(at));
  if (!read.is_known()) return fail(at, "not an escape that JSON knows");
  if (read.code == 0) return fail(at, "a NUL character is not allowed");
  if (read.problem == JsonEscape::Problem::kHalf) return fail(at, "half of a surrogate pair without its other half");
  append_utf8(out, read.code);
  at += read.length;
  return true;
}

bool JsonReader::number(std::string_view& raw) {
  if (peek() != JsonKind::kNumber) return unexpected("a number");
  const size_t n = number_length(text_.substr(at_));
  if (n == 0 || (at_ + n < text_.size() && !ends_a_scalar(text_[at_ + n])))
    return fail(at_, "not a number that JSON allows");
  raw = text_.substr(at_, n);
  at_ += n;
  return true;
}

bool JsonReader::stands_here(std::string_view word) const {
  const std::string_view rest = text_.substr(at_);
  return rest.starts_with(word) && (rest.size() == word.size() || ends_a_scalar(rest[word.size()]));
}

bool JsonReader::literal(std::string_view word) {
  skip_white();
  if (!stands_here(word)) return unexpected(word);
  at_ += word.size();
  return true;
}

bool JsonReader::skip() {
  std::string_view ignored;
  switch (peek()) {
    case JsonKind::kObject:
      return object([this](std::string_view, size_t) { return skip(); });
    case JsonKind::kArray:
      return array([this](size_t) { return skip(); });
    case JsonKind::kString:
      return string(ignored);
    case JsonKind::kNumber:
      return number(ignored);
    case JsonKind::kTrue:
      return literal("true");
    case JsonKind::kFalse:
      return literal("false");
    case JsonKind::kNull:
      return literal("null");
    case JsonKind::kNone:
      break;
  }
  return unexpected(depth_ == 0 ? "JSON" : "a value");
}

bool JsonReader::at_end() {
  skip_white();
  return at_ == text_.size();
}

bool JsonReader::end() {
  return at_end() || unexpected("the end of the text");
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

}  // namespace sunup::contract
