// "Did you mean ...?": the known name that is most similar to an unknown one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sunup {

// A longer name is not a typo of a known one, and would be slow to compare.
inline constexpr size_t kLongestMisspelling = 100;

// Maps snake_case and camelCase of a name to the same text.
std::string folded_name(std::string_view name);

// How many letters to insert, drop, change or swap with their neighbour to turn one name into the other, without
// regard to case and underscores.
size_t name_distance(std::string_view a, std::string_view b);

// The nearest of `known`, if it is similar enough to be a likely typo.
std::optional<std::string> nearest(std::string_view name, const std::vector<std::string_view>& known,
                                   size_t farthest = std::string_view::npos);

}  // namespace sunup
