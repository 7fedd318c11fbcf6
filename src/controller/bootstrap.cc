#include "controller/bootstrap.h"

#include <functional>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "base/node_paths.h"
#include "controller/bootstrap_input.h"
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
#include "plan/disks.h"

namespace sunup::controller {
namespace {

constexpr char kCloudInit[] = "/usr/bin/cloud-init";
constexpr char kCloudInitTarget[] = "cloud-init.target";
constexpr host::Duration kHostKeysLimit = std::chrono::minutes(1);

// Makes the host keys while the program waits for the provisioning data: they need no network, but tenths of a second
// of processor time. The mark that they exist is written later, together with that of the identity.
class EarlyHostKeys {
 public:
  explicit EarlyHostKeys(Node& node) : node_(node), ended_(node.loop) {}
  void begin() {
    begun_ = true;
    running_ = host::Running(node_.loop, make());
  }
  // Whether this object has made them. Waits until it has ended.
  host::Task<bool> made() {
    if (!begun_) co_return false;
    co_return co_await ended_;
  }
  void cancel() { running_.cancel(); }

 private:
  host::Task<void> make() {
    const Result<void> made = co_await guest::make_host_keys(node_.host);
    if (!made) node_.log.warn("cannot make host keys yet", {{"error", made.error().what}});
    ended_.set(made.ok());
  }

