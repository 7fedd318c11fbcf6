// Checks values that become a host name, a user name or a line of authorized_keys on this node. The values come from
// the platform and from the user who created the VM, and are written to files that have a syntax of their own.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace sunup::azure {

// Labels of letters, digits and '-', at most 63 characters each and 253 in total.
Result<void> check_host_name(std::string_view name);
// The names that useradd accepts on every distribution: at most 32 characters, [A-Za-z_][A-Za-z0-9_-]*. root is
// refused.
Result<void> check_user_name(std::string_view name);
// "ssh-rsa AAAA... comment": one line whose first word is a key type and whose second word is base64. Line breaks
// inside the value are removed first, because portals send keys with line breaks. Returns the line.
Result<std::string> public_key_line(std::string_view value);
// How a VM was pre-provisioned, in one spelling: empty if it was not, which the platform writes as nothing, "None" or
// "Unknown" in any case. A type that is not known here stays as it is.
std::string preprovisioned_type(std::string_view value);

}  // namespace sunup::azure
