// Writes JSON with members in the given order, either compact or with one member or item per line.
//
//   JsonWriter json({.indent = 4});
//   json.begin_object();
//   json.member("kind", "KubeletConfiguration");
//   json.end_object();
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace sunup {

// The characters that are escaped in a string. Control characters, '"' and '\' are always escaped.
enum class JsonEscapes : uint8_t {
  kMinimal,  // no others; bytes that are not UTF-8 are kept
  kText,     // also U+2028 and U+2029; a byte that is not UTF-8 becomes \ufffd, as in Go's log
  kHtml,     // also '<', '>' and '&', so that the text can be embedded in a page, as in Go's encoding/json
};

// Appends `text` as a JSON string, quotes included.
void append_json_string(std::string& out, std::string_view text, JsonEscapes escapes);
std::string json_string(std::string_view text, JsonEscapes escapes = JsonEscapes::kMinimal);

struct JsonLayout {
  size_t indent = 0;  // blanks per level; 0: all in one line, without blanks
  JsonEscapes escapes = JsonEscapes::kHtml;
};

class JsonWriter {
 public:
  explicit JsonWriter(const JsonLayout& layout = {}) : layout_(layout) {}

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }

  void key(std::string_view name);
  void text(std::string_view value);
  void number(int64_t value);
  void boolean(bool value);
  void raw(std::string_view json);          // a value that is JSON already
  void plain_text(std::string_view value);  // a text without anything to escape, for example base64

  void member(std::string_view name, std::string_view value) {
    key(name);
    text(value);
  }
  void raw_member(std::string_view name, std::string_view json) {
    key(name);
    raw(json);
  }

  void reserve(size_t size) { out_.reserve(size); }
  std::string take() && { return std::move(out_); }

 private:
  void open(char bracket);
  void close(char bracket);
  void before_value();
  void new_line();

  JsonLayout layout_;
  size_t depth_ = 0;
  bool empty_ = true;       // the open object or array has no content yet
  bool after_key_ = false;  // the key of the next value has been written
  std::string out_;
};

}  // namespace sunup
