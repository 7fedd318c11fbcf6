// A strict JSON reader (RFC 8259) that tracks its position. It passes values to the caller one by one and builds no
// tree, so a config is read directly into its messages and every error has a line and a column.
//
//   JsonReader in(text);
//   bool ok = in.object([&](std::string_view key, size_t at) { return key == "name" ? in.string(name) : in.skip(); })
//             && in.end();
//   if (!ok) complain(in.position(in.error_offset()), in.error());
//
// It also refuses a NUL in any string (an environment variable cannot contain one) and nesting beyond kMaxDepth.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "contract/finding.h"

namespace sunup::contract {

enum class JsonKind : uint8_t { kNone, kObject, kArray, kString, kNumber, kTrue, kFalse, kNull };

// "an object", "a string", ...
std::string_view describe(JsonKind kind);

class JsonReader {
 public:
  static constexpr int kMaxDepth = 100;

  explicit JsonReader(std::string_view text) : text_(text) {}

  // Advances to the next value and returns its kind by its first character; a word is compared as a whole. kNone: not
  // the start of a value.
  JsonKind peek();
  size_t offset() const { return at_; }

  // Each reads one complete value of its kind. Returns false if it is missing or malformed; error() contains the
  // reason. The view is valid until the next string is read.
  bool string(std::string_view& out);
  bool number(std::string_view& raw);
  bool literal(std::string_view word);
  bool skip();

  // Calls member(key, offset of the key) with the reader positioned before the value, which it must read.
  template <class Member>
  bool object(Member&& member) {
    if (!enter('{')) return false;
    if (closes('}')) return true;
    do {
      std::string_view key;
      peek();
      const size_t key_at = at_;
      if (!key_and_colon(key)) return false;
      if (!member(key, key_at)) return false;
    } while (comma_or('}'));
    return !failed();
  }

  // Calls item(index) with the reader positioned before the value, which it must read.
  template <class Item>
  bool array(Item&& item) {
    if (!enter('[')) return false;
    if (closes(']')) return true;
    size_t index = 0;
    do {
      if (!item(index++)) return false;
    } while (comma_or(']'));
    return !failed();
  }

  // Whether only white space is left. `end` reports an error otherwise.
  bool at_end();
  bool end();

  bool fail(size_t offset, std::string reason);
  bool failed() const { return !error_.empty(); }
  const std::string& error() const { return error_; }
  size_t error_offset() const { return error_offset_; }

  // Cheap if it is called in the order of the text.
  Position position(size_t offset);

 private:
  void skip_white();
  bool enter(char open);
  bool closes(char close);
  bool comma_or(char close);
  bool key_and_colon(std::string_view& key);
  bool escape(size_t& at, std::string& out);
  bool stands_here(std::string_view word) const;
  bool unexpected(std::string_view wanted);
  bool hex4(size_t at, uint32_t& value) const;

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  std::string scratch_;  // a string with escapes
  std::string error_;
  size_t error_offset_ = 0;
  struct {
    size_t offset = 0;
    Position place{1, 1};
  } cursor_;
};

// Checks `text` as one number by the JSON grammar; used for numbers given as strings.
bool is_json_number(std::string_view text);

}  // namespace sunup::contract
