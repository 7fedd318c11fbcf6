#include "controller/bootstrap.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <variant>

#include "azure/custom_data.h"
#include "azure/names.h"
#include "base/node_paths.h"
#include "controller/child_environment.h"
#include "controller/instance_state.h"
#include "controller/launch.h"
#include "controller/os_reason.h"
#include "controller/provision.h"
#include "controller/report_ready.h"
#include "controller/result_files.h"
#include "controller/single_flight.h"
#include "guest/agent_files.h"
#include "guest/azure_vm.h"
#include "guest/identity.h"
#include "host/running.h"

namespace sunup::controller {
namespace {

constexpr char kCloudInit[] = "/usr/bin/cloud-init";
constexpr char kCloudInitTarget[] = "cloud-init.target";

struct Input {
  guest::ProvisioningData data;
  azure::CustomData custom_data;
};
struct NotOurs {
  std::string why;  // cloud-init may know what to do
};
using Found = std::variant<Input, NotOurs>;

// What an attempt before a reboot has found is used again: the disc is there only until then.
host::Task<Result<guest::ProvisioningData>> find_data(Node& node, std::string id, BootstrapOptions options) {
  auto kept = InstanceState(node, id).kept();
  if (!kept) co_return std::move(kept).error();
  if (*kept && !id.empty()) co_return guest::ProvisioningData{**std::move(kept), id, "an earlier attempt"};
  guest::Note note = [&node](const std::string& text) {
    node.log.warn("finding the provisioning data", {{"error", text}});
  };
  co_return co_await guest::find_provisioning_data(node.host, options.patience, std::move(note));
}

host::Task<Result<Found>> find_input(Node& node, std::string id, BootstrapOptions options) {
  auto data = co_await find_data(node, std::move(id), options);
  if (!data) co_return std::move(data).error();
  const azure::OvfEnvironment& environment = data->environment;
  node.redactor.hide(environment.password.reveal());
  if (!environment.preprovisioned.empty())
    co_return Found(NotOurs{"this VM is pre-provisioned (" + environment.preprovisioned.substr(0, 40) + ")"});
  if (environment.keys_by_fingerprint) co_return Found(NotOurs{"an ssh key is in a certificate of the wire server"});
  if (environment.custom_data.empty()) co_return Found(NotOurs{"this VM has no custom data and no user data"});
  // Before anything is set: a bad key must not leave a user without one.
  for (const std::string& key : environment.public_keys)
    if (auto line = azure::public_key_line(key); !line) co_return std::move(line).error();
  auto custom_data = azure::read_custom_data(environment.custom_data);
  if (!custom_data) co_return std::move(custom_data).error();
  if (!custom_data->not_understood.empty()) co_return Found(NotOurs{"custom data: " + custom_data->not_understood});
  co_return Found(Input{*std::move(data), *std::move(custom_data)});
}

// The config and the command come last: other triggers start when they appear.
Result<void> write_files(Node& node, std::vector<azure::NodeFile> files) {
  std::ranges::stable_partition(files, [](const azure::NodeFile& file) {
    return file.path != paths::kNodeConfig && file.path != paths::kNbcCommand;
  });
  for (const azure::NodeFile& file : files) {
    const auto there = node.files.read_if_there(file.path);
    if (!there) return there.error();
    const bool same = *there && **there == file.content;
    auto written =
        same ? node.files.set_mode(file.path, file.mode) : node.files.write(file.path, file.content, file.mode);
    if (!written) return written;
  }
  return {};
}

host::Task<Result<void>> make_identity(Node& node, const guest::ProvisioningData& data, InstanceState& state) {
  const auto made = state.has_identity();
  if (!made) co_return made.error();
  if (*made) co_return Result<void>();
  std::vector<host::Task<Result<void>>> tasks;
  tasks.push_back(guest::make_user(node.host, data.environment));
  tasks.push_back(guest::make_host_keys(node.host));
  Result<void> done = co_await host::all(node.loop, std::move(tasks));
  if (!done) co_return done;
  if (auto left = guest::leave_agent_files(node.files, data.environment); !left) co_return left;
  // The mark must not outlive what it stands for.
  Result<void> durable = co_await node.files.sync();
  if (!durable) co_return durable;
  co_return state.identity_made();
}

Outcome no_identity(const Error& error) {
  return controller_failure("cannot make this node's identity: " + error.what);
}

// Reports as soon as there is a result. Deferred steps and the upload of logs go on meanwhile.
struct Reporting {
  explicit Reporting(host::Loop& loop) : identity_ended(loop), ended(loop) {}
  host::Slot<bool> identity_ended;  // it has been made, or cannot be
  std::optional<Error> identity_error;
  host::Slot<bool> ended;
  Result<void> reported = Error("there was no result to report");
};

host::Task<void> report_result(Node& node, Reporting& reporting, std::string vm_id, BootstrapOptions options) {
  auto appears = node.watch.path_appears(paths::kComplete);
  reporting.reported = co_await std::move(appears);
  // A failure is told at once. A success is one when the node's identity is made, too.
  const auto result = recorded_success(node);
  if (result && *result) {
    co_await reporting.identity_ended;
    if (reporting.identity_error) leave_failure(node, no_identity(*reporting.identity_error).result, true);
  }
  if (reporting.reported)
    reporting.reported = co_await report_ready(node, {.vm_id = std::move(vm_id), .limit = options.report_limit});
  if (!reporting.reported)
    node.log.error("Azure does not know the state of this node", {{"error", reporting.reported.error().what}});
  reporting.ended.set(true);
}

// Until the report is sent. Where no result comes, because the machine goes down, we are asked to stop.
host::Task<bool> end_of(host::Slot<bool> slot) {
  co_return co_await slot;
}
host::Task<void> wait_for_report(Node& node, Reporting& reporting) {
  auto ended = end_of(reporting.ended);
  auto stop = node.watch.termination();
  co_await host::first_of(node.loop, std::move(ended), std::move(stop));
}

// The unit counts as started from here on: the ssh server is ordered after it, and has its host keys now.
host::Task<void> tell_systemd(Node& node) {
  const auto variables = by_name(inherited_environment());
  const auto socket = variables.find("NOTIFY_SOCKET");
  if (socket == variables.end() || !socket->second.starts_with('/')) co_return;
  const auto told = co_await node.host.network.send(socket->second, "READY=1");
  if (!told) node.log.warn("cannot tell systemd that the identity is made", {{"error", told.error().what}});
}

host::Task<void> identity_beside(Node& node, guest::ProvisioningData data, InstanceState& state, Reporting& reporting) {
  Result<void> made = co_await make_identity(node, data, state);
  if (!made) {
    node.log.error("cannot make this node's identity", {{"error", made.error().what}});
    reporting.identity_error = std::move(made).error();
  }
  reporting.identity_ended.set(true);
  co_await tell_systemd(node);
}

// A hotfix of this program provisions as our child: the report remains ours.
host::Task<Outcome> provision_or_hotfix(Node& node, std::function<void()> on_begin) {
  Launch launch = co_await prepare_launch(node, AfterFailure::kTryAgain);
  if (launch.ended) co_return *std::move(launch.ended);
  launch.options.on_begin = std::move(on_begin);
  if (launch.hotfix.empty()) co_return co_await provision(node, std::move(launch.options));
  node.log.info("running the hotfix", {{"program", launch.hotfix}});
  host::Command command;
  command.argv = hotfix_argv(launch);
  command.env = inherited_environment();
  const auto exit = co_await node.processes.run(std::move(command));
  if (exit) co_return Outcome{.exit_code = exit->shell_code(), .result = {}};
  node.log.error("cannot start the hotfix, continuing without it", {{"error", exit.error().what}});
  co_return co_await provision(node, std::move(launch.options));
}

// The reporter runs from the moment when a result can only be a new one.
class Reporter {
 public:
  Reporter(Node& node, std::string vm_id, BootstrapOptions options)
      : state(node.loop), node_(node), vm_id_(std::move(vm_id)), options_(options) {
    const auto old = node.files.exists(paths::kComplete);
    if (old && !*old) begin();
  }
  void begin() {
    if (!std::exchange(begun_, true))
      running_ = host::Running(node_.loop, report_result(node_, state, vm_id_, options_));
  }
  // There is no result of this run to wait for any more: the one that is there counts.
  host::Task<void> end() {
    begin();
    co_await wait_for_report(node_, state);
  }

