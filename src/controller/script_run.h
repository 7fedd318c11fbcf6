// One run of a script: its output streams through to ours as it comes, without credentials, and is kept.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "controller/captured_output.h"
#include "controller/node.h"
#include "controller/outcome.h"
#include "host/processes.h"
#include "host/task.h"
#include "report/redactor.h"

namespace sunup::controller {

class ScriptRun {
 public:
  explicit ScriptRun(Node& node) : node_(node), out_(node), err_(node) {}

  // Runs it to its end, and until nobody holds its output open any more. `before_it_runs` learns its process
  // number while it has done nothing yet. A script does not know that we are asked to stop: it is ended with everything
  // in its process group, and what it says on its way out is heard. Cancelling ends it too, unheard.
  host::Task<Outcome> run(std::vector<std::string> argv, std::vector<std::string> environment,
                          std::function<void(pid_t)> before_it_runs);

 private:
  struct Channel {
    explicit Channel(const Node& node) : redacted(node.redactor) {}
    report::RedactedStream redacted;
    CapturedOutput kept;
  };
  Channel& channel(host::Stream stream) { return stream == host::Stream::kOut ? out_ : err_; }
  host::Task<void> end_when_stopped(host::Process& process);
  void pass_on(host::Stream stream, const std::string& bytes);
  // Lets go of what was held back as the possible start of a credential.
  void finish();
  // What it has printed: its stdout, a newline, its stderr.
  std::string output() const;
  Outcome outcome_of(const host::Exit& exit);
  Outcome could_not_start(const Error& error, const std::string& program);
  void log_end(int exit_code, const std::string& error);

  Node& node_;
  Channel out_;
  Channel err_;
  int stop_signal_ = 0;  // that ended it
};

}  // namespace sunup::controller
