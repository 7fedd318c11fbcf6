#include "contract/write.h"

#include <google/protobuf/message.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "contract/fields.h"
#include "contract/path.h"

namespace sunup::contract {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

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
    message(config, configuration_fields());
    out_ += '\n';
    return std::move(out_);
  }

 private:
  void message(const Message& from, const MessageFields& fields) {
    open('{');
    for (const Field& field : fields.all()) {
      if (!is_set(from, *field.descriptor)) continue;
      element();
      out_ += '"';
      out_ += field.descriptor->name();
      out_ += "\": ";
      const size_t mark = path_.size();
      if (!unknown_.empty()) append_name(field.descriptor->name(), path_);
      value(from, field);
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

  static bool is_set(const Message& from, const FieldDescriptor& field) {
    const Reflection* reflection = from.GetReflection();
    return field.is_repeated() ? reflection->FieldSize(from, &field) > 0 : reflection->HasField(from, &field);
  }

  void value(const Message& from, const Field& field) {
    const Reflection* reflection = from.GetReflection();
    if (field.map_value) return map(from, field);
    if (field.descriptor->is_repeated()) return list(from, field);
    if (field.message) return message(reflection->GetMessage(from, field.descriptor), *field.message);
    out_ += scalar_json(from, *field.descriptor);
  }

  void map(const Message& from, const Field& field) {
    const Reflection* reflection = from.GetReflection();
    const FieldDescriptor* key = field.descriptor->message_type()->map_key();
    std::vector<const Message*> entries;
    for (int i = 0; i < reflection->FieldSize(from, field.descriptor); ++i)
      entries.push_back(&reflection->GetRepeatedMessage(from, field.descriptor, i));
    const auto key_of = [&](const Message* entry) { return entry->GetReflection()->GetString(*entry, key); };
    std::sort(entries.begin(), entries.end(),
              [&](const Message* a, const Message* b) { return key_of(a) < key_of(b); });
    open('{');
    for (const Message* entry : entries) {
      element();
      out_ += json_string(key_of(entry));
      out_ += ": ";
      const size_t mark = path_.size();
      if (!unknown_.empty()) append_key(key_of(entry), path_);
      if (field.message) {
        message(entry->GetReflection()->GetMessage(*entry, field.map_value), *field.message);
      } else {
        out_ += scalar_json(*entry, *field.map_value);
      }
      path_.resize(mark);
    }
    close('}');
  }

  void list(const Message& from, const Field& field) {
    const Reflection* reflection = from.GetReflection();
    open('[');
    for (int i = 0; i < reflection->FieldSize(from, field.descriptor); ++i) {
      element();
      const size_t mark = path_.size();
      if (!unknown_.empty()) append_index(static_cast<size_t>(i), path_);
      if (field.message) {
        message(reflection->GetRepeatedMessage(from, field.descriptor, i), *field.message);
      } else {
        out_ += json_string(reflection->GetRepeatedString(from, field.descriptor, i));
      }
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

std::string scalar_json(const Message& message, const FieldDescriptor& field) {
  const Reflection* reflection = message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return json_string(reflection->GetString(message, &field));
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection->GetBool(message, &field) ? "true" : "false";
    case FieldDescriptor::CPPTYPE_INT32:
      return std::to_string(reflection->GetInt32(message, &field));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return json_double(reflection->GetDouble(message, &field));
    case FieldDescriptor::CPPTYPE_ENUM: {
      const int number = reflection->GetEnumValue(message, &field);
      const auto* known = field.enum_type()->FindValueByNumber(number);
      return known ? "\"" + known->name() + "\"" : std::to_string(number);
    }
    default:
      assert(false && "the contract has a type that the writer does not know");
      return "null";
  }
}

std::string to_json(const Configuration& config) {
  return to_json(config, {});
}

std::string to_json(const Configuration& config, const UnknownMembers& unknown) {
  return Writer(unknown).run(config);
}

}  // namespace sunup::contract
