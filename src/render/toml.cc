#include "render/toml.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace sunup::render {
namespace {

bool is_bare(char c) {
  return is_alphanumeric(c) || c == '_' || c == '-';
}

}  // namespace

void TomlWriter::table(Path path) {
  if (!out_.empty()) out_ += '\n';
  out_ += '[';
  bool first = true;
  for (const std::string_view key : path) {
    if (!first) out_ += '.';
    first = false;
    append_key(key);
  }
  out_ += "]\n";
}

void TomlWriter::text(std::string_view key, std::string_view value) {
  begin(key);
  append_string(value);
  out_ += '\n';
}

void TomlWriter::number(std::string_view key, int64_t value) {
  begin(key);
  char buffer[24];
  out_.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  out_ += '\n';
}

void TomlWriter::boolean(std::string_view key, bool value) {
  begin(key);
  out_ += value ? "true\n" : "false\n";
}

void TomlWriter::list(std::string_view key, std::initializer_list<std::string_view> items) {
  begin(key);
  out_ += '[';
  bool first = true;
  for (const std::string_view item : items) {
    if (!first) out_ += ", ";
    first = false;
    append_string(item);
  }
  out_ += "]\n";
}

void TomlWriter::begin(std::string_view key) {
  append_key(key);
  out_ += " = ";
}

void TomlWriter::append_key(std::string_view key) {
  if (!key.empty() && std::all_of(key.begin(), key.end(), is_bare)) {
    out_ += key;
  } else {
    append_string(key);
  }
}

void TomlWriter::append_string(std::string_view value) {
  out_ += '"';
  size_t plain = 0;  // start of the run that needs no escape
  for (size_t i = 0; i < value.size(); ++i) {
    const auto byte = static_cast<unsigned char>(value[i]);
    if (byte >= 0x20 && byte != 0x7F && byte != '"' && byte != '\\') continue;
    out_ += value.substr(plain, i - plain);
    append_escape(value[i]);
    plain = i + 1;
  }
  out_ += value.substr(plain);
  out_ += '"';
}

void TomlWriter::append_escape(char c) {
  switch (c) {
    case '"':
      out_ += "\\\"";
      break;
    case '\\':
      out_ += "\\\\";
      break;
    case '\n':
      out_ += "\\n";
      break;
    case '\r':
      out_ += "\\r";
      break;
    case '\t':
      out_ += "\\t";
      break;
    default: {
      constexpr char kHex[] = "0123456789ABCDEF";
      const auto byte = static_cast<unsigned char>(c);
      out_ += "\\u00";
      out_ += kHex[byte >> 4];
      out_ += kHex[byte & 15];
    }
  }
}

}  // namespace sunup::render
