// Loads a node config: tolerant of content from a newer control plane, strict about content that cannot be read safely.
//
// Tolerated, and reported in `findings`: unknown fields (also those given twice, and keys given twice inside them),
// unknown enum names (the field stays unset) and numbers (kept), version v0. Refused, with an Error whose text is
// "file:line:column: path: reason": anything that is not strict JSON, a wrong type, a field or map key given twice
// (also once as snake_case and once as camelCase), invalid UTF-8, a NUL, nesting beyond 100, more than 16 MiB, any
// other version. No part of a refused config is used.
//
// Findings and errors do not contain the value of a field marked (sunup.secret) or of an unknown field.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "aksnodeconfig/v1/configuration.pb.h"
#include "base/result.h"
#include "contract/finding.h"

namespace sunup::contract {

using Configuration = aksnodeconfig::v1::Configuration;

inline constexpr size_t kMaxConfigBytes = 16u << 20;

// Content that `Configuration` has no field for: names and values (canonical JSON), by the path of the enclosing
// object. Kept for callers that pass the config on to a newer image. If a name is given twice, the last one is used.
using UnknownMembers = std::map<std::string, std::map<std::string, std::string>, std::less<>>;

struct Loaded {
  Configuration config;
  std::vector<Finding> findings;
  UnknownMembers unknown;  // unknown fields, and fields whose enum name is unknown
};

// The place of each value in the text, by its path.
using Places = std::map<std::string, Position, std::less<>>;

// Additional information for the check. It costs time, so it is optional.
struct Details {
  Places places;
  Finding refusal;  // the content of the Error, in parts
};

// The error for a text larger than kMaxConfigBytes, for callers that stopped reading there.
Error refused_as_too_large(std::string_view file, Details* details = nullptr);

Result<Loaded> load_text(std::string_view text, std::string_view file, Details* details = nullptr);

// An Error with os_errno set means that the file could not be read; otherwise its text was refused.
Result<Loaded> load_file(const std::string& path, Details* details = nullptr);

// How long the writer of a config that is a pipe may take, because the caller waits.
inline constexpr std::chrono::seconds kConfigPatience(15);

// The bytes of a config file; the error is that of read_input_within().
Result<std::string> read_config_file(const std::string& path);

}  // namespace sunup::contract
