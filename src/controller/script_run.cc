#include "controller/script_run.h"

#include "controller/os_reason.h"
#include "controller/own_output.h"
#include "host/running.h"

namespace sunup::controller {

host::Task<Outcome> ScriptRun::run(std::vector<std::string> argv, std::vector<std::string> environment,
                                   std::function<void(pid_t)> before_it_runs) {
  const std::string program = argv[0];
  host::Command command{.argv = std::move(argv), .env = std::move(environment)};
  command.on_output = [this](host::Stream stream, std::string_view piece) {
    pass_on(stream, channel(stream).redacted.feed(piece));
  };
  command.keep = 0;
  command.until_output_ends = true;
  command.before_it_runs = std::move(before_it_runs);
  auto process = node_.processes.start(std::move(command));
  if (!process) co_return could_not_start(process.error(), program);
  const host::Running stop(node_.loop, end_when_stopped(**process));
  const auto exit = co_await (*process)->wait();
  finish();
  if (!exit) co_return could_not_start(exit.error(), program);
  Outcome outcome = outcome_of(*exit);
  if (stop_signal_ != 0) co_return stopped(stop_signal_, output());
  co_return outcome;
}

host::Task<void> ScriptRun::end_when_stopped(host::Process& process) {
  const int signal = co_await node_.watch.termination();
  if (!process.terminate()) co_return;
  stop_signal_ = signal;
  node_.log.error("asked to stop, terminating the script", {{"signal", signal_reason(signal)}});
}

void ScriptRun::pass_on(host::Stream stream, const std::string& bytes) {
  if (stream == host::Stream::kOut)
    pass_to_stdout(bytes);
  else
    pass_to_stderr(bytes);
  channel(stream).kept.add(bytes);
}

void ScriptRun::finish() {
  for (const host::Stream stream : {host::Stream::kOut, host::Stream::kErr})
    pass_on(stream, channel(stream).redacted.finish());
}

std::string ScriptRun::output() const {
  return out_.kept.text() + "\n" + err_.kept.text();
}

Outcome ScriptRun::outcome_of(const host::Exit& exit) {
  if (exit.code == 0 && exit.signal == 0) {
    log_end(0, "");
    return {};
  }
  Outcome outcome;
  if (exit.signal != 0) {
    const std::string why = signal_reason(exit.signal, exit.core_dumped);
    outcome = {.exit_code = 255, .result = {.exit_code = "-1", .error = why, .output = ""}};
  } else {
    const std::string code = std::to_string(exit.code);
    outcome = {.exit_code = exit.code, .result = {.exit_code = code, .error = "exit status " + code, .output = ""}};
  }
  log_end(exit.signal != 0 ? -1 : exit.code, outcome.result.error);
  outcome.result.output = output();
  return outcome;
}

Outcome ScriptRun::could_not_start(const Error& error, const std::string& program) {
  const std::string why = error.os_errno != 0 ? os_reason(error.os_errno) : error.what;
  Outcome outcome{.exit_code = 1,
                  .result = {.exit_code = "-1", .error = "fork/exec " + program + ": " + why, .output = output()}};
  log_end(-1, outcome.result.error);
  return outcome;
}

void ScriptRun::log_end(int exit_code, const std::string& error) {
  const std::string out = out_.kept.text();
  const std::string err = err_.kept.text();
  if (error.empty())
    node_.log.info(report::messages::kScriptsEnded,
                   {{"exitCode", exit_code}, {"stdout", out}, {"stderr", err}, {"error", nullptr}});
  else
    node_.log.info(report::messages::kScriptsEnded,
                   {{"exitCode", exit_code}, {"stdout", out}, {"stderr", err}, {"error", error}});
}

}  // namespace sunup::controller
