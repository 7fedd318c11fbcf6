// The contract as a JSON Schema (2020-12), for editors and for those who make configs.
//
// It accepts what the loader accepts: both spellings of every name (but not both at once), numbers as strings, enums by
// name or number, null for "unset", and fields and enum names that it does not know. A value that the loader refuses
// for more than its shape ("1.5" for a whole number) may still pass.
#pragma once

#include <string>

namespace sunup::contract {

std::string json_schema();

}  // namespace sunup::contract
