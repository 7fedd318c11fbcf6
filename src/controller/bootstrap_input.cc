#include "controller/bootstrap_input.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "azure/names.h"
#include "base/node_paths.h"
#include "controller/instance_state.h"
#include "controller/report_ready.h"
#include "controller/result_files.h"
#include "guest/preprovisioned.h"

namespace sunup::controller {
namespace {

using Found = std::variant<BootstrapInput, NotOurs>;
using Kept = InstanceState::Kept;

// Whether an earlier attempt has ended with a failure, so that its data may be the cause. False if the attempt was
// interrupted.
bool has_failed(Node& node) {
  const auto result = recorded_result(node);
  const auto complete = node.files.exists(paths::kComplete);
  if (!result || !complete) return true;
  return *complete && (!*result || report::exit_code_of(**result).value_or(1) != 0);
}

// Damaged data counts as absent. Data that cannot be read is an error.
Result<std::optional<Kept>> kept_data(Node& node, const std::string& id) {
  if (id.empty()) return std::optional<Kept>();
  auto kept = InstanceState(node, id).kept();
  if (kept || kept.error().os_errno != 0) return kept;
  node.log.warn("continuing without the data of an earlier attempt", {{"error", kept.error().what}});
  return std::optional<Kept>();
}

// Whether a node can be provisioned from the user data alone. User data may also be meant for other programs.
bool is_for_a_node(const std::string& user_data) {
  const auto read = azure::read_custom_data(user_data);
  return read && read->not_understood.empty();
}

// The disc does not exist after a reboot, so the data that an earlier attempt has read from it is used, unless another
// disc has been attached or the user data has been corrected since.
bool is_newer(const guest::ProvisioningData& data, const Kept& kept) {
  if (data.has_disc) return true;
  if (!data.user_data || data.user_data->empty() || kept.user_data_then.empty()) return false;
  if (InstanceState::fingerprint_of(*data.user_data) == kept.user_data_then) return false;
  return InstanceState::fingerprint_of(kept.environment.custom_data) == kept.user_data_then ||
         is_for_a_node(*data.user_data);
}

guest::ProvisioningData of_earlier_attempt(Kept kept, std::string id) {
  return {.environment = std::move(kept.environment), .vm_id = std::move(id), .from = "an earlier attempt"};
}

host::Task<Result<guest::ProvisioningData>> find_data(Node& node, std::string id, guest::Patience patience,
                                                      guest::Note note) {
  auto read = kept_data(node, id);
  if (!read) co_return std::move(read).error();
  std::optional<Kept> kept = *std::move(read);
  if (!kept) co_return co_await guest::find_provisioning_data(node.host, patience, std::move(note));
  if (!has_failed(node)) co_return of_earlier_attempt(*std::move(kept), std::move(id));
  patience.metadata = patience.metadata_with_disc;
  patience.disc = host::Duration::zero();
  auto now = co_await guest::find_provisioning_data(node.host, patience, note);
  if (now && is_newer(*now, *kept)) co_return now;
  // Data that is damaged or that belongs to another VM is an error; it is not replaced by older data.
  if (!now && now.error().os_errno == 0) co_return now;
  if (!now) note("continuing with the data of an earlier attempt: " + now.error().what);
  co_return of_earlier_attempt(*std::move(kept), std::move(id));
}

host::Task<Result<guest::ProvisioningData>> data_of_pool(Node& node, std::string id, InstanceState::InPool pool,
                                                         bool known_before, BootstrapOptions options,
                                                         guest::Note note) {
  node.log.info("this VM is pre-provisioned: waiting until it is given away", {{"type", pool.type}});
  InstanceState state(node, id);
  // With this type, the disk becomes that of another VM, which is not in the pool.
  const bool remembers = pool.type != guest::kPoolOfDisks;
  if (remembers)
    if (auto marked = state.in_pool(pool); !marked) co_return std::move(marked).error();
  azure::ProvisioningReport report = empty_report(node, id);
  report.preprovisioned = pool.type;
  guest::Pool wait{.type = pool.type,
                   .has_reported = pool.has_reported,
                   .may_have_reported = known_before,
                   .report = std::move(report),
                   .report_limit = options.report_limit,
                   .metadata = options.patience.metadata_with_disc,
                   .reported = [&state, remembers, type = pool.type] {
                     return remembers ? state.in_pool({type, true}) : Result<void>();
                   }};
  co_return co_await guest::wait_until_given_away(node.host, std::move(wait), std::move(note));
}

// The first data of a VM that was in a pool is not read again: the disc describes the VM in the pool, and the metadata
// service may already describe the VM that it has become.
host::Task<Result<guest::ProvisioningData>> data_of_vm(Node& node, std::string id, BootstrapOptions options) {
  guest::Note note = [&node](const std::string& text) {
    node.log.warn("finding the provisioning data", {{"error", text}});
  };
  auto pool = InstanceState(node, id).pool();
  if (!pool) co_return std::move(pool).error();
  if (*pool) {
    auto kept = kept_data(node, id);
    if (!kept) co_return std::move(kept).error();
    if (*kept) co_return of_earlier_attempt(**std::move(kept), std::move(id));
    co_return co_await data_of_pool(node, std::move(id), **std::move(pool), true, options, std::move(note));
  }
  auto data = co_await find_data(node, id, options.patience, note);
  if (!data || !guest::is_known_pool(data->environment.preprovisioned)) co_return data;
  const std::string owner = id.empty() ? data->vm_id : std::move(id);
  co_return co_await data_of_pool(node, owner, {.type = data->environment.preprovisioned}, false, options,
                                  std::move(note));
}

}  // namespace

host::Task<Result<Found>> find_input(Node& node, std::string id, BootstrapOptions options) {
  auto data = co_await data_of_vm(node, std::move(id), options);
  if (!data) co_return std::move(data).error();
  const azure::OvfEnvironment& environment = data->environment;
  node.redactor.hide(environment.password.reveal());
  if (!environment.preprovisioned.empty())
    co_return Found(NotOurs{"this VM is pre-provisioned in a way that is not known (" +
                            environment.preprovisioned.substr(0, 40) + ")"});
  if (environment.guest_proxy_agent)
    co_return Found(NotOurs{"this VM reaches the platform's services only with azure-proxy-agent"});
  if (environment.keys_by_fingerprint) co_return Found(NotOurs{"an ssh key is in a certificate of the wire server"});
  if (environment.custom_data.empty()) co_return Found(NotOurs{"this VM has no custom data and no user data"});
  // Checked before anything is set: an invalid key must not leave a user without a key.
  for (const std::string& key : environment.public_keys)
    if (auto line = azure::public_key_line(key); !line) co_return std::move(line).error();
  auto custom_data = azure::read_custom_data(environment.custom_data);
  if (!custom_data) co_return std::move(custom_data).error();
  if (!custom_data->not_understood.empty()) co_return Found(NotOurs{"custom data: " + custom_data->not_understood});
  co_return Found(BootstrapInput{*std::move(data), *std::move(custom_data)});
}

namespace {

constexpr const char* kTriggers[] = {paths::kNodeConfig, paths::kNbcCommand};

bool is_trigger(const azure::NodeFile& file) {
  return std::ranges::find(kTriggers, file.path) != std::end(kTriggers);
}

// Files that may contain credentials. Custom data often does not give a mode.
mode_t mode_of(const azure::NodeFile& file) {
  const bool only_root = is_trigger(file) || file.path == paths::kNodeCustomData || file.path == paths::kResultService;
  return only_root ? file.mode & 0700 : file.mode;
}

// Whether this program reads the file besides the config, so that a later attempt must not find that of an earlier one.
bool changes_provisioning(std::string_view path) {
  return path.starts_with(std::string(paths::kHooks) + "/") || path == paths::kFeatures ||
         path == paths::kResultService;
}

// An existing file with the same content is not kept if another user owns it or if the path is a symbolic link,
// because it could be changed after it was checked.
Result<void> write_for_root(host::Files& files, const azure::NodeFile& file) {
  const auto info = files.info_if_there(file.path);
  if (!info) return info.error();
  const auto link = files.link_if_there(file.path);
  if (!link) return link.error();
  const bool ours = *info && (*info)->own && (*info)->kind == host::FileKind::kRegular && !*link;
  if (ours && (*info)->mode == mode_of(file) && (*info)->size == file.content.size()) {
    const auto text = files.read(file.path);
    if (!text) return text.error();
    if (*text == file.content) return {};
  }
  // Replacing a file would keep its owner, so the file is removed first.
  if (*info && !ours)
    if (auto removed = files.remove(file.path); !removed) return removed;
  return files.write(file.path, file.content, mode_of(file));
}

}  // namespace

Result<void> write_custom_data(Node& node, InstanceState& state, const std::vector<azure::NodeFile>& files) {
  auto stale = state.written();
  if (!stale) return std::move(stale).error();
  stale->insert(stale->end(), std::begin(kTriggers), std::end(kTriggers));
  std::vector<std::string> written;
  for (const azure::NodeFile& file : files) {
    std::erase(*stale, file.path);
    if (changes_provisioning(file.path) && file.path.find('\n') == std::string::npos) written.push_back(file.path);
  }
  for (const std::string& path : *stale)
    if (auto removed = node.files.remove(path); !removed) return removed;
  if (auto noted = state.note_written(written); !noted) return noted;
  for (const azure::NodeFile& file : files)
    if (!is_trigger(file))
      if (auto done = write_for_root(node.files, file); !done) return done;
  return {};
}

Result<void> write_triggers(Node& node, const std::vector<azure::NodeFile>& files) {
  for (const azure::NodeFile& file : files)
    if (is_trigger(file))
      if (auto written = write_for_root(node.files, file); !written) return written;
  return {};
}

}  // namespace sunup::controller
