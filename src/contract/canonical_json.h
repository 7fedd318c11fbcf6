// One spelling for each JSON value, so that equal values are equal bytes: no white space, members in the order of their
// names, strings with the fewest escapes. Numbers stay as they are written: nothing is rounded.
#pragma once

#include <string>
#include <string_view>

namespace sunup::contract {

// `json` must be well-formed. Of a name that an object has twice the last counts.
std::string canonical_json(std::string_view json);

}  // namespace sunup::contract
