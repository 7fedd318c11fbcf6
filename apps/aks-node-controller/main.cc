// aks-node-controller: finds the verb and runs it. Each verb has its own file (verbs.h).
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>

#include "base/descriptors.h"
#include "base/quoted.h"
#include "controller/os_reason.h"
#include "controller/own_output.h"
#include "controller/provision.h"
#include "verbs.h"

namespace sunup {
namespace {

using controller::CommandLine;
using controller::write_stderr;
using controller::write_stdout;

// The directory that is used as "/": `--root`, otherwise SUNUP_ROOT. It affects the fixed paths of all verbs and
// nothing else.
Result<std::string> root_of(const CommandLine& line) {
  std::string root = line.flags.text("root");
  if (root.empty()) {
    const char* from_environment = std::getenv("SUNUP_ROOT");  // NOLINT(concurrency-mt-unsafe): before any thread
    if (from_environment == nullptr || *from_environment == '\0') return std::string();
    root = from_environment;
  }
  char buffer[PATH_MAX];
  if (::realpath(root.c_str(), buffer) == nullptr) {
    // An error of the machine (out of memory, a disk error) may not recur when the path is used as given, and then a
    // result can still be written. An error of the path itself is permanent.
    const int reason = errno;
    const bool path_is_wrong =
        reason == ENOENT || reason == ENOTDIR || reason == ELOOP || reason == EACCES || reason == ENAMETOOLONG;
    if (path_is_wrong) return Error("root " + root + ": " + controller::os_reason(reason));
    return root == "/" ? std::string() : root;
  }
  const std::string whole = buffer;
  struct stat info = {};
  if (::stat(buffer, &info) == 0 && !S_ISDIR(info.st_mode)) return Error("root " + root + ": not a directory");
  return whole == "/" ? std::string() : whole;
}

// Called if the log cannot be written. The result may still be writable, because it may be on another disk, so programs
// that wait for it are notified.
void leave_result(const std::string& root, const Error& error) {
  auto without_log = Program::open(root, false);
  if (!without_log) return;
  Program& program = *without_log->release();  // never destroyed, as in run()
  controller::Node& node = program.node_to_provision();
  program.loop().run(controller::leave_without_provision(node, controller::controller_failure(error.what)));
  program.finish_output();
}

int run(std::span<const std::string_view> args) {
  std::vector<controller::VerbSyntax> syntax;
  for (const Verb* verb : kVerbs) syntax.push_back(verb->syntax);
  const CommandLine line = controller::parse_command_line(args, syntax);

  const auto root = root_of(line);
  if (!root) {
    write_stderr(root.error().what + "\n");
    return 1;
  }
  const Verb* asked = nullptr;
  for (const Verb* verb : kVerbs)
    if (line.kind == CommandLine::Kind::kVerb && verb->syntax.name == line.verb->name) asked = verb;
  // On the machine itself a dry run is logged, as in the original. A tree is an image that must not be modified.
  const bool only_shows = line.flags.on("dry-run") && !line.flags.text("root").empty();
  auto opened = Program::open(*root, asked == nullptr || (!asked->only_looks && !only_shows));
  if (!opened) {
    write_stdout(opened.error().what + "\n");
    if (asked != nullptr && asked->leaves_result && !line.flags.on("dry-run")) leave_result(*root, opened.error());
    return 1;
  }
  // Never destroyed: closing a watch can take the kernel 20 ms, and another program is waiting for the exit. See
  // main().
  Program& program = *opened->release();
  if (only_shows) program.leave_no_traces();
  switch (line.kind) {
    case CommandLine::Kind::kNothing:
    case CommandLine::Kind::kNoHelp:
      write_stderr("aks-node-controller: " +
                   (line.unknown_verb.empty() ? "no command" : "no command " + go_quoted(line.unknown_verb)) +
                   (line.near_verb.empty() ? "" : "; did you mean '" + line.near_verb + "'?") +
                   "; 'aks-node-controller --help' lists them\n");
      return line.kind == CommandLine::Kind::kNothing ? 1 : 3;
    case CommandLine::Kind::kVersion:
      write_stdout("aks-node-controller version " SUNUP_VERSION "\n");
      return 0;
    case CommandLine::Kind::kHelp:
      write_stdout(line.verb == nullptr ? controller::program_help(syntax, SUNUP_VERSION)
                                        : controller::verb_help(*line.verb, line.asked_by_flag));
      return 0;
    case CommandLine::Kind::kUsageError:
      write_stderr("Incorrect Usage: " + line.usage_error + "\n\n");
      if (line.verb == nullptr) write_stdout(controller::program_help(syntax, SUNUP_VERSION));
      return 1;
    case CommandLine::Kind::kVerb:
      break;
  }
  const int code = asked->run(program, line);
  program.finish_output();
  return code;
}

}  // namespace
}  // namespace sunup

int main(int argc, char** argv) {
  sunup::open_standard_descriptors();
  std::signal(SIGPIPE, SIG_IGN);  // a reader that closed our output must not interrupt provisioning
  std::signal(SIGXFSZ, SIG_IGN);  // nor must a file size limit: the write fails with an error like others
  // A core file of this process would contain the node's keys. Only a process of root is made undumpable: /proc/self/fd
  // of such a process belongs to root, so another user could not open /dev/stdin.
  if (::geteuid() == 0) ::prctl(PR_SET_DUMPABLE, 0);
  std::signal(SIGCHLD, SIG_DFL);  // if ignored, as by some parent processes, the exit status of children would be lost
  const std::vector<std::string_view> args(argv + 1, argv + argc);
  ::_exit(sunup::run(args));
}
