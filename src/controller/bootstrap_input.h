// What a VM is to be set up from: its provisioning data, and the files in its custom data.
#pragma once

#include <string>
#include <variant>

#include "azure/custom_data.h"
#include "controller/bootstrap.h"
#include "controller/node.h"
#include "guest/provisioning_data.h"
#include "host/task.h"

namespace sunup::controller {

struct BootstrapInput {
  guest::ProvisioningData data;
  azure::CustomData custom_data;
};

// The data is sound, but requests something that only cloud-init does.
struct NotOurs {
  std::string why;
};

// `id` is empty if the firmware does not have it. An error: the data is broken or missing.
// Waits in the pool if the VM is pre-provisioned.
host::Task<Result<std::variant<BootstrapInput, NotOurs>>> find_input(Node& node, std::string id,
                                                                     BootstrapOptions options);

// Writes them for root. A node config or command of an earlier attempt that is not among them is removed.
Result<void> write_custom_data(Node& node, std::vector<azure::NodeFile> files);

}  // namespace sunup::controller
