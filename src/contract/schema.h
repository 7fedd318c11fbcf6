// The contract as a JSON Schema (2020-12), for editors and programs that create configs.
//
// It accepts what the loader accepts: both spellings of every name (but not both at once), numbers as strings, enums by
// name or number, null for "unset", and fields and enum names that it does not know. A value that has the right
// structure but is refused by the loader ("1.5" for a whole number) may be accepted.
#pragma once

#include <string>

namespace sunup::contract {

std::string json_schema();

}  // namespace sunup::contract
