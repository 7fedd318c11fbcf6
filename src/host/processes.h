// Child processes: an argument vector (never a shell), a complete environment, captured output, a limit.
//
//   Result<Exit> exit = co_await host.processes.run(command("iptables-restore", "--noflush").with_input(rules));
//   if (!exit) co_return exit.error();              // it could not be started
//   if (!exit->ok()) co_return exit->as_error("iptables-restore");
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "host/loop.h"
#include "host/task.h"

namespace sunup::host {

enum class Stream { kOut, kErr };

struct Command {
  std::vector<std::string> argv = {};     // argv[0] is a path; a bare name is looked up in the PATH of `env`
  std::vector<std::string> env = {};      // "NAME=value", all of it: nothing is inherited
  std::string directory = {};             // where it runs; empty: where we are
  std::optional<std::string> input = {};  // its stdin; nothing: /dev/null
  // Called with every piece of output as it comes, in order, from the top of the loop.
  std::function<void(Stream, std::string_view)> on_output = {};
  size_t keep = 64u << 10;  // how much of the end of each stream Exit holds; 0: nothing
  // At the limit: SIGTERM, and SIGKILL when it is still there `grace` later. Zero: no limit of its own.
  Duration limit = Duration::zero();
  Duration grace = std::chrono::seconds(5);
  // In a group of its own, signals reach its children too. Off: it stays in ours, and signals reach only itself.
  bool own_group = true;
  // It has ended when its output has: a grandchild that still holds stdout or stderr is waited for, as a shell's
  // `$(...)` does. Off: only the child itself counts, and what comes later is lost.
  bool until_output_ends = false;
  bool background = false;  // lowest CPU and I/O priority
  // Called with its number before its program runs, which it does when this has returned; if we are killed before
  // that, it never does. For who must not lose sight of it. Must not throw.
  std::function<void(pid_t)> before_it_runs = {};

  Command with_input(std::string text) && {
    input = std::move(text);
    return std::move(*this);
  }
  Command with_limit(Duration time) && {
    limit = time;
    return std::move(*this);
  }
};

// command("tar", "-xf", path): a program and its arguments, found in the usual places.
template <class... Args>
Command command(Args&&... args) {
  Command made;
  made.argv.reserve(sizeof...(args));
  (made.argv.emplace_back(std::forward<Args>(args)), ...);
  made.env.emplace_back("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
  return made;
}

struct Exit {
  int code = 0;    // exit code; 0 when a signal ended it
  int signal = 0;  // the signal that ended it, or 0
  bool core_dumped = false;
  bool timed_out = false;  // the limit was reached (the child may still have ended by itself, with a code)
  bool killed = false;     // SIGTERM was not enough
  std::string out;         // the last `keep` bytes
  std::string err;

  bool ok() const { return code == 0 && signal == 0 && !timed_out; }
  int shell_code() const { return signal != 0 ? 128 + signal : code; }
  // "tar: exit code 2: <last line of stderr>"
  Error as_error(std::string_view what) const;
};

// A child that was started. Destroying it while it runs sends SIGTERM, then SIGKILL after the grace period; the loop
// sees to that.
class Process {
 public:
  virtual ~Process() = default;
  virtual pid_t pid() const = 0;
  virtual Result<void> signal(int number) = 0;  // to its group, if it has its own
  // As at its limit: SIGTERM, and SIGKILL after the grace. What it says until its end is heard, and wait() tells of it.
  // False: it has ended already.
  virtual bool terminate() = 0;
  virtual Task<Result<Exit>> wait() = 0;  // once
};

class Processes {
 public:
  virtual ~Processes() = default;
  virtual Result<std::unique_ptr<Process>> start(Command command) = 0;
  // Every child that was cancelled has ended. To be awaited before the program goes.
  virtual Task<void> settled() = 0;

  // Starts it and waits for its end.
  Task<Result<Exit>> run(Command command);
};

}  // namespace sunup::host
