#include "report/lenient_json.h"

#include <algorithm>
#include <cstdint>

#include "base/json_escape.h"
#include "base/text.h"
#include "base/utf8.h"

namespace sunup::report {
namespace {

constexpr int kMaxDepth = 64;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Takes the escape that starts at text[at] == '\\', appends what it stands for, and returns the position behind it. An
// unknown escape stands for itself; a backslash at the end of the text is dropped.
size_t take_escape(std::string_view text, size_t at, std::string& out) {
  if (at + 1 >= text.size()) return text.size();
  const JsonEscape escape = read_json_escape(text.substr(at));
  if (escape.is_known())
    append_utf8(out, escape.forgiven());
  else
    out += '\\';
  return at + (escape.is_known() ? escape.length : 1);
}

using Visit = std::function<void(const Fields&)>;

class Reader {
 public:
  Reader(std::string_view text, size_t at, const Visit& visit) : text_(text), at_(at), visit_(visit) {}

  Fields object(int depth) {
    Fields result;
    result.start = at_;
    ++at_;  // '{'
    members(result, depth);
    result.end = at_;
    if (visit_) visit_(result);
    return result;
  }

 private:
  bool at_end() const { return at_ >= text_.size(); }

  void skip_space() {
    while (!at_end() && std::string_view(" \n\r\t").find(text_[at_]) != std::string_view::npos) ++at_;
  }

  bool skip(char c) {
    skip_space();
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  // Strict about ':' and ',': only so does a reader that took a closing quote for an opening one notice at once.
  void members(Fields& result, int depth) {
    while (!skip('}')) {
      const bool fine = member(result, depth);
      if (result.truncated || result.broken) return;
      if (fine && (skip(',') || (!at_end() && text_[at_] == '}'))) continue;
      (at_end() ? result.truncated : result.broken) = true;
      return;
    }
  }

  bool member(Fields& result, int depth) {
    if (at_end() || text_[at_] != '"') return false;
    Field field;
    field.key = string();
    if (!skip(':')) return false;
    skip_space();
    if (at_end() || !value(field, result, depth)) return false;  // a key says nothing without a value
    result.fields.push_back(std::move(field));
    return true;
  }

  std::string string() {
    std::string out;
    ++at_;  // '"'
    while (!at_end() && text_[at_] != '"') {
      if (text_[at_] == '\\') {
        at_ = take_escape(text_, at_, out);
      } else {
        out += text_[at_++];
      }
    }
    unterminated_ = at_end();
    if (!at_end()) ++at_;
    return out;
  }

  bool value(Field& field, Fields& parent, int depth) {
    const char c = text_[at_];
    if (c == '"') {
      field.quoted = true;
      field.value = string();
      field.cut = unterminated_;
      parent.truncated |= unterminated_;
      return true;
    }
    if (c == '{') {
      if (depth >= kMaxDepth) return false;
      Fields inner = object(depth + 1);
      field.children = std::move(inner.fields);
      parent.truncated |= inner.truncated;
      parent.broken |= inner.broken;
      return true;
    }
    if (c == '[') return depth < kMaxDepth && array(parent, depth + 1);
    const size_t start = at_;
    while (!at_end() && (is_alphanumeric(text_[at_]) || text_[at_] == '+' || text_[at_] == '-' || text_[at_] == '.')) {
      ++at_;
    }
    field.value = text_.substr(start, at_ - start);
    field.cut = at_end();
    parent.truncated |= at_end();
    return at_ > start;
  }

  bool array(Fields& parent, int depth) {
    ++at_;  // '['
    while (!skip(']')) {
      Field item;
      if (at_end()) {
        parent.truncated = true;
        return true;
      }
      if (!value(item, parent, depth)) return false;
      if (parent.truncated || parent.broken) return true;
      if (!skip(',') && !at_end() && text_[at_] != ']') return false;
    }
    return true;
  }

  std::string_view text_;
  size_t at_;
  const Visit& visit_;
  bool unterminated_ = false;
};

std::string from_utf16(std::string_view bytes, bool big_endian) {
  std::string out;
  const auto unit = [&](size_t at) {
    const auto a = static_cast<unsigned char>(bytes[at]);
    const auto b = static_cast<unsigned char>(bytes[at + 1]);
    return static_cast<uint32_t>(big_endian ? a << 8 | b : b << 8 | a);
  };
  for (size_t at = 2; at + 1 < bytes.size(); at += 2) {
    uint32_t c = unit(at);
    if (c >= 0xD800 && c < 0xDC00 && at + 3 < bytes.size()) {
      const uint32_t low = unit(at + 2);
      if (low >= 0xDC00 && low < 0xE000) {
        c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
        at += 2;
      }
    }
    if (c >= 0xD800 && c < 0xE000) {
      out += kReplacement;
    } else {
      append_utf8(out, c);
    }
  }
  return out;
}

}  // namespace

Fields read_object(std::string_view text, size_t start) {
  return Reader(text, start, nullptr).object(0);
}

void each_object(std::string_view text, const std::function<bool(const Fields&)>& wanted) {
  // A '{' that a reader has taken for the start of an object need not be tried again: it would be read the same way.
  // What is left are those in strings, where the reader may have been wrong about which quote opens one. It can be
  // wrong in one way only, so that no byte is read more than a few times.
  std::vector<bool> tried(text.size());
  size_t next = 0;
  const Visit visit = [&](const Fields& object) {
    tried[object.start] = true;
    if (wanted(object)) next = std::max(next, object.end);
  };
  for (size_t at = text.find('{'); at != std::string_view::npos; at = text.find('{', std::max(at + 1, next))) {
    if (!tried[at]) Reader(text, at, visit).object(0);
  }
}

std::string unescape_once(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '\\') {
      at = take_escape(text, at, out);
    } else {
      out += text[at++];
    }
  }
  return out;
}

std::string to_clean_utf8(std::string_view bytes) {
  if (bytes.starts_with("\xFF\xFE")) return from_utf16(bytes, false);
  if (bytes.starts_with("\xFE\xFF")) return from_utf16(bytes, true);
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const Rune rune = first_rune(bytes);
    out += rune.valid() ? bytes.substr(0, rune.size) : kReplacement;
    bytes.remove_prefix(rune.size);
  }
  return out;
}

}  // namespace sunup::report
