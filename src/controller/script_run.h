// One run of a script. Its output is passed on as it arrives, without credentials, and is kept.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "controller/captured_output.h"
#include "controller/node.h"
#include "controller/outcome.h"
#include "host/processes.h"
#include "host/task.h"
#include "redaction/redactor.h"

namespace sunup::controller {

class ScriptRun {
 public:
  explicit ScriptRun(Node& node) : node_(node), out_(node), err_(node) {}

  // Runs it to its end, and until no process has its output open. `before_it_runs` is called with its process
  // number before it does anything. If this process is asked to stop, the process group of the script is terminated
  // and its last output is read. Cancelling terminates it as well, without reading its output.
  host::Task<Outcome> run(std::vector<std::string> argv, std::vector<std::string> environment,
                          std::function<void(pid_t)> before_it_runs);

 private:
  struct Channel {
    explicit Channel(const Node& node) : redacted(node.redactor) {}
    redaction::RedactedStream redacted;
    CapturedOutput kept;
  };
  Channel& channel(host::Stream stream) { return stream == host::Stream::kOut ? out_ : err_; }
  host::Task<void> end_when_stopped(host::Process& process);
  void pass_on(host::Stream stream, const std::string& bytes);
  // Writes the text that was held back as the possible start of a credential.
  void finish();
  // Its output: stdout, a newline, stderr.
  std::string output() const;
  Outcome outcome_of(const host::Exit& exit);
  Outcome could_not_start(const Error& error, const std::string& program);
  void log_end(int exit_code, const std::string& error);

  Node& node_;
  Channel out_;
  Channel err_;
  int stop_signal_ = 0;  // the signal that stopped it
};

}  // namespace sunup::controller
