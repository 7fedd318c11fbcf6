#include "contract/write.h"

#include <cassert>
#include <charconv>
#include <cmath>

#include "contract/path.h"

namespace sunup::contract {
namespace {

std::string json_double(double value) {
  if (std::isnan(value)) return "\"NaN\"";
  if (std::isinf(value)) return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  char buffer[32];
  return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

class Writer {
 public:
  explicit Writer(const UnknownMembers& unknown) : unknown_(unknown) {}

  std::string run(const Configuration& config) {
    const std::string wire = config.SerializeAsString();
    message(MessageView(wire, configuration_fields()));
    out_ += '\n';
    return std::move(out_);
  }

 private:
  void message(const MessageView& from) {
    open('{');
    for (const Field& field : from.type().all()) {
      if (!from.has(field)) continue;
      element();
      out_ += '"';
      out_ += field.name;
      out_ += "\": ";
      const size_t mark = path_.size();
      if (!unknown_.empty()) append_name(field.name, path_);
      if (field.is_map()) {
        map(from, field);
      } else if (field.is_list()) {
        list(from, field);
      } else {
        value(from.get(field));
      }
      path_.resize(mark);
    }
    unknown_members();
    close('}');
  }

  void unknown_members() {
    const auto found = unknown_.find(path_);
    if (found == unknown_.end()) return;
    for (const auto& [name, value] : found->second) {
      element();
      out_ += json_string(name) + ": " + value;
    }
  }

  void value(const FieldValue& from) {
    if (from.field().message) return message(from.message());
    out_ += scalar_json(from);
  }

  void map(const MessageView& from, const Field& field) {
    open('{');
    for (const auto& [key, held] : from.map(field)) {
      element();
      out_ += json_string(key);
      out_ += ": ";
      const size_t mark = path_.size();
      if (!unknown_.empty()) append_key(key, path_);
      value(held);
      path_.resize(mark);
    }
    close('}');
  }

  void list(const MessageView& from, const Field& field) {
    open('[');
    size_t index = 0;
    for (const FieldValue& item : from.values(field)) {
      element();
      const size_t mark = path_.size();
      if (!unknown_.empty()) append_index(index++, path_);
      value(item);
      path_.resize(mark);
    }
    close(']');
  }

  void open(char bracket) {
    out_ += bracket;
    ++depth_;
    first_ = true;
  }
  void element() {
    if (!first_) out_ += ',';
    first_ = false;
    line();
  }
  void close(char bracket) {
    --depth_;
    if (!first_) line();
    out_ += bracket;
    first_ = false;
  }
  void line() {
    out_ += '\n';
    out_.append(2 * depth_, ' ');
  }

  const UnknownMembers& unknown_;
  std::string path_ = "$";  // of the object being written, while there are unknown members to find by it
  std::string out_;
  size_t depth_ = 0;
  bool first_ = true;
};

}  // namespace

std::string json_string(std::string_view text) {
  static constexpr std::string_view kMeanings = "\"\\\b\f\n\r\t";
  static constexpr std::string_view kNames = "\"\\bfnrt";
  static constexpr char kHex[] = "0123456789abcdef";
  const auto plain = [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\'; };
  std::string out;
  out.reserve(text.size() + 2);
  out += '"';
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && plain(text[end])) ++end;
    out.append(text, at, end - at);
    if (end == text.size()) break;
    const char c = text[end];
    if (const size_t i = kMeanings.find(c); i != std::string_view::npos) {
      out += '\\';
      out += kNames[i];
    } else {
      out += "\\u00";
      out += kHex[c >> 4];
      out += kHex[c & 15];
    }
    at = end + 1;
  }
  out += '"';
  return out;
}

std::string scalar_json(const FieldValue& value) {
  switch (value.field().kind) {
    case FieldKind::kString:
      return json_string(value.text());
    case FieldKind::kBool:
      return value.boolean() ? "true" : "false";
    case FieldKind::kInt32:
      return std::to_string(value.integer());
    case FieldKind::kDouble:
      return json_double(value.real());
    case FieldKind::kEnum: {
      const EnumValue* known = value.enum_value();
      return known ? json_string(known->name) : std::to_string(value.integer());
    }
    case FieldKind::kMessage:
      break;
  }
  assert(false && "a message is no scalar");
  return "null";
}

std::string to_json(const Configuration& config) {
  return to_json(config, {});
}

std::string to_json(const Configuration& config, const UnknownMembers& unknown) {
  return Writer(unknown).run(config);
}

}  // namespace sunup::contract
