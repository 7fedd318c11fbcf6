// Writes indented JSON with members in the order they are given. Strings are escaped so that the text may also stand in
// HTML: besides what JSON demands, '<', '>', '&', U+2028 and U+2029 are written as \u escapes.
//
//   JsonWriter json(4);
//   json.begin_object();
//   json.key("kind");
//   json.text("KubeletConfiguration");
//   json.end_object();
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace sunup::render {

void append_json_string(std::string& out, std::string_view text);

class JsonWriter {
 public:
  explicit JsonWriter(int indent) : indent_(static_cast<size_t>(indent)) { out_.reserve(2048); }

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }

  void key(std::string_view name);
  void text(std::string_view value);
  void number(int64_t value);
  void boolean(bool value);

  std::string take() && { return std::move(out_); }

 private:
  void open(char bracket);
  void close(char bracket);
  void before_value();
  void new_line();

  size_t indent_;
  size_t depth_ = 0;
  bool empty_ = true;       // nothing yet in the object or array that is open
  bool after_key_ = false;  // the next value belongs to a key that is already there
  std::string out_;
};

}  // namespace sunup::render
