// "Did you mean ...?": the known name that is most similar to an unknown one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract/fields.h"

namespace sunup::contract {

// How many letters to insert, drop, change or swap with their neighbour to turn one name into the other, without
// regard to case and underscores.
size_t name_distance(std::string_view a, std::string_view b);

// The nearest of `known`, if it is similar enough to be a likely typo.
std::optional<std::string> nearest(std::string_view name, const std::vector<std::string_view>& known,
                                   size_t farthest = std::string_view::npos);

// For a field that `fields` does not have: the most similar name, or the message that contains it.
std::string nearest_field_hint(std::string_view name, const MessageFields& fields);

std::string nearest_enum_hint(std::string_view name, const EnumType& type);

// "NETWORK_PLUGIN_NONE (1), NETWORK_PLUGIN_AZURE (2), ..."
std::string enum_values(const EnumType& type);

}  // namespace sunup::contract
