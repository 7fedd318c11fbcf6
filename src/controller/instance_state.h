// What `bootstrap` remembers of the VM that this disk belongs to, and what it forgets of the VM that the disk was
// captured from.
#pragma once

#include <optional>
#include <string>

#include "azure/ovf_env.h"
#include "controller/node.h"

namespace sunup::controller {

class InstanceState {
 public:
  InstanceState(Node& node, const std::string& vm_id);

  Result<bool> done();           // identity, provisioning and report: nothing is left to do on this VM
  Result<bool> has_identity();   // user and host keys are made
  Result<void> identity_made();  // durable when it returns
  Result<void> all_done();       // the same
  // The provisioning data, for an attempt after a reboot: the disc is gone then. Root alone can read it. It is removed
  // when all is done.
  Result<void> keep(const azure::OvfEnvironment& environment);
  Result<std::optional<azure::OvfEnvironment>> kept();
  // Removes results, config and credentials of every other VM.
  Result<void> forget_other_vms();

 private:
  std::string path(const char* mark) const;
  Result<bool> has(const char* mark);
  Result<void> leave(const char* mark);

  Node& node_;
  const std::string name_;
};

}  // namespace sunup::controller
