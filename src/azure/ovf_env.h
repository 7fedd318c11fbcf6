// ovf-env.xml, the document on the provisioning disc: the identity of this VM and the data that its creator has sent.
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
  std::string user_name;  // empty: no user is requested
  Secret password;        // empty: none
  std::optional<bool> password_login_disabled;
  std::vector<std::string> public_keys;  // as sent; azure/names.h checks them
  bool keys_by_fingerprint = false;      // refers to a key that only the wire server's certificates contain
  std::string custom_data;               // decoded; empty if there is none
  bool guest_agent = true;               // false: waagent must not do anything
  bool guest_proxy_agent = false;        // azure-proxy-agent stands between this VM and the platform's services
  std::string preprovisioned;            // "", "Running", "Savable", "PreprovisionedOSDisk", or another value as sent
};

// The host name is validated. An element that occurs twice is an error.
Result<OvfEnvironment> read_ovf_env(std::string_view document);

// The document that waagent and support tools read from /var/lib/waagent. It contains neither the password nor the
// custom data, which may contain credentials.
std::string ovf_env_for_agent(const OvfEnvironment& environment);

// The complete document: read_ovf_env() of it returns the same environment.
std::string ovf_env_with_secrets(const OvfEnvironment& environment);

}  // namespace sunup::azure
