// The canonical text of a config: snake_case names, enum names, fields in the order of the contract, map keys sorted by
// bytes, two spaces of indent, what is unset left out, a newline at the end. Equal configs give equal bytes, and
// loading the text gives the config back.
#pragma once

#include <string>

#include "contract/load.h"
#include "contract/message_view.h"

namespace sunup::contract {

std::string to_json(const Configuration& config);
// The same with what the text it was read from said beyond the contract, behind the known fields of each object and
// sorted by name.
std::string to_json(const Configuration& config, const UnknownMembers& unknown);

// A value that is no message.
std::string scalar_json(const FieldValue& value);

}  // namespace sunup::contract
