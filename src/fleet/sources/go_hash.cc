#include "fleet/sources/go_hash.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "base/duration.h"
#include "base/fnv.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;

template <class Integer>
uint64_t hash_integer(Integer value) {
  char bytes[sizeof value];
  for (size_t i = 0; i < sizeof value; ++i) bytes[i] = static_cast<char>(static_cast<uint64_t>(value) >> (8 * i));
  return fnv1_64({bytes, sizeof bytes});
}

uint64_t combine(uint64_t first, uint64_t second) {
  char bytes[16];
  for (int i = 0; i < 8; ++i) {
    bytes[i] = static_cast<char>(first >> (8 * i));
    bytes[8 + i] = static_cast<char>(second >> (8 * i));
  }
  return fnv1_64({bytes, sizeof bytes});
}

uint64_t finish(uint64_t hash) {
  return hash_integer(hash);
}

// A record with one integer field, which both duration types are.
uint64_t hash_duration(std::string_view type, int64_t nanoseconds, bool zero_counts) {
  const uint64_t name = fnv1_64(type);
  if (nanoseconds == 0 && !zero_counts) return name;
  return finish(name ^ combine(fnv1_64("Duration"), hash_integer(nanoseconds)));
}

struct WrongType {
  std::string path;
  const char* wanted;
};

struct RecordHash {
  uint64_t hash = 0;
  bool zero = true;  // no field of it is hashed
};
RecordHash hash_record(const GoRecord& record, const json& value, const std::string& path);

// The hash of a field's value; empty if the value is zero according to the record's type.
std::optional<uint64_t> hash_value(const GoField& field, const json& value, const std::string& path) {
  const auto require = [&](bool right, const char* wanted) {
    if (!right) throw WrongType{path, wanted};
  };
  const auto text_hash = [&](const json& item, const char* wanted) {
    require(item.is_string(), wanted);
    return fnv1_64(item.get_ref<const std::string&>());
  };
  switch (field.kind) {
    case GoKind::kText: {
      const uint64_t hash = text_hash(value, "a string");
      return value.get_ref<const std::string&>().empty() ? std::nullopt : std::optional(hash);
    }
    case GoKind::kInt32:
      require(value.is_number_integer(), "a whole number");
      return hash_integer(static_cast<int32_t>(value.get<int64_t>()));
    case GoKind::kInt64:
      require(value.is_number_integer(), "a whole number");
      return hash_integer(value.get<int64_t>());
    case GoKind::kBool:
      require(value.is_boolean(), "true or false");
      return fnv1_64(std::string_view(value.get<bool>() ? "\1" : "\0", 1));
    case GoKind::kDuration:
    case GoKind::kDurationPointer:
    case GoKind::kNillableDuration: {
      require(value.is_string(), "a duration such as 100ms");
      const auto& text = value.get_ref<const std::string&>();
      if (field.kind == GoKind::kNillableDuration && text == "Never") return std::nullopt;
      const auto duration = parse_go_duration(text);
      require(duration.has_value(), "a duration such as 100ms");
      const int64_t nanoseconds = duration->count();
      if (field.kind == GoKind::kNillableDuration) return hash_duration("NillableDuration", nanoseconds, true);
      if (field.kind == GoKind::kDuration && nanoseconds == 0) return std::nullopt;
      return hash_duration("Duration", nanoseconds, false);
    }
    case GoKind::kTexts: {
      require(value.is_array(), "a list of strings");
      uint64_t hash = 0;  // the order has no effect
      for (const json& item : value) hash ^= text_hash(item, "a list of strings");
      return hash;
    }
    case GoKind::kTextMap: {
      require(value.is_object(), "a map of strings");
      uint64_t hash = 0;
      for (const auto& [key, item] : value.items()) hash ^= combine(fnv1_64(key), text_hash(item, "a map of strings"));
      return finish(hash);
    }
    case GoKind::kRecord:
    case GoKind::kRecordPointer: {
      const RecordHash inner = hash_record(*field.record, value, path);
      return inner.zero && field.kind == GoKind::kRecord ? std::nullopt : std::optional(inner.hash);
    }
    case GoKind::kRecords: {
      require(value.is_array(), "a list of objects");
      uint64_t hash = 0;
      for (size_t i = 0; i < value.size(); ++i)
        hash ^= hash_record(*field.record, value[i], fmt::format("{}[{}]", path, i)).hash;
      return hash;
    }
  }
  return std::nullopt;
}

RecordHash hash_record(const GoRecord& record, const json& value, const std::string& path) {
  if (!value.is_object()) throw WrongType{path, "an object"};
  RecordHash result{fnv1_64(record.go_name)};
  for (const GoField& field : record.fields) {
    const auto it = value.find(field.json_name);
    if (it == value.end() || it->is_null()) continue;
    const auto value_hash = hash_value(field, *it, path + "." + field.json_name);
    if (!value_hash) continue;
    result.hash = finish(result.hash ^ combine(fnv1_64(field.go_name), *value_hash));
    result.zero = false;
  }
  return result;
}

}  // namespace

Result<std::string> go_hash(const GoRecord& record, const json& value, const std::string& path) {
  try {
    return std::to_string(hash_record(record, value, path).hash);
  } catch (const WrongType& wrong) {
    return Error(fmt::format("{}: must be {}", wrong.path, wrong.wanted));
  }
}

}  // namespace sunup::fleet
