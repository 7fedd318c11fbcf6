// The identity of this VM and the data from its creator: from the provisioning disc, from the instance metadata
// service, or from both, depending on the platform. If both exist, they must agree: a disc or a reply that belongs to
// another VM must not become this node's identity.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "azure/instance.h"
#include "azure/ovf_env.h"
#include "base/result.h"
#include "host/host.h"

namespace sunup::guest {

struct ProvisioningData {
  azure::OvfEnvironment environment;  // with the more precise data of the metadata service
  std::string vm_id;                  // empty: neither the firmware nor the metadata service provides it
  std::string from;                   // "disc", "metadata service", "disc and metadata service"
  bool has_disc = false;
  std::optional<std::string> user_data = {};  // empty: the metadata service was not available
  std::string instance_document = {};         // the answer of the metadata service
};

struct Patience {
  host::Duration address = std::chrono::minutes(20);
  host::Duration metadata = std::chrono::minutes(5);             // without a disc it is the only source
  host::Duration metadata_with_disc = std::chrono::seconds(20);  // the disc has enough
  // How long to wait for a disc that is required because the VM has custom data. Zero: the user data of the metadata
  // service is enough.
  host::Duration disc = std::chrono::seconds(30);
};

using Note = std::function<void(const std::string&)>;

// Reads the disc at once, and then waits until this machine has an address.
host::Task<Result<ProvisioningData>> find_provisioning_data(host::Host& host, Patience patience, Note note);

// Asks until the service sends a valid reply. The error is that of the last attempt; it has an errno if the service
// could not be reached.
host::Task<Result<azure::Instance>> ask_metadata_service(host::Host& host, host::Duration limit, Note note);

// Combines both sources. An error if they contradict each other; `firmware_id` may be empty. For tests.
Result<ProvisioningData> combined(const azure::OvfEnvironment* disc, const azure::Instance* instance,
                                  const std::string& firmware_id);

}  // namespace sunup::guest