  Node& node_;
  bool begun_ = false;
  host::Slot<bool> ended_;
  host::Running running_;
};

host::Task<Result<void>> make_identity(Node& node, const guest::ProvisioningData& data, InstanceState& state,
                                       EarlyHostKeys& early) {
  const auto made = state.has_identity();
  if (!made) co_return made.error();
  if (*made) co_return Result<void>();
  const auto has_keys = state.has_host_keys();
  if (!has_keys) co_return has_keys.error();
  if (auto left = guest::leave_agent_files(node.files, data.environment); !left) co_return left;
  std::vector<host::Task<Result<void>>> tasks;
  tasks.push_back(guest::make_user(node.host, data.environment));
  const bool keys_made = *has_keys || co_await early.made();
  if (!keys_made) tasks.push_back(guest::make_host_keys(node.host));
  if (auto done = co_await host::all(node.loop, std::move(tasks)); !done) co_return done;
  // From here on the unit counts as started. The ssh server and the guest agent are ordered after it: the former needs
  // host keys, and the latter must find the files that mark this VM as provisioned. The sync may take seconds.
  co_await tell_systemd(node);
  // The mark must not become durable before the state that it stands for.
  if (auto durable = co_await node.files.sync(); !durable) co_return durable;
  co_return state.identity_made();
}

Outcome no_identity(const Error& error) {
  return controller_failure("cannot make this node's identity: " + error.what);
}

// Reports as soon as there is a result. Deferred steps and the upload of logs continue meanwhile.
struct Reporting {
  explicit Reporting(host::Loop& loop) : run_ended(loop), identity_ended(loop), ended(loop) {}
  host::Slot<bool> run_ended;       // no other result will appear
  std::string why_without_result;   // of the run that has ended
  host::Slot<bool> identity_ended;  // it has been made, or cannot be
  std::optional<Error> identity_error;
  host::Slot<bool> ended;
  Result<void> reported = Error("this process was stopped before the report was sent");
};

host::Task<bool> end_of(host::Slot<bool> slot) {
  co_return co_await slot;
}

// What to report after a run that has left no marker: one that only prepared the base image, or one that could not
// write the marker, or not even the result.
void use_result_without_marker(Node& node, const std::string& why, ReportOptions& report) {
  const auto marker = node.files.exists(paths::kComplete);
  if (!marker || *marker) return;
  const auto text = node.files.read_if_there(paths::kResult);
  if (text && *text && !(*text)->empty())
    report.result = **text;
  else
    report.failure = why.empty() ? "provisioning ended without a result" : why;
}

bool has_failed(Node& node, const ReportOptions& report) {
  if (!report.failure.empty()) return true;
  if (!report.result.empty()) return !report_of(node, report.result, report.vm_id).reason.empty();
  const auto result = recorded_success(node);
  return !result || !*result;
}

host::Task<void> report_result(Node& node, Reporting& reporting, std::string vm_id, BootstrapOptions options) {
  ReportOptions report{.vm_id = std::move(vm_id), .limit = options.report_limit};
  auto appears = node.watch.path_appears(paths::kComplete);
  auto run_ended = end_of(reporting.run_ended);
  const auto first = co_await host::first_of(node.loop, std::move(appears), std::move(run_ended));
  if (first.index() == 0 && !std::get<0>(first)) {
    node.log.warn("the result is reported when this run has ended", {{"error", std::get<0>(first).error().what}});
    co_await reporting.run_ended;
  }
  use_result_without_marker(node, reporting.why_without_result, report);
  // A failure is reported at once. A success is reported only after the node's identity is set up, too.
  if (!has_failed(node, report)) {
    co_await reporting.identity_ended;
    if (reporting.identity_error) {
      const Outcome outcome = no_identity(*reporting.identity_error);
      leave_failure(node, outcome.result, true);
      report.result.clear();
    }
  }
  Result<void> reported = co_await report_ready(node, std::move(report));
  if (!reported) node.log.error("Azure does not know the state of this node", {{"error", reported.error().what}});
  reporting.reported = std::move(reported);
  reporting.ended.set(true);
}

// Waits until the report is sent or this process is asked to stop, in which case the result is false.
host::Task<bool> wait_for_report(Node& node, Reporting& reporting) {
  auto ended = end_of(reporting.ended);
  const auto first = co_await host::first_of(node.loop, std::move(ended), node.watch.termination());
  co_return first.index() == 0;
}

host::Task<void> identity_beside(Node& node, guest::ProvisioningData data, InstanceState& state, EarlyHostKeys& early,
                                 Reporting& reporting) {
  Result<void> made = co_await make_identity(node, data, state, early);
  if (!made) {
    node.log.error("cannot make this node's identity", {{"error", made.error().what}});
    reporting.identity_error = std::move(made).error();
  }
  reporting.identity_ended.set(true);
  co_await tell_systemd(node);
}

// A hotfix of this program runs as a child of this process, which still sends the report.
host::Task<Outcome> provision_or_hotfix(Node& node, std::string known_metadata, std::function<void()> on_begin) {
  Launch launch = co_await prepare_launch(node, AfterFailure::kTryAgain);
  if (launch.ended) co_return *std::move(launch.ended);
  launch.options.on_begin = std::move(on_begin);
  launch.options.known_metadata = std::move(known_metadata);
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

// Starts the report task as soon as any result that appears must be from this run.
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
  // No further result of this run is expected: the existing one is reported. False if this process was asked to stop
  // before that; the next start reports then. A run that the end of the machine or another process has interrupted
  // leaves no result, and is not reported: the next boot or the other process ends what it has begun.
  host::Task<bool> end(const Outcome& outcome) {
    begin();
    const bool goes_on = !outcome.ok() && (provision_under_way(node_) || co_await going_down(node_));
    state.why_without_result = outcome.result.error;
    if (!goes_on) state.run_ended.set(true);
    const bool ended = co_await wait_for_report(node_, state);
    if (!ended) running_.cancel();
    co_return ended;
  }

  Reporting state;

 private:
  Node& node_;
  const std::string vm_id_;
  const BootstrapOptions options_;
  bool begun_ = false;
  host::Running running_;
};

// One start of the unit.
struct Attempt {
  BootstrapOptions options;
  std::string id = {};    // of the VM; empty if the firmware does not provide it
  bool is_clean = false;  // nothing of another VM is left, so marks of this one may be made
  EarlyHostKeys host_keys;
};

// Uses none of the data, but lets users with access log in to the VM.
host::Task<Result<void>> make_host_keys_alone(Node& node, Attempt& attempt) {
  if (!attempt.is_clean) {  // the existing keys may be those of this VM: make only missing ones
    const auto exit = co_await node.processes.run(host::command("ssh-keygen", "-A").with_limit(kHostKeysLimit));
    if (!exit) co_return exit.error();
    co_return exit->ok() ? Result<void>() : exit->as_error("ssh-keygen");
  }
  InstanceState state(node, attempt.id);
  const auto identity = state.has_identity();
  const auto keys = identity && !*identity ? state.has_host_keys() : identity;
  if (!keys) co_return keys.error();
  if (*keys) co_return Result<void>();
  Result<void> made;
  if (!co_await attempt.host_keys.made()) made = co_await guest::make_host_keys(node.host);
  if (!made) co_return made;
  co_await tell_systemd(node);
  if (auto durable = co_await node.files.sync(); !durable) co_return durable;
  co_return state.host_keys_made();
}

host::Task<Result<void>> let_ssh_start(Node& node, Attempt& attempt) {
  const auto made = co_await make_host_keys_alone(node, attempt);
  if (!made) node.log.warn("the ssh server may have no host keys", {{"error", made.error().what}});
  co_await tell_systemd(node);
  co_return Result<void>();
}

host::Task<Result<void>> report_failure(Node& node, Outcome outcome, const Attempt& attempt) {
  const auto done = provisioned(node);
  if (done && !*done) {
    Reporter reporter(node, "", attempt.options);
    reporter.state.identity_ended.set(true);
    co_await leave_without_provision(node, outcome);
    co_await reporter.end(outcome);
    co_return Result<void>();
  }
  // The result of a provisioned node does not change, so the failure is reported to Azure only.
  auto report = report_ready(node, {.failure = outcome.result.error, .limit = attempt.options.report_limit});
  const auto first = co_await host::first_of(node.loop, std::move(report), node.watch.termination());
  if (first.index() == 0 && !std::get<0>(first))
    node.log.error("Azure does not know the state of this node", {{"error", std::get<0>(first).error().what}});
  co_return Result<void>();
}

// The report may take as long as its limit. The ssh server does not wait for it.
host::Task<Outcome> fail(Node& node, Error error, Attempt& attempt) {
  node.log.error("this VM cannot be set up", {{"error", error.what}});
  Outcome outcome = controller_failure(error.what);
  outcome.result.hint = error.hint;
  std::vector<host::Task<Result<void>>> tasks;
  tasks.push_back(let_ssh_start(node, attempt));
  tasks.push_back(report_failure(node, outcome, attempt));
  (void)co_await host::all(node.loop, std::move(tasks));
  co_return outcome;
}

host::Task<Outcome> leave_to_cloud_init(Node& node, std::string why, Attempt& attempt) {
  const auto installed = node.files.exists(kCloudInit);
  if (!installed) co_return co_await fail(node, installed.error(), attempt);
  if (!*installed)
    co_return co_await fail(node, Error(why).with_hint("this image has no cloud-init that could take over"), attempt);
  node.log.warn("this boot is left to cloud-init", {{"reason", why}});
  (void)co_await attempt.host_keys.made();  // cloud-init makes its own
  Result<void> left = guest::forget_agent_files(node.files);
  if (left) left = node.files.remove_durable(kCloudInitSwitch);
  // The reload runs cloud-init's generator, which checks the switch; then its units can be started.
  if (left) left = co_await node.host.units.reload();
  if (left) left = co_await node.host.units.start(kCloudInitTarget, host::JobWait::kQueued);
  if (left) co_return Outcome();
  co_return co_await fail(node, std::move(left).error().in("cannot leave this boot to cloud-init (" + why + ")"),
                          attempt);
}

// Prepares the disks as cloud-init does at every boot. A failure does not fail the node.
host::Task<Result<void>> prepare_disks(Node& node) {
  const plan::DiskNote note = [&node](const std::string& text) { node.log.info("disks", {{"note", text}}); };
  const auto grown = co_await plan::grow_root(node.host, note);
  if (!grown) node.log.warn("cannot grow the root file system", {{"error", grown.error().what}});
  const auto prepared = co_await plan::prepare_resource_disk(node.host, note);
  if (!prepared) node.log.warn("cannot prepare the resource disk", {{"error", prepared.error().what}});
  co_return Result<void>();
}

// Does the work of the deferred steps after a run of the image's scripts, or of a hotfix whose steps are not known
// here.
host::Task<Result<void>> do_deferred_work(Node& node) {
  (void)co_await prepare_disks(node);
  const auto ejected = co_await plan::eject_disc(node.host);
  if (!ejected) node.log.warn("cannot eject the provisioning disc", {{"error", ejected.error().what}});
  co_return Result<void>();
}

host::Task<void> unless_stopped(Node& node, host::Task<Result<void>> work) {
  auto first = co_await host::first_of(node.loop, std::move(work), node.watch.termination());
  if (first.index() == 1) co_await node.processes.settled();
}

host::Task<Outcome> set_up(Node& node, BootstrapInput input, InstanceState& state, Attempt& attempt) {
  Result<void> set = state.keep(input.data);
  if (set) set = write_custom_data(node, state, input.custom_data.files);
  if (set) set = guest::set_host_name(node.host, input.data.environment.host_name);
  if (set) set = write_triggers(node, input.custom_data.files);
  if (!set) co_return co_await fail(node, std::move(set).error(), attempt);
  Reporter reporter(node, input.data.vm_id, attempt.options);
  Reporting& reporting = reporter.state;
  std::string metadata = std::move(input.data.instance_document);
  host::Running identity(node.loop, identity_beside(node, std::move(input.data), state, attempt.host_keys, reporting));
  Outcome outcome = co_await provision_or_hotfix(node, std::move(metadata), [&reporter] { reporter.begin(); });
  if (outcome.signal != 0) co_return outcome;
  if (outcome.ok() && !outcome.by_steps) co_await unless_stopped(node, do_deferred_work(node));
  if (!co_await reporter.end(outcome)) {
    identity.cancel();
    co_await node.processes.settled();
  } else {
    co_await end_of(reporting.identity_ended);
  }
  if (outcome.ok() && reporting.identity_error) outcome = no_identity(*reporting.identity_error);
  if (outcome.ok() && !reporting.reported)
    outcome = controller_failure("Azure has not accepted the report: " + reporting.reported.error().what);
  if (!outcome.ok()) co_return outcome;
  Result<void> marked = co_await node.files.sync();
  if (marked) marked = state.all_done();
  if (!marked) node.log.warn("this VM will be set up again at the next boot", {{"error", marked.error().what}});
  co_return outcome;
}

Result<bool> is_done(Node& node, const std::string& id) {
  auto done = id.empty() ? Result<bool>(false) : InstanceState(node, id).done();
  if (done && *done) node.log.info("this VM is set up already", {{"vm", id}});
  return done;
}

// Whether this VM was a node before cloud-init was switched off: it has a result that is no failure, and no attempt of
// this program has left anything.
Result<bool> is_set_up_by_cloud_init(Node& node, const std::string& id) {
  const auto there = provisioned(node);
  if (!there || !*there) return there;
  const auto begun = InstanceState(node, id).has_begun();
  if (!begun) return begun.error();
  if (!*begun) node.log.info("this VM is a node already, which cloud-init has set up", {{"vm", id}});
  return !*begun;
}

// This VM may be a working node, which is neither set up again nor left to cloud-init.
host::Task<Outcome> end_unless_new(Node& node, Error error, Attempt& attempt) {
  error = std::move(error).in("cannot determine whether this VM is set up");
  const auto done = provisioned(node);
  if (done && !*done) co_return co_await fail(node, std::move(error), attempt);
  node.log.error("this boot changes nothing", {{"error", error.what}});
  co_return controller_failure(error.what);
}

// The disk of a VM may have been enlarged, and its resource disk is new after every move to another host.
host::Task<Outcome> set_up_already(Node& node, const std::string& id) {
  co_await tell_systemd(node);
  if (const auto removed = InstanceState(node, id).forget_data(); !removed)
    node.log.warn("the provisioning data of this VM stays on the disk", {{"error", removed.error().what}});
  co_await unless_stopped(node, prepare_disks(node));
  co_return Outcome();
}

void begin_host_keys(Node& node, Attempt& attempt) {
  InstanceState state(node, attempt.id);
  const auto identity = state.has_identity();
  const auto keys = state.has_host_keys();
  if (identity && keys && !*identity && !*keys) attempt.host_keys.begin();
}

host::Task<Outcome> bootstrap_vm(Node& node, Attempt& attempt) {
  node.log.info("bootstrap started", {{"version", node.version}});
  const auto azure = guest::is_azure(node.files);
  if (!azure) co_return co_await fail(node, azure.error(), attempt);
  if (!*azure) co_return co_await leave_to_cloud_init(node, "this is not a VM of Azure", attempt);
  attempt.id = vm_id_of_node(node);
  const bool known = !attempt.id.empty();
  const auto done = is_done(node, attempt.id);
  if (!done) co_return co_await end_unless_new(node, done.error(), attempt);
  if (*done) co_return co_await set_up_already(node, attempt.id);
  tell_agent(node, attempt.id);
  if (known) {
    auto forgotten = co_await InstanceState(node, attempt.id).forget_other_vms("");
    if (!forgotten) co_return co_await fail(node, std::move(forgotten).error(), attempt);
    attempt.is_clean = true;
    const auto by_other = is_set_up_by_cloud_init(node, attempt.id);
    if (!by_other) co_return co_await end_unless_new(node, by_other.error(), attempt);
    if (*by_other) co_return co_await set_up_already(node, attempt.id);
    begin_host_keys(node, attempt);
  }
  auto finding = find_input(node, attempt.id, attempt.options);
  auto first = co_await host::first_of(node.loop, std::move(finding), node.watch.termination());
  if (first.index() == 1) {
    attempt.host_keys.cancel();
    co_await node.processes.settled();
    co_return stopped(std::get<1>(first), "");  // the next start continues
  }
  auto& found = std::get<0>(first);
  if (!found) co_return co_await fail(node, std::move(found).error(), attempt);
  if (auto* other = std::get_if<NotOurs>(&*found)) co_return co_await leave_to_cloud_init(node, other->why, attempt);
  BootstrapInput input = std::get<BootstrapInput>(std::move(*found));
  node.log.info("provisioning data found", {{"from", input.data.from}, {"hostName", input.data.environment.host_name}});
  InstanceState state(node, input.data.vm_id);
  if (!known) {  // the metadata service may have it
    attempt.id = input.data.vm_id;
    const auto done_before = is_done(node, attempt.id);
    if (!done_before) co_return co_await end_unless_new(node, done_before.error(), attempt);
    if (*done_before) co_return co_await set_up_already(node, attempt.id);
    tell_agent(node, attempt.id);
    auto forgotten = co_await state.forget_other_vms(input.data.environment.host_name);
    if (!forgotten) co_return co_await fail(node, std::move(forgotten).error(), attempt);
    attempt.is_clean = true;
  }
  co_return co_await set_up(node, std::move(input), state, attempt);
}

}  // namespace

host::Task<Outcome> bootstrap(Node& node, BootstrapOptions options) {
  Attempt attempt{.options = options, .host_keys = EarlyHostKeys(node)};
  Outcome outcome = co_await bootstrap_vm(node, attempt);
  co_await tell_systemd(node);
  co_return outcome;
}

}  // namespace sunup::controller
