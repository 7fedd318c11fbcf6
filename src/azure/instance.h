// The reply of the instance metadata service (IMDS) to /metadata/instance, limited to what a node's identity needs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sunup::azure {

inline constexpr size_t kLargestInstanceDocument = 1u << 20;

struct Instance {
  std::string vm_id;  // lower case
  std::string computer_name;
  std::string admin_user;
  std::optional<bool> password_login_disabled;
  std::vector<std::string> public_keys;
  std::string user_data;  // decoded
  std::optional<bool> has_custom_data;
  std::string preprovisioned;  // as in azure/ovf_env.h
  std::string document;        // the answer itself
};

// Fields may be absent: a VM that was created from a specialized disk has no osProfile. A field of the wrong type is an
// error.
Result<Instance> read_instance(std::string_view document);

// Converts the product UUID of DMI to the VM's id. On generation 1 VMs (without UEFI) the bytes of the first three
// fields are in reverse order. Empty if the text is not a UUID.
std::string vm_id_of(std::string_view product_uuid, bool has_uefi);

}  // namespace sunup::azure
