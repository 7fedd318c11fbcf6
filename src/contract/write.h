// The canonical text of a config: snake_case names, enum names, fields in the order of the contract, map keys sorted by
// bytes, two spaces of indent, unset fields omitted, a newline at the end. Equal configs give equal bytes, and loading
// the text returns the same config.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "contract/load.h"
#include "contract/message_view.h"

namespace sunup::contract {

std::string to_json(const Configuration& config);
// The same, including the unknown members of the text that the config was read from. They follow the known fields of
// each object, sorted by name.
std::string to_json(const Configuration& config, const UnknownMembers& unknown);

// Entries of string maps that a caller has in another form than the config, to avoid copying them into it. Calls
// `entry` for each entry of the map field, sorted by the bytes of the keys, and returns whether it has the field.
using MapEntry = std::function<void(std::string_view key, std::string_view value)>;
using MapSource = std::function<bool(std::string_view field, const MapEntry& entry)>;
// `wire` is a serialized config; maps that `maps` provides replace those of the config.
std::string to_json(std::string_view wire, const MapSource& maps);

// A value that is not a message.
std::string scalar_json(const FieldValue& value);

}  // namespace sunup::contract
