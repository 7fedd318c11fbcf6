// Formats numbers as in the environment.
#pragma once

#include <cstdint>
#include <string>

namespace sunup::render {

std::string number_text(int64_t value);

// The fewest digits that read back as the same double: plain from 1e-4 up to below 1e6, otherwise with an exponent of
// at least two digits ("0.5", "10", "1e+06", "1e-05"); "NaN", "+Inf", "-Inf", "-0".
std::string number_text(double value);

}  // namespace sunup::render
