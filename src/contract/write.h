// The canonical text of a config: snake_case names, enum names, fields in the order of the contract, map keys sorted by
// bytes, two spaces of indent, what is unset left out, a newline at the end. Equal configs give equal bytes, and
// loading the text gives the config back.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "contract/load.h"
#include "contract/message_view.h"

namespace sunup::contract {

std::string to_json(const Configuration& config);
// The same with what the text it was read from said beyond the contract, behind the known fields of each object and
// sorted by name.
std::string to_json(const Configuration& config, const UnknownMembers& unknown);

// Entries of maps of texts that a caller has in another form than the config, which costs less than copying them into
// it: calls `entry` for each entry of the map field, sorted by the bytes of the keys, and returns whether it has the
// field.
using MapEntry = std::function<void(std::string_view key, std::string_view value)>;
using MapSource = std::function<bool(std::string_view field, const MapEntry& entry)>;
// `wire` is a serialized config; the maps that `maps` has replace those of the config.
std::string to_json(std::string_view wire, const MapSource& maps);

// A value that is no message.
std::string scalar_json(const FieldValue& value);

}  // namespace sunup::contract
