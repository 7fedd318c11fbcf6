// What may become a host name, a user name or a line of authorized_keys on this node. The values come from the platform
// and from whoever created the VM, and end up in files that have a syntax of their own.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace sunup::azure {

// Labels of letters, digits and '-', at most 63 characters each and 253 in all.
Result<void> check_host_name(std::string_view name);
// What useradd accepts everywhere: at most 32 characters, [A-Za-z_][A-Za-z0-9_-]*. root is refused.
Result<void> check_user_name(std::string_view name);
// "ssh-rsa AAAA... comment": one line whose first word is a type of key and whose second is base64. Line breaks inside
// the value are removed first, because portals send keys with them. The result is the line.
Result<std::string> public_key_line(std::string_view value);
// How a VM was pre-provisioned, in one spelling: empty if it was not, which the platform writes as nothing, "None" or
// "Unknown" in any case. A type that is not known here stays as it is.
std::string preprovisioned_type(std::string_view value);

}  // namespace sunup::azure
