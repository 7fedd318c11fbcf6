// The JSON Schema of the request that provision_profile.h reads. A test compares the two member by member.
#pragma once

#include <string>

namespace sunup::fleet {

// A member whose description begins with "ignored" is accepted whatever it is.
std::string provision_values_schema();

}  // namespace sunup::fleet
