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

class InstanceState;

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

// Writes the files of the custom data as files of root, except the node config and the command. Other programs start
// when these two appear, so write_triggers() writes them after everything else is set. Files that may contain
// credentials are readable by root only, whatever mode the custom data gives.
// write_custom_data() also removes the config, the command and the files for this program that an earlier attempt wrote
// and that are not among the given files.
Result<void> write_custom_data(Node& node, InstanceState& state, const std::vector<azure::NodeFile>& files);
Result<void> write_triggers(Node& node, const std::vector<azure::NodeFile>& files);

}  // namespace sunup::controller
