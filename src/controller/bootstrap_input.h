// The input from which a VM is set up: its provisioning data, and the files in its custom data.
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

// The data is valid, but requests something that only cloud-init supports.
struct NotOurs {
  std::string why;
};

// Waits in the pool if the VM is pre-provisioned. `id` is empty if the firmware does not provide it. An error if the
// data is broken or missing.
host::Task<Result<std::variant<BootstrapInput, NotOurs>>> find_input(Node& node, std::string id,
                                                                     BootstrapOptions options);

// Writes the files so that only root can read them, except the node config and the command: other programs start when
// those appear, so write_triggers() writes them when everything else is set. Removes a config, a command and files for
// this program that an earlier attempt has written and that are not among them.
class InstanceState;
Result<void> write_custom_data(Node& node, InstanceState& state, const std::vector<azure::NodeFile>& files);
Result<void> write_triggers(Node& node, const std::vector<azure::NodeFile>& files);

}  // namespace sunup::controller
