// Reads replies of systemd's manager.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/real/sdbus.h"

namespace sunup::host::real {

inline constexpr const char* kUnitInterface = "org.freedesktop.systemd1.Unit";
inline constexpr const char* kProperties = "org.freedesktop.DBus.Properties";

Error protocol_error(std::string_view what, int status);

// Appends the value of a property that is a list of strings to `into`.
int read_strings(const SdBus& sd, sd_bus_message* message, std::vector<std::string>* into);

// The reply to GetAll. `read` gets the name of each property and must read or skip its value. The status is negative if
// any part cannot be read.
int read_properties(const SdBus& sd, sd_bus_message* message, const std::function<int(std::string_view name)>& read);

}  // namespace sunup::host::real
