// Reading what systemd's manager answers.
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

// A property's value that is a list of texts, added to `into`.
int read_strings(const SdBus& sd, sd_bus_message* message, std::vector<std::string>* into);

// The answer to GetAll: `read` gets each property's name and must read its value or skip it. The status is negative if
// any of it cannot be read.
int read_properties(const SdBus& sd, sd_bus_message* message, const std::function<int(std::string_view name)>& read);

}  // namespace sunup::host::real
