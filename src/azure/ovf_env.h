// ovf-env.xml, the document on the provisioning disc: who this VM is and what its creator sent along.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/secret.h"

namespace sunup::azure {

struct OvfEnvironment {
  std::string host_name;
  std::string user_name;  // empty: none is wanted
  Secret password;        // empty: none
  std::optional<bool> password_login_disabled;
  std::vector<std::string> public_keys;  // as sent; azure/names.h checks them
  bool keys_by_fingerprint = false;      // a key is named that only the wire server's certificates hold
  std::string custom_data;               // decoded; empty: there is none
  bool guest_agent = true;               // false: waagent is to do nothing
  std::string preprovisioned;            // "", "Running", "Savable", "PreprovisionedOSDisk"; others as they are
};

// The host name is checked. An element that is there twice is an error.
Result<OvfEnvironment> read_ovf_env(std::string_view document);

// The document that waagent and support tools look for in /var/lib/waagent. It has neither the password nor the custom
// data, which may hold credentials.
std::string ovf_env_for_agent(const OvfEnvironment& environment);

// The same with everything: read_ovf_env() of it gives the environment back.
std::string ovf_env_with_secrets(const OvfEnvironment& environment);

}  // namespace sunup::azure
