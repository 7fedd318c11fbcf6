#include "contract/write.h"

#include <cassert>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/json_writer.h"
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
  explicit Writer(const UnknownMembers& unknown, const MapSource& maps) : unknown_(unknown), maps_(maps) {}

  std::string run(std::string_view wire) {
    message(MessageView(wire, configuration_fields()));
    return std::move(json_).take() + "\n";
  }

 private:
  void message(const MessageView& from) {
    json_.begin_object();
    for (const Field& field : from.type().all()) {
      if (field.is_map() && maps_ && replaced(field)) continue;
      if (!from.has(field)) continue;
      json_.key(field.name);
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
    if (const auto found = unknown_.find(path_); found != unknown_.end())
      for (const auto& [name, value] : found->second) json_.raw_member(name, value);
    json_.end_object();
  }

  // Writes the map if the caller provides it.
  bool replaced(const Field& field) {
    bool empty = true;
    const bool has = maps_(field.name, [&](std::string_view key, std::string_view value) {
      if (std::exchange(empty, false)) {
        json_.key(field.name);
        json_.begin_object();
      }
      json_.member(key, value);
    });
    if (!empty) json_.end_object();
    return has;
  }

  void value(const FieldValue& from) {
    if (from.field().message) return message(from.message());
    json_.raw(scalar_json(from));
  }

  void map(const MessageView& from, const Field& field) {
    json_.begin_object();
    for (const auto& [key, held] : from.map(field)) {
      json_.key(key);
      const size_t mark = path_.size();
      if (!unknown_.empty()) append_key(key, path_);
      value(held);
      path_.resize(mark);
    }
    json_.end_object();
  }

  void list(const MessageView& from, const Field& field) {
    json_.begin_array();
    size_t index = 0;
    for (const FieldValue& item : from.values(field)) {
      const size_t mark = path_.size();
      if (!unknown_.empty()) append_index(index++, path_);
      value(item);
      path_.resize(mark);
    }
    json_.end_array();
  }

  const UnknownMembers& unknown_;
  const MapSource& maps_;
  std::string path_ = "$";  // of the object being written, if there are unknown members to look up
  JsonWriter json_{{.indent = 2, .escapes = JsonEscapes::kMinimal}};
};

}  // namespace

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
  static const MapSource kNoMaps;
  return Writer(unknown, kNoMaps).run(config.SerializeAsString());
}

std::string to_json(std::string_view wire, const MapSource& maps) {
  static const UnknownMembers kNone;
  return Writer(kNone, maps).run(wire);
}

}  // namespace sunup::contract
