// Who this VM is and what its creator sent to it: from the provisioning disc, from the instance metadata service, or
// from both, whichever the platform offers. What they both say must agree: a disc or an answer that belongs to another
// VM must not become this node's identity.
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
  azure::OvfEnvironment environment;  // with what the metadata service knows better
  std::string vm_id;                  // empty: neither the firmware nor the metadata service says
  std::string from;                   // "disc", "metadata service", "disc and metadata service"
  bool has_disc = false;
  std::optional<std::string> user_data = {};  // empty: the metadata service was not available
  std::string instance_document = {};         // the answer of the metadata service
};

struct Patience {
  host::Duration address = std::chrono::minutes(20);
  host::Duration metadata = std::chrono::minutes(5);             // without a disc there is nothing else
  host::Duration metadata_with_disc = std::chrono::seconds(20);  // the disc says enough
  // For a disc that must come, because the VM has custom data. Zero: the user data of the metadata service is enough.
  host::Duration disc = std::chrono::seconds(30);
};

using Note = std::function<void(const std::string&)>;

// Reads the disc at once and then waits for an address of this machine.
host::Task<Result<ProvisioningData>> find_provisioning_data(host::Host& host, Patience patience, Note note);

// Asks until the service answers with something that can be read. The error is that of the last attempt; it has an
// errno if the service could not be reached.
host::Task<Result<azure::Instance>> ask_metadata_service(host::Host& host, host::Duration limit, Note note);

// What both say together. An error if they contradict each other; `firmware_id` may be empty. For tests.
Result<ProvisioningData> combined(const azure::OvfEnvironment* disc, const azure::Instance* instance,
                                  const std::string& firmware_id);

}  // namespace sunup::guest
