// The canonical form of a JSON value, in which equal values have equal bytes: no white space, members in the order of
// their names, strings with the fewest escapes. Numbers keep their spelling; nothing is rounded.
#pragma once

#include <string>
#include <string_view>

namespace sunup::contract {

// `json` must be well-formed. If an object has a name twice, the last one is used.
std::string canonical_json(std::string_view json);

}  // namespace sunup::contract
