#include "controller/instance_state.h"

#include "base/node_paths.h"
#include "controller/bootstrap.h"
#include "controller/result_files.h"
#include "engine/run.h"

namespace sunup::controller {
namespace {

constexpr char kIdentityMark[] = "identity";
constexpr char kDoneMark[] = "done";
constexpr char kKept[] = "ovf-env.xml";
constexpr char kUnknownVm[] = "unknown";

// What would make this node another one: its config, the address that gets its result and with it its token, and the
// credentials that the cluster gave to it.
constexpr const char* kOfOneVm[] = {paths::kUnfinished,         paths::kRun,           paths::kNodeConfig,
                                    paths::kNbcCommand,         paths::kResultService, paths::kKubeconfig,
                                    paths::kBootstrapKubeconfig};
constexpr char kKubeletCertificates[] = "/var/lib/kubelet/pki";

}  // namespace

InstanceState::InstanceState(Node& node, const std::string& vm_id)
    : node_(node), name_(vm_id.empty() ? kUnknownVm : vm_id) {}

std::string InstanceState::path(const char* mark) const {
  return std::string(kInstances) + "/" + name_ + "/" + mark;
}

Result<bool> InstanceState::has(const char* mark) {
  return node_.files.exists(path(mark));
}

Result<void> InstanceState::leave(const char* mark) {
  return node_.files.write_durable(path(mark), "");
}

Result<bool> InstanceState::done() {
  return has(kDoneMark);
}

Result<bool> InstanceState::has_identity() {
  return has(kIdentityMark);
}

Result<void> InstanceState::identity_made() {
  return leave(kIdentityMark);
}

Result<void> InstanceState::all_done() {
  if (auto left = leave(kDoneMark); !left) return left;
  return node_.files.remove_durable(path(kKept));
}

Result<void> InstanceState::keep(const azure::OvfEnvironment& environment) {
  return node_.files.write_durable(path(kKept), azure::ovf_env_with_secrets(environment), 0600);
}

Result<std::optional<azure::OvfEnvironment>> InstanceState::kept() {
  const auto text = node_.files.read_if_there(path(kKept));
  if (!text) return text.error();
  if (!*text) return std::optional<azure::OvfEnvironment>();
  auto environment = azure::read_ovf_env(**text);
  if (!environment) return std::move(environment).error().in("the data of an earlier attempt");
  return std::optional(*std::move(environment));
}

Result<void> InstanceState::forget_other_vms() {
  if (name_ == kUnknownVm) return {};  // this may be any of them
  const auto known = node_.files.list_if_there(kInstances);
  if (!known) return known.error();
  for (const std::string& other : *known) {
    if (other == name_) continue;
    node_.log.info("this disk was captured from another VM: its state is removed", {{"vm", other}});
    if (auto cleared = clear_results(node_); !cleared) return cleared;
    for (const char* path : kOfOneVm)
      if (auto removed = node_.files.remove(path); !removed) return removed;
    if (auto removed = node_.files.remove(engine::Options().journal); !removed) return removed;
    if (auto removed = node_.files.remove_tree(kKubeletCertificates); !removed) return removed;
    // Last: a run that is cut off before starts over.
    if (auto removed = node_.files.remove_tree(std::string(kInstances) + "/" + other); !removed) return removed;
  }
  return {};
}

}  // namespace sunup::controller
