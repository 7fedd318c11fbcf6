// Reads a node config: tolerant of what a newer control plane may send, strict about what cannot be read safely.
//
// Tolerated, and reported in `findings`: unknown fields (also those given twice, and keys given twice inside them),
// unknown enum names (the field stays unset) and numbers (kept), version v0. Refused, with an Error whose text is
// "file:line:column: path: reason": anything that is not JSON by the letter, a wrong type, a field or map key given
// twice (also once as snake_case and once as camelCase), invalid UTF-8, a NUL, nesting beyond 100, more than 16 MiB,
// any other version. Nothing of a refused config is used.
//
// Neither findings nor errors hold the value of a field marked (sunup.secret), nor that of an unknown one.
#pragma once

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

// What a text says that `Configuration` has no place for: names and values (canonical JSON), by the path of the object
// they stand in. Kept for those who hand the config on to a newer image. Of a name given twice the last
// counts.
using UnknownMembers = std::map<std::string, std::map<std::string, std::string>, std::less<>>;

struct Loaded {
  Configuration config;
  std::vector<Finding> findings;
  UnknownMembers unknown;  // unknown fields, and fields whose enum name is unknown
};

// Where each value stands in the text, by its path.
using Places = std::map<std::string, Position, std::less<>>;

// More about a reading, for those who judge what was loaded. Costs time, so it has to be asked for.
struct Details {
  Places places;
  Finding refusal;  // what the Error says, in parts
};

// What is said of a text beyond kMaxConfigBytes, for those who stopped reading there.
Error refused_as_too_large(std::string_view file, Details* details = nullptr);

Result<Loaded> load_text(std::string_view text, std::string_view file, Details* details = nullptr);

// An Error with os_errno set means the file could not be read; without, that its text was refused.
Result<Loaded> load_file(const std::string& path, Details* details = nullptr);

// The bytes of a config file, at most kMaxConfigBytes.
Result<std::string> read_config_file(const std::string& path);

}  // namespace sunup::contract
