// The structural hash in Karpenter's drift annotations. It depends on the names of types and fields in the API's Go
// types, in declaration order, and on whether a field is a pointer (a zero behind a pointer is hashed, a plain zero is
// not). The tables are in node_class_hash.cc and node_pool_hash.cc.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sunup::fleet {

enum class GoKind {
  kText,
  kInt32,  // numbers and booleans are pointers
  kInt64,
  kBool,
  kDuration,          // a record with a plain number
  kDurationPointer,   // a pointer to one
  kNillableDuration,  // a record with a pointer to a number; nil for "Never"
  kTexts,             // a set
  kTextMap,
  kRecord,  // not a pointer
  kRecordPointer,
  kRecords,  // a set
};

struct GoRecord;
struct GoField {
  std::string_view go_name;
  const char* json_name;
  GoKind kind;
  const GoRecord* record = nullptr;
};
struct GoRecord {
  std::string_view go_name;
  std::span<const GoField> fields;
};

// In decimal. `path` is the path of `value`, for the error if something in it has the wrong type.
Result<std::string> go_hash(const GoRecord& record, const nlohmann::json& value, const std::string& path);

}  // namespace sunup::fleet
