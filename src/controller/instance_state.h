// The data that `bootstrap` stores about the VM to which this disk belongs, and the removal of what belongs to the VM
// from which the disk was captured.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "azure/ovf_env.h"
#include "controller/node.h"
#include "guest/provisioning_data.h"

namespace sunup::controller {

class InstanceState {
 public:
  InstanceState(Node& node, const std::string& vm_id);

  // Identity, provisioning and report: nothing is left to do on this VM.
  Result<bool> done() { return has(kDoneMark); }
  Result<void> all_done();  // durable when it returns, as the other marks
  // User and host keys are made.
  Result<bool> has_identity() { return has(kIdentityMark); }
  Result<void> identity_made() { return leave(kIdentityMark); }
  // The same for host keys alone, which a VM gets even if its data is broken.
  Result<bool> has_host_keys() { return has(kHostKeysMark); }
  Result<void> host_keys_made() { return leave(kHostKeysMark); }
  Result<bool> has_begun();  // an attempt for this VM has left something

  // Stores the provisioning data for an attempt after a reboot, when the disc no longer exists. Only root can read it.
  // It is removed when everything is done.
  Result<void> keep(const guest::ProvisioningData& data);
  struct Kept {
    azure::OvfEnvironment environment;
    std::string user_data_then;  // fingerprint of the user data at that time; empty: not known
  };
  Result<std::optional<Kept>> kept();
  Result<void> forget_data();  // durable when it returns
  // This VM is, or was, in a pool (guest/preprovisioned.h).
  struct InPool {
    std::string type;
    bool has_reported = false;
  };
  Result<void> in_pool(const InPool& pool);
  Result<std::optional<InPool>> pool();
  // The files of this program that the custom data of this VM has written, besides the config.
  Result<void> note_written(const std::vector<std::string>& paths);
  Result<std::vector<std::string>> written();
  static std::string fingerprint_of(const std::string& user_data);

  // Removes results, config and credentials that do not belong to this VM: those of every VM with other marks, and
  // those on a disk that has no marks of this VM. A VM without an id is recognised by its host name. Must be called
  // before the first mark of this VM is made; durable when it returns.
  host::Task<Result<void>> forget_other_vms(std::string host_name);

 private:
  static constexpr char kIdentityMark[] = "identity";
  static constexpr char kHostKeysMark[] = "host_keys";
  static constexpr char kDoneMark[] = "done";

  std::string path(const char* mark) const;
  Result<bool> has(const char* mark);
  Result<void> leave(const char* mark);
  Result<bool> has_state_of_unknown_origin();
  Result<void> remove_state_of_a_vm();

  Node& node_;
  const std::string name_;
};

}  // namespace sunup::controller
