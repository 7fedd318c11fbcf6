#include "controller/provision.h"

#include "base/node_paths.h"
#include "base/text.h"
#include "contract/load.h"
#include "controller/child_environment.h"
#include "controller/cse_command.h"
#include "controller/load_config.h"
#include "controller/log_upload.h"
#include "controller/native_mode.h"
#include "controller/nbc_command.h"
#include "controller/node_secrets.h"
#include "controller/os_reason.h"
#include "controller/result_files.h"
#include "controller/say_why.h"
#include "controller/script_run.h"
#include "controller/send_result.h"
#include "controller/single_flight.h"
#include "host/edit.h"
#include "host/running.h"
#include "host/stop_signals.h"
#include "plan/hook.h"
#include "report/provision_result.h"

namespace sunup::controller {
namespace {

constexpr char kNothingGiven[] = "--provision-config or --nbc-cmd is required";

Outcome refused(std::string why) {
  Outcome outcome = controller_failure(std::move(why));
  outcome.refused = true;
  return outcome;
}

using StartCallback = std::function<void(pid_t)>;

void warn_of_hooks(Node& node, bool files_only) {
  const auto hooks = plan::read_hooks(node.files, files_only);
  if (hooks && hooks->empty()) return;
  node.log.warn("hooks do not run, because the image's scripts provision this node", {{"declarations", paths::kHooks}});
}

host::Task<Outcome> run_or_show(Node& node, const ProvisionOptions& options, ScriptRun& script,
                                std::vector<std::string> argv, std::vector<std::string> environment,
                                StartCallback before_it_runs) {
  warn_of_hooks(node, options.files_only);
  if (!options.dry_run) {
    Outcome outcome = co_await script.run(std::move(argv), std::move(environment), std::move(before_it_runs));
    outcome = verdict_of_scripts(node, std::move(outcome));
    outcome.by_scripts = true;
    co_return outcome;
  }
  std::string shown;
  for (const std::string& word : argv) shown += (shown.empty() ? "" : " ") + word;
  node.log.info(report::messages::kDryRun, {{"cmd", shown}});
  node.log.info(report::messages::kScriptsEnded,
                {{"exitCode", -1}, {"stdout", ""}, {"stderr", ""}, {"error", nullptr}});
  co_return Outcome();
}

NativeOptions native_options(const ProvisionOptions& options, render::NbcConfig& command) {
  return {.dry_run = options.dry_run,
          .metadata = options.metadata,
          .known_metadata = options.known_metadata,
          .sent = std::move(command.sent),
          .origins = std::move(command.origins)};
}

host::Task<Outcome> run_nbc_command(Node& node, const ProvisionOptions& options, ScriptRun& script,
                                    StartCallback before_it_runs) {
  const auto mode = choose_mode(node, options.mode, options.files_only);
  if (!mode) co_return controller_failure("cannot determine how to provision: " + mode.error().what);
  std::string why_script;
  if (*mode == Mode::kNative) {
    auto command = load_nbc_config(node, options.nbc_command);
    if (command) {
      node.log.info("the command is provisioned by the built-in steps", {{"NBCCmdFile", options.nbc_command}});
      NativeOptions native = native_options(options, *command);
      co_return co_await provision_natively(node, std::move(command->loaded), std::move(native));
    }
    why_script = command.error().what;
    if (options.mode == Mode::kNative) co_return refused("--mode native: " + why_script);
  }
  auto argv = nbc_argv(node, options.nbc_command);
  if (!argv) co_return refused(argv.error().what);
  // The script would change this machine instead of the tree.
  if (options.files_only)
    co_return refused("--root: " +
                      (why_script.empty() ? "a command is not run, because it changes this machine" : why_script));
  if (!why_script.empty())
    node.log.warn("the built-in steps do not understand the command: its script is run", {{"reason", why_script}});
  node.log.info("Using NBC command for scriptless phase 2", {{"NBCCmdFile", options.nbc_command}});
  // The secrets of the config are also those of the script. Errors in the config are reported when the two are
  // compared.
  if (!options.config.empty()) (void)load_config(node, options.config, true);
  auto environment = inherited_environment();
  Outcome outcome =
      co_await run_or_show(node, options, script, std::move(*argv), std::move(environment), std::move(before_it_runs));
  outcome.why_script = std::move(why_script);
  outcome.base_only = prepares_base_only(node, options.nbc_command);
  co_return outcome;
}

// The outcome of the run is already known: a request to stop only ends the comparison.
host::Task<void> compare_both(Node& node, const ProvisionOptions& options) {
  auto comparison = compare_with_config(node, options.nbc_command, options.config);
  co_await host::first_of(node.loop, std::move(comparison), node.watch.termination());
}

host::Task<Outcome> run_scripts(Node& node, const ProvisionOptions& options, const contract::Configuration& config,
                                ScriptRun& script, StartCallback before_it_runs) {
  if (options.files_only && !options.dry_run)
    node.log.warn("the image's scripts do not support --root: their changes affect this machine");
  auto environment_of_config = cse_environment(node, config);
  auto first = co_await host::first_of(node.loop, std::move(environment_of_config), node.watch.termination());
  if (first.index() == 1) {
    co_await node.processes.settled();
    co_return stopped(std::get<1>(first), "");
  }
  auto& computed = std::get<0>(first);
  if (!computed) co_return controller_failure(computed.error().what);
  below_root(node, *computed);
  if (const auto fits = fits_the_kernel(*computed); !fits)
    co_return controller_failure("the script cannot be started: " + fits.error().what);
  const auto inherited = inherited_environment();
  if (const auto names = overruled(inherited, *computed); !names.empty())
    node.log.warn("the config overrules inherited variables", {{"names", joined(names, " ")}});
  auto argv = cse_argv(node);
  auto environment = merge_environments(inherited, *computed);
  Outcome outcome =
      co_await run_or_show(node, options, script, std::move(argv), std::move(environment), std::move(before_it_runs));
  outcome.base_only = config.pre_provision_only();
  co_return outcome;
}

host::Task<Outcome> run_config(Node& node, const ProvisionOptions& options, ScriptRun& script,
                               StartCallback before_it_runs) {
  auto loaded = load_config(node, options.config);
  if (const int signal = loaded ? 0 : host::pending_stop_signal()) co_return stopped(signal, "");
  if (!loaded) co_return refused(loaded.error().what);
  // Native provisioning handles a request to stop itself, and still reports its progress.
  NativeOptions native{
      .dry_run = options.dry_run, .metadata = options.metadata, .known_metadata = options.known_metadata};
  const auto mode = choose_mode(node, options.mode, options.files_only);
  if (!mode) co_return controller_failure("cannot determine how to provision: " + mode.error().what);
  if (*mode == Mode::kNative) co_return co_await provision_natively(node, std::move(*loaded), std::move(native));
  co_return co_await run_scripts(node, options, loaded->config, script, std::move(before_it_runs));
}

host::Task<Outcome> run_what_is_given(Node& node, const ProvisionOptions& options, StartCallback before_it_runs) {
  if (!options.given()) co_return controller_failure(kNothingGiven);
  const auto source = choose_source(node, !options.config.empty(), !options.nbc_command.empty());
  if (!source) co_return controller_failure("cannot determine what to provision from: " + source.error().what);
  node.log.info("provisioning from", {{"source", name_of(*source)}});
  ScriptRun script(node);
  Outcome outcome;
  if (*source == Source::kCommand) {
    outcome = co_await run_nbc_command(node, options, script, std::move(before_it_runs));
  } else {
    if (!options.nbc_command.empty()) (void)nbc_argv(node, options.nbc_command);  // hides its secrets
    outcome = co_await run_config(node, options, script, std::move(before_it_runs));
  }
  const bool both = !options.config.empty() && !options.nbc_command.empty();
  const bool has_run = outcome.signal == 0 && !outcome.refused;
  if (both && has_run) co_await compare_both(node, options);
  co_return outcome;
}

// Adds the reason to the result that the script has left. A result that is missing or not JSON is not changed.
void name_refusal(Node& node, const std::string& why) {
  const auto naming = [&](const std::optional<host::FileText>& before) -> Result<std::optional<host::FileText>> {
    if (!before) return std::optional<host::FileText>();
    return std::optional(host::FileText{report::with_native_refusal(before->text, why), before->mode});
  };
  if (const auto named = host::edit(node.files, paths::kResult, naming); !named)
    node.log.warn("the result does not say why the script was run", {{"error", named.error().what}});
}

bool is_missing(Node& node, const char* path) {
  const auto there = node.files.exists(path);
  return there && !*there;
}

// The files that record whether this node is provisioned, or is being provisioned, cannot be read: they stay as they
// are. If there is certainly no result, this failure becomes the result.
Outcome cannot_tell(Node& node, const Error& error) {
  Outcome outcome = controller_failure("cannot determine whether this node is provisioned: " + error.what);
  if (is_missing(node, paths::kComplete) && is_missing(node, paths::kResult)) leave_failure(node, outcome.result);
  return outcome;
}

// Called only if no other process provisions and no other result counts.
host::Task<Outcome> run_to_a_result(Node& node, const ProvisionOptions& options, SingleFlight& flight) {
  if (const auto cleared = clear_results(node); !cleared)
    node.log.error("failed to remove the result of an earlier attempt", {{"error", cleared.error().what}});
  const bool was_prepared = !is_missing(node, paths::kBasePrepComplete);
  reserve_room(node);
  flight.begin();
  if (options.on_begin) options.on_begin();
  Outcome outcome = co_await run_what_is_given(node, options, [&flight](pid_t pid) { flight.child_started(pid); });
  give_room_back(node);
  if (const auto left = outcome.ok() ? leave_success(node, outcome.base_only) : Result<void>(); !left) {
    outcome = controller_failure("cannot write the result: " + left.error().what);
    outcome.replaces_result = true;
  }
  if (!outcome.ok() && (outcome.machine_stops ? *outcome.machine_stops : co_await going_down(node))) {
    node.log.warn("this machine is shutting down: provisioning continues at the next boot",
                  {{"error", outcome.result.error}});
    flight.ended(outcome, true);
    co_return outcome;
  }
  if (!outcome.ok()) leave_failure(node, outcome.result, outcome.replaces_result, was_prepared);
  if (!outcome.why_script.empty()) name_refusal(node, outcome.why_script);
  flight.ended(outcome, outcome.signal != 0);
  if (!outcome.ok()) co_await say_why(node, outcome);
  // Native provisioning sends its success itself, before the deferred steps.
  if (outcome.ok() && outcome.by_scripts && sends_result(node, outcome)) {
    outcome = co_await with_timeline(node, std::move(outcome));
    co_await send_result(node, outcome);
  }
  // The image's scripts upload the logs themselves; a failure of theirs has no step.
  if (!outcome.ok() && !outcome.by_scripts && !outcome.result.failed_step.empty()) co_await upload_logs(node);
  co_return outcome;
}

Result<contract::Loaded> loaded_command(Node& node, const ProvisionOptions& options, NativeOptions& native) {
  auto command = load_nbc_config(node, options.nbc_command);
  if (!command) return std::move(command).error();
  native = native_options(options, *command);
  return std::move(command->loaded);
}

// The result is published and does not change. Completes the deferred steps if possible.
host::Task<void> finish(Node& node, const ProvisionOptions& options) {
  if (is_missing(node, paths::kUnfinished) || options.mode == Mode::kScripts) co_return;
  NativeOptions native{.dry_run = false, .metadata = options.metadata};
  const auto source = choose_source(node, !options.config.empty(), !options.nbc_command.empty());
  auto loaded = !source                       ? source.error()
                : *source == Source::kCommand ? loaded_command(node, options, native)
                                              : load_config(node, options.config);
  if (!loaded) {
    node.log.warn("deferred steps are not done and cannot be completed", {{"error", loaded.error().what}});
    co_return;
  }
  co_await finish_natively(node, std::move(*loaded), std::move(native));
}

host::Task<Outcome> run_once(Node& node, const ProvisionOptions& options) {
  SingleFlight flight(node);
  auto our_turn = flight.take_turn();
  auto turn = co_await host::first_of(node.loop, std::move(our_turn), node.watch.termination());
  // This process was only waiting: another process writes the result.
  if (turn.index() == 1) co_return stopped(std::get<1>(turn), "");
  auto& others = std::get<0>(turn);
  if (!others) co_return cannot_tell(node, others.error());
  if (*others) co_return **std::move(others);
  const auto done = provisioned(node);
  if (!done) co_return cannot_tell(node, done.error());
  if (*done) {
    if (!options.given()) co_return controller_failure(kNothingGiven);  // and the result does not change
    node.log.info(report::messages::kProvisionedAlready, {{"path", node.on_machine(paths::kResult)}});
    leave_marker_if_missing(node);  // the run that left the result may have been killed before it wrote the marker
    co_await finish(node, options);
    flight.ended(Outcome());
    co_return Outcome();
  }
  co_return co_await run_to_a_result(node, options, flight);
}

}  // namespace

host::Task<Outcome> provision(Node& node, ProvisionOptions options) {
  // From here on a signal must not end this process without a result: the old result may be removed and the script may
  // be running at any moment.
  const auto stop = node.watch.termination();
  TaskReport report(node, "Provision", options.dry_run);
  Outcome outcome;
  if (options.dry_run) {
    outcome = co_await run_what_is_given(node, options, nullptr);
  } else {
    outcome = co_await run_once(node, options);
  }
  if (outcome.ok())
    report.succeeded();
  else
    report.failed(outcome.result.error);
  co_return outcome;
}

host::Task<void> leave_without_provision(Node& node, Outcome outcome) {
  auto stop = node.watch.termination();  // as in provision(): not between the old result and the new one
  TaskReport report(node, "Provision");
  report.failed(outcome.result.error);
  if (provision_under_way(node)) co_return;
  if (co_await going_down(node)) co_return;
  SingleFlight flight(node);
  auto turn = co_await host::first_of(node.loop, flight.take_turn(), std::move(stop));
  // The result of another process is, or will be, the result of the node.
  if (turn.index() == 1 || !std::get<0>(turn) || *std::get<0>(turn)) co_return;
  if (const auto done = provisioned(node); !done || *done) co_return;
  (void)clear_results(node);
  leave_failure(node, outcome.result);
  flight.ended(outcome);
  if (node.bootstrap_token.empty()) NodeSecrets(node).hide();  // reads the token of the config, if there is one
  co_await say_why(node, outcome);
}

}  // namespace sunup::controller
