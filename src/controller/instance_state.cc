#include "controller/instance_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "azure/instance.h"
#include "base/node_paths.h"
#include "base/text.h"
#include "controller/bootstrap.h"
#include "controller/result_files.h"
#include "engine/journal.h"
#include "engine/run.h"
#include "guest/agent_files.h"

namespace sunup::controller {
namespace {

constexpr char kKept[] = "ovf-env.xml";
constexpr char kUserDataThen[] = "user_data";
constexpr char kPool[] = "pool";
constexpr char kWritten[] = "files";
// Stands for the VM of unknown id from which a disk was captured.
constexpr char kFormerVm[] = "former";
constexpr char kReported[] = "reported";
constexpr char kUnknownVm[] = "unknown";
// The VM that cloud-init has provisioned.
constexpr char kIdOfCloudInit[] = "/var/lib/cloud/data/instance-id";

// The state that belongs to one node: its config, the other files from its custom data, the credentials that the
// cluster has issued to it, and state that is valid for its devices and pods only.
constexpr const char* kOfOneVm[] = {paths::kUnfinished,
                                    paths::kRun,
                                    paths::kNodeConfig,
                                    paths::kNbcCommand,
                                    paths::kNodeCustomData,
                                    paths::kFeatures,
                                    paths::kResultService,
                                    paths::kHotfixPointer,
                                    paths::kHotfixBinary,
                                    paths::kKubeconfig,
                                    paths::kBootstrapKubeconfig,
                                    paths::kAzureJson,
                                    guest::kAgentDisabled,
                                    "/var/lib/kubelet/cpu_manager_state",
                                    "/var/lib/kubelet/memory_manager_state"};
constexpr const char* kTreesOfOneVm[] = {"/var/lib/kubelet/pki", "/etc/kubernetes/certs", "/var/lib/cni/results",
                                         "/var/lib/cni/networks", "/var/lib/cni/cache"};
// Each of them shows that a node was provisioned on this disk.
constexpr const char* kOfAProvisionedNode[] = {paths::kComplete, paths::kUnfinished, paths::kKubeconfig,
                                               paths::kBootstrapKubeconfig, paths::kClientCertificate};

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

Result<bool> InstanceState::has_begun() {
  return node_.files.exists(std::string(kInstances) + "/" + name_);
}

Result<void> InstanceState::all_done() {
  if (auto left = leave(kDoneMark); !left) return left;
  return forget_data();
}

Result<void> InstanceState::forget_data() {
  if (auto removed = node_.files.remove(path(kUserDataThen)); !removed) return removed;
  return node_.files.remove_durable(path(kKept));
}

std::string InstanceState::fingerprint_of(const std::string& user_data) {
  return fmt::format("{:016x}", engine::Journal::fingerprint(user_data));
}

Result<void> InstanceState::keep(const guest::ProvisioningData& data) {
  // If a power failure loses it, the effect is the same as if the metadata service had not answered. Data that was kept
  // earlier does not contain it and does not change.
  if (data.user_data)
    if (auto noted = node_.files.write(path(kUserDataThen), fingerprint_of(*data.user_data), 0600); !noted)
      return noted;
  return node_.files.write_durable(path(kKept), azure::ovf_env_with_secrets(data.environment), 0600);
}

Result<void> InstanceState::in_pool(const InPool& pool) {
  return node_.files.write_durable(path(kPool),
                                   pool.type + (pool.has_reported ? std::string(" ") + kReported : "") + "\n");
}

Result<std::optional<InstanceState::InPool>> InstanceState::pool() {
  const auto text = node_.files.read_if_there(path(kPool), 4096);
  if (!text) return text.error();
  if (!*text) return std::optional<InPool>();
  const auto parts = words(**text);
  if (parts.empty()) return std::optional<InPool>();
  return std::optional(
      InPool{.type = std::string(parts[0]), .has_reported = parts.size() > 1 && parts[1] == kReported});
}

Result<std::optional<InstanceState::Kept>> InstanceState::kept() {
  const auto text = node_.files.read_if_there(path(kKept));
  if (!text) return text.error();
  if (!*text) return std::optional<Kept>();
  auto environment = azure::read_ovf_env(**text);
  if (!environment) return std::move(environment).error().in("the data of an earlier attempt");
  const auto then = node_.files.read_if_there(path(kUserDataThen), 4096);
  if (!then) return then.error();
  const bool whole = *then && (*then)->size() == fingerprint_of("").size();
  return std::optional(Kept{*std::move(environment), whole ? **then : ""});
}

Result<void> InstanceState::note_written(const std::vector<std::string>& paths) {
  const auto before = has(kWritten);
  if (!before) return before.error();
  if (paths.empty() && !*before) return {};
  return node_.files.write(path(kWritten), joined(paths, "\n") + "\n", 0600);
}

Result<std::vector<std::string>> InstanceState::written() {
  const auto text = node_.files.read_if_there(path(kWritten));
  if (!text) return text.error();
  std::vector<std::string> paths;
  if (!*text) return paths;
  for (const std::string_view line : split(**text, '\n'))
    if (line.starts_with('/')) paths.emplace_back(line);
  return paths;
}

// Whether a node was provisioned on this disk, and neither our marks nor cloud-init's identify it as this VM.
Result<bool> InstanceState::has_state_of_unknown_origin() {
  bool any = false;
  for (const char* path : kOfAProvisionedNode) {
    const auto there = node_.files.exists(path);
    if (!there) return there.error();
    any = any || *there;
  }
  if (!any || name_ == kUnknownVm) return any;
  const auto id = node_.files.read_if_there(kIdOfCloudInit, 4096);
  if (!id) return id.error();
  // cloud-init may have stored the id in the other byte order.
  return !*id || (azure::vm_id_of(**id, true) != name_ && azure::vm_id_of(**id, false) != name_);
}

Result<void> InstanceState::remove_state_of_a_vm() {
  if (auto cleared = clear_results(node_); !cleared) return cleared;
  for (const char* path : kOfOneVm)
    if (auto removed = node_.files.remove(path); !removed) return removed;
  for (const char* tree : kTreesOfOneVm)
    if (auto removed = node_.files.remove_tree(tree); !removed) return removed;
  return node_.files.remove(engine::Options().journal);
}

host::Task<Result<void>> InstanceState::forget_other_vms(std::string host_name) {
  auto others = node_.files.list_if_there(kInstances);
  if (!others) co_return std::move(others).error();
  const bool has_marks = std::erase(*others, name_) > 0;
  if (name_ == kUnknownVm) {
    const auto name = node_.files.read_if_there(paths::kHostName, 4096);
    if (!name) co_return name.error();
    if (*name && equal_ignoring_case(trimmed(**name), host_name)) co_return Result<void>();
    if (has_marks) others->push_back(name_);
  }
  if (others->empty()) {
    const auto foreign = has_marks ? Result<bool>(false) : has_state_of_unknown_origin();
    if (!foreign) co_return foreign.error();
    if (!*foreign) co_return Result<void>();
    // What shows this is removed first. After an interruption, this mark shows it.
    if (auto marked = InstanceState(node_, kFormerVm).identity_made(); !marked) co_return marked;
    others->push_back(kFormerVm);
  }
  node_.log.info("this disk was captured from another VM: its state is removed", {{"vm", joined(*others, " ")}});
  for (const std::string& other : *others) {
    const auto written = InstanceState(node_, other).written();
    if (!written) co_return written.error();
    for (const std::string& path : *written)
      if (auto removed = node_.files.remove(path); !removed) co_return removed;
  }
  if (auto removed = remove_state_of_a_vm(); !removed) co_return removed;
  if (auto durable = co_await node_.files.sync(); !durable) co_return durable;
  // Removed last, so that a run that is interrupted before this starts over.
  for (const std::string& other : *others)
    if (auto removed = node_.files.remove_tree(std::string(kInstances) + "/" + other); !removed) co_return removed;
  co_return co_await node_.files.sync();
}

}  // namespace sunup::controller