  Reporting state;

 private:
  Node& node_;
  const std::string vm_id_;
  const BootstrapOptions options_;
  bool begun_ = false;
  host::Running running_;
};

host::Task<Outcome> fail(Node& node, Error error, BootstrapOptions options) {
  node.log.error("this VM cannot be set up", {{"error", error.what}});
  Outcome outcome = controller_failure(error.what);
  outcome.hint = error.hint;
  const auto done = provisioned(node);
  if (done && !*done) {
    Reporter reporter(node, "", options);
    reporter.state.identity_ended.set(true);
    co_await leave_without_provision(node, outcome);
    co_await reporter.end();
    co_return outcome;
  }
  // The result of a node that is provisioned stays what it is; Azure has not heard of it.
  const auto reported = co_await report_ready(node, {.failure = error.what, .limit = options.report_limit});
  if (!reported) node.log.error("Azure does not know the state of this node", {{"error", reported.error().what}});
  co_return outcome;
}

host::Task<Outcome> leave_to_cloud_init(Node& node, std::string why, BootstrapOptions options) {
  const auto installed = node.files.exists(kCloudInit);
  if (!installed) co_return co_await fail(node, installed.error(), options);
  if (!*installed)
    co_return co_await fail(node, Error(why).with_hint("this image has no cloud-init that could take over"), options);
  node.log.warn("this boot is left to cloud-init", {{"reason", why}});
  Result<void> left = guest::forget_agent_files(node.files);
  if (left) left = node.files.remove_durable(kCloudInitSwitch);
  // Its generator looks at the switch; then its units can be started.
  if (left) left = co_await node.host.units.reload();
  if (left) left = co_await node.host.units.start(kCloudInitTarget, host::JobWait::kQueued);
  if (left) co_return Outcome();
  co_return co_await fail(node, std::move(left).error().in("cannot leave this boot to cloud-init (" + why + ")"),
                          options);
}

host::Task<Outcome> set_up(Node& node, Input input, InstanceState& state, BootstrapOptions options) {
  Result<void> set = state.forget_other_vms();
  if (set) set = state.keep(input.data.environment);
  if (set) set = guest::set_host_name(node.host, input.data.environment.host_name);
  if (set) set = write_files(node, std::move(input.custom_data.files));
  if (!set) co_return co_await fail(node, std::move(set).error(), options);
  Reporter reporter(node, input.data.vm_id, options);
  Reporting& reporting = reporter.state;
  const host::Running identity(node.loop, identity_beside(node, std::move(input.data), state, reporting));
  Outcome outcome = co_await provision_or_hotfix(node, [&reporter] { reporter.begin(); });
  if (outcome.signal != 0) co_return outcome;
  co_await reporter.end();
  co_await end_of(reporting.identity_ended);
  if (outcome.ok() && reporting.identity_error) outcome = no_identity(*reporting.identity_error);
  if (outcome.ok() && !reporting.reported)
    outcome = controller_failure("Azure has not accepted the report: " + reporting.reported.error().what);
  if (!outcome.ok()) co_return outcome;
  Result<void> marked = co_await node.files.sync();
  if (marked) marked = state.all_done();
  if (!marked) node.log.warn("this VM will be set up again at the next boot", {{"error", marked.error().what}});
  co_return outcome;
}

bool is_done(Node& node, const std::string& id) {
  const auto done = id.empty() ? Result<bool>(false) : InstanceState(node, id).done();
  if (!done) node.log.warn("cannot determine whether this VM is set up", {{"error", done.error().what}});
  if (!done || !*done) return false;
  node.log.info("this VM is set up already", {{"vm", id}});
  return true;
}

// Before the guest agent starts, which would report Ready by itself.
void tell_agent(Node& node, const std::string& id) {
  if (id.empty()) return;
  if (const auto told = guest::tell_agent_provisioned(node.files, id); !told)
    node.log.warn("the guest agent may report as well", {{"error", told.error().what}});
}

host::Task<Outcome> bootstrap_vm(Node& node, BootstrapOptions options) {
  node.log.info("bootstrap started", {{"version", node.version}});
  const auto azure = guest::is_azure(node.files);
  if (!azure) co_return co_await fail(node, azure.error(), options);
  if (!*azure) co_return co_await leave_to_cloud_init(node, "this is not a VM of Azure", options);
  const std::string id = vm_id_of_node(node);
  if (is_done(node, id)) co_return Outcome();
  tell_agent(node, id);
  auto finding = find_input(node, id, options);
  auto stop = node.watch.termination();
  auto first = co_await host::first_of(node.loop, std::move(finding), std::move(stop));
  if (first.index() == 1) {
    co_await node.processes.settled();
    co_return stopped(std::get<1>(first), "");  // the next start goes on
  }
  auto& found = std::get<0>(first);
  if (!found) co_return co_await fail(node, std::move(found).error(), options);
  if (auto* other = std::get_if<NotOurs>(&*found)) co_return co_await leave_to_cloud_init(node, other->why, options);
  Input input = std::get<Input>(std::move(*found));
  node.log.info("provisioning data found", {{"from", input.data.from}, {"hostName", input.data.environment.host_name}});
  if (id.empty()) {  // the metadata service knows it
    if (is_done(node, input.data.vm_id)) co_return Outcome();
    tell_agent(node, input.data.vm_id);
  }
  InstanceState state(node, input.data.vm_id);
  co_return co_await set_up(node, std::move(input), state, options);
}

}  // namespace

host::Task<Outcome> bootstrap(Node& node, BootstrapOptions options) {
  Outcome outcome = co_await bootstrap_vm(node, options);
  co_await tell_systemd(node);
  co_return outcome;
}

}  // namespace sunup::controller
