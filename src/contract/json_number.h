// Converts a JSON number to the value of a field. The text must be a number according to the JSON grammar.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sunup::contract {

// "100", "1e2" and "100.0" are all 100; empty for a fraction or a value that does not fit.
std::optional<int32_t> to_int32(std::string_view number);

// Empty for a value that is too large for a double ("1e400"); a value that is too small is 0.
std::optional<double> to_double(std::string_view number);

}  // namespace sunup::contract
