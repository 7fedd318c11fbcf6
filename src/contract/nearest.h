// "Did you mean ...?" for fields and values of the contract.
#pragma once

#include <string>
#include <string_view>

#include "base/nearest.h"
#include "contract/fields.h"

namespace sunup::contract {

// For a field that `fields` does not have: the most similar name, or the message that contains it.
std::string nearest_field_hint(std::string_view name, const MessageFields& fields);

std::string nearest_enum_hint(std::string_view name, const EnumType& type);

// "NETWORK_PLUGIN_NONE (1), NETWORK_PLUGIN_AZURE (2), ..."
std::string enum_values(const EnumType& type);

}  // namespace sunup::contract
