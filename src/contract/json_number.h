// What a JSON number means as a field's value. The text must be a number by the JSON grammar.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sunup::contract {

// "100", "1e2" and "100.0" are all 100; nothing for a fraction or what does not fit.
std::optional<int32_t> to_int32(std::string_view number);

// Nothing for what no double can hold ("1e400"); what is too small for one is 0.
std::optional<double> to_double(std::string_view number);

}  // namespace sunup::contract
