// The one reader of JSON (RFC 8259), with positions. It passes values to the caller one by one and builds no tree, so a
// config is read directly into its messages and every error has a line and a column. json_tree.h builds a tree with it.
//
//   JsonReader in(text);
//   bool ok = in.object([&](std::string_view key, size_t at) { return key == "name" ? in.string(name) : in.skip(); })
//             && in.end();
//   if (!ok) complain(in.position(in.error_offset()), in.error());
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sunup {

struct JsonEscape;

// 1-based; columns count characters (code points), as editors do. 0 means that there is no position in the text.
struct Position {
  int line = 0;
  int column = 0;
};

enum class JsonKind : uint8_t { kNone, kObject, kArray, kString, kNumber, kTrue, kFalse, kNull };

// "an object", "a string", ...
std::string_view describe(JsonKind kind);

// What is tolerated, and the wording of error messages.
enum class JsonDialect : uint8_t {
  // For a config: text that is not UTF-8, half of a surrogate pair and NUL (which an environment variable cannot
  // contain) are errors, and the nesting ends at 100 levels. Error messages say what was expected and what was found.
  kStrict,
  // For the files of programs written in Go: as encoding/json reads them, up to 10000 levels, with U+FFFD for broken
  // text. The error messages are those of encoding/json, because people know them from the log of the original:
  // "invalid character 'o' in literal null (expecting 'u')", "unexpected end of JSON input".
  kGo,
  // For remains of JSON in a log: strings may contain raw control characters and unknown escapes and may end with the
  // text, a comma may precede a closing bracket, and any word is a value. Up to 65 levels.
  kBroken,
};

class JsonReader {
 public:
  explicit JsonReader(std::string_view text, JsonDialect dialect = JsonDialect::kStrict, size_t start = 0)
      : text_(text), dialect_(dialect), at_(start) {}

  // Advances to the next value and returns its kind by its first character; a word is compared as a whole, except in
  // Go's dialect. kNone: not the start of a value.
  JsonKind peek();
  size_t offset() const { return at_; }

  // Each reads one complete value of its kind. Returns false if it is missing or malformed; error() contains the
  // reason. The view is valid until the next string is read.
  bool string(std::string_view& out);
  bool number(std::string_view& raw);
  bool literal(std::string_view word);
  bool word(std::string_view& raw);  // a number, true, false or null as written; in kBroken any letters and digits
  bool skip();
  // Whether the last string ended with the text instead of a quote, which only kBroken allows.
  bool string_was_cut() const { return cut_; }

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

  // Reads one value with everything in it, without recursion. Calls visitor.value(kind, text) for each value, starting
  // with the value itself, visitor.name(key) before that of a member, and visitor.end() after the last element of an
  // object or array.
  template <class Visitor>
  bool visit(Visitor& visitor) {
    std::string open;  // the brackets that are still open
    do {
      std::string_view text;
      if (open.ends_with('}')) {
        if (!key_and_colon(text)) return false;
        visitor.name(text);
        text = {};
      }
      const JsonKind kind = peek();
      const char close = kind == JsonKind::kObject ? '}' : kind == JsonKind::kArray ? ']' : '\0';
      if (close != 0 ? !enter(text_[at_]) : !(kind == JsonKind::kString ? string(text) : word(text))) return false;
      visitor.value(kind, text);
      if (close != 0) {
        if (!closes(close)) {
          open += close;
          continue;
        }
        visitor.end();
      }
      while (!open.empty() && !comma_or(open.back())) {
        if (failed()) return false;
        visitor.end();
        open.pop_back();
      }
    } while (!open.empty());
    return true;
  }

  // Whether the next object or array is one level too deep.
  bool is_at_deepest_level() const { return depth_ >= deepest(); }

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
  int deepest() const;
  void skip_white();
  bool enter(char open);
  bool closes(char close);
  bool comma_or(char close);  // true: another element follows; false: the end, or an error
  bool key_and_colon(std::string_view& key);
  bool escape_is_wrong(size_t at, const JsonEscape& escape);
  bool stands_here(std::string_view word) const;
  // `where` is the position in the grammar as encoding/json calls it.
  bool unexpected(std::string_view wanted, std::string_view where);
  bool fail_as_go(size_t offset, std::string_view where);

  std::string_view text_;
  JsonDialect dialect_;
  size_t at_ = 0;
  int depth_ = 0;
  bool cut_ = false;
  std::string scratch_;  // a string that differs from its spelling
  std::string error_;
  size_t error_offset_ = 0;
  struct {
    size_t offset = 0;
    Position place{1, 1};
  } cursor_;
};

// Checks `text` as one number by the JSON grammar; used for numbers given as strings.
bool is_json_number(std::string_view text);

}  // namespace sunup
