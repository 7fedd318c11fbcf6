#include "report/lenient_json.h"

#include <algorithm>
#include <cstdint>

#include "base/json_escape.h"
#include "base/json_reader.h"
#include "base/utf8.h"

namespace sunup::report {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

using Visit = std::function<void(const Fields&)>;

// Reads objects up to the end of the text or the first invalid JSON, and keeps the part before it.
class Reader {
 public:
  Reader(std::string_view text, size_t at, const Visit& visit)
      : in_(text, JsonDialect::kBroken, at), size_(text.size()), visit_(visit) {}

  Fields object() {
    Fields result;
    result.start = in_.offset();
    in_.object([&](std::string_view key, size_t) {
      Field field;
      field.key = key;
      if (value(field)) result.fields.push_back(std::move(field));
      return !in_.failed();
    });
    result.end = in_.offset();
    result.truncated = in_.failed() && text_ended();
    result.broken = in_.failed() && !text_ended();
    if (visit_) visit_(result);
    return result;
  }

 private:
  bool text_ended() const { return in_.offset() == size_; }

  // Returns false if there is no value or nothing is known about it.
  bool value(Field& field) {
    const JsonKind kind = in_.peek();
    if (kind == JsonKind::kObject) {
      // An object that is nested too deeply is not read here; each_object reads it separately.
      if (in_.is_at_deepest_level()) return in_.fail(in_.offset(), "nested too deeply");
      field.children = object().fields;
      return true;
    }
    if (kind == JsonKind::kArray) {
      return in_.array([this](size_t) {
        Field item;
        return value(item) && !in_.failed();
      }) || text_ended();
    }
    std::string_view text;
    field.quoted = kind == JsonKind::kString;
    if (!(field.quoted ? in_.string(text) : in_.word(text))) return false;
    field.value = text;
    field.cut = field.quoted ? in_.string_was_cut() : text_ended();
    return true;
  }

  JsonReader in_;
  size_t size_;
  const Visit& visit_;
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
  return Reader(text, start, nullptr).object();
}

void each_object(std::string_view text, const std::function<bool(const Fields&)>& wanted) {
  // A '{' that a reader has used as the start of an object need not be tried again, because the result would be the
  // same. Only those inside strings remain, since a reader may be wrong about which quote opens a string. There is only
  // one way to be wrong, so no byte is read more than a few times.
  std::vector<bool> tried(text.size());
  size_t next = 0;
  const Visit visit = [&](const Fields& object) {
    tried[object.start] = true;
    if (wanted(object)) next = std::max(next, object.end);
  };
  for (size_t at = text.find('{'); at != std::string_view::npos; at = text.find('{', std::max(at + 1, next))) {
    if (!tried[at]) Reader(text, at, visit).object();
  }
}

std::string unescape_once(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t plain = std::min(text.find('\\'), text.size());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.size() < 2) break;  // a backslash at the end of the text is dropped
    const JsonEscape escape = read_json_escape(text);
    if (escape.is_known())
      append_utf8(out, escape.forgiven());
    else
      out += '\\';
    text.remove_prefix(escape.is_known() ? escape.length : 1);
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
