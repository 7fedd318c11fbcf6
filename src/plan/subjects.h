// The parts of the step catalogue: one function, in its own file, for each subject.
#pragma once

#include <vector>

#include "plan/declaration.h"

namespace sunup::plan {

using Declarations = std::vector<Declaration>;

Declarations metadata_steps();
Declarations kernel_steps();
Declarations runtime_steps();
Declarations network_steps();
Declarations cni_steps();
Declarations identity_steps();
Declarations kubelet_steps();
Declarations binary_steps();
Declarations check_steps();
Declarations leftover_steps();
Declarations later_steps();
Declarations dns_steps();
Declarations access_steps();
Declarations image_steps();
Declarations search_domain_steps();
Declarations image_check_steps();
Declarations gpu_steps();
Declarations gpu_instance_steps();
Declarations gpu_offer_steps();
Declarations gpu_prebake_steps();
Declarations bootstrap_steps();
Declarations registry_login_steps();
Declarations cloud_trust_steps();
Declarations disk_steps();
Declarations join_steps();

// Whether /var/lib/kubelet is on the resource disk.
inline bool on_temporary_disk(const Subject& s) {
  return s.config.kubelet_config().kubelet_disk_type() == aksnodeconfig::v1::KUBELET_DISK_TEMP_DISK;
}

// Whether trust.cloud is part of the plan, regardless of its phase.
bool asks_cloud_for_trust(const Subject& s);

// The other names that images.retag gives to an image in Azure China; none if it is not of the Microsoft registry.
Names names_in_china(std::string_view image);

// Whether it is a step that only waits for what others do, so that no hook can come before it.
bool is_only_observed(std::string_view name);

}  // namespace sunup::plan
