// Child processes: an argument vector (never a shell), a complete environment, captured output, a limit.
//
//   Result<Exit> exit = co_await host.processes.run(command("iptables-restore", "--noflush").with_input(rules));
//   if (!exit) co_return exit.error();              // it could not be started
//   if (!exit->ok()) co_return exit->as_error("iptables-restore");
#pragma once

#include <sys/types.h>

#include <cstdint>
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
  std::vector<std::string> argv = {};     // argv[0] is a path; a plain name is searched in the PATH of `env`
  std::vector<std::string> env = {};      // "NAME=value"; the whole environment: nothing is inherited
  std::string directory = {};             // working directory; empty: that of this process
  std::optional<std::string> input = {};  // its stdin; empty: /dev/null
  // Called with every piece of output as it arrives, in order, from the top of the loop.
  std::function<void(Stream, std::string_view)> on_output = {};
  size_t keep = 64u << 10;  // how much of the end of each stream Exit contains; 0: nothing
  // At the limit the child gets SIGTERM, and SIGKILL if it still runs `grace` later. Zero: no limit.
  Duration limit = Duration::zero();
  Duration grace = std::chrono::seconds(5);
  // True: it has its own process group, and signals also reach its children. False: it stays in the group of this
  // process, and signals reach only the child.
  bool own_group = true;
  // True: waits until the output ends, also for a grandchild that still holds stdout or stderr, as a shell's `$(...)`
  // does. False: waits only for the child; later output is lost.
  bool until_output_ends = false;
  bool background = false;  // lowest CPU and I/O priority
  // Called with its pid before its program runs. The program starts after the callback has returned; if this process is
  // killed before, it never starts. For callers that must not lose track of it. Must not throw.
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

// command("tar", "-xf", path): a program and its arguments, found in the usual directories.
template <class... Args>
Command command(Args&&... args) {
  Command made;
  made.argv.reserve(sizeof...(args));
  (made.argv.emplace_back(std::forward<Args>(args)), ...);
  made.env.emplace_back("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
  return made;
}

struct Exit {
  int code = 0;    // exit code; 0 if a signal ended it
  int signal = 0;  // the signal that ended it, or 0
  bool core_dumped = false;
  bool timed_out = false;  // the limit was reached (the child may still have ended normally, with a code)
  bool killed = false;     // SIGTERM was not sufficient
  std::string out;         // the last `keep` bytes
  std::string err;

  bool ok() const { return code == 0 && signal == 0 && !timed_out; }
  int shell_code() const { return signal != 0 ? 128 + signal : code; }
  // "tar: exit code 2: <last line of stderr>"
  Error as_error(std::string_view what) const;
};

// A running child. Destroying the object while the child runs sends SIGTERM and, after the grace period, SIGKILL; the
// loop takes care of both.
class Process {
 public:
  virtual ~Process() = default;
  virtual pid_t pid() const = 0;
  virtual Result<void> signal(int number) = 0;  // to its group, if it has its own
  // As at the limit: SIGTERM, and SIGKILL after the grace period. Output until its end is still delivered, and wait()
  // returns the result. False: it has already ended.
  virtual bool terminate() = 0;
  virtual Task<Result<Exit>> wait() = 0;  // call only once
};

class Processes {
 public:
  virtual ~Processes() = default;
  virtual Result<std::unique_ptr<Process>> start(Command command) = 0;
  // Waits until every cancelled child has ended. To be awaited before the program exits.
  virtual Task<void> settled() = 0;

  // Starts the command and waits for its end.
  Task<Result<Exit>> run(Command command);
};

// The start time of a process in clock ticks after boot, from the text of /proc/PID/stat; empty if the text is not one.
std::optional<uint64_t> start_ticks_in(std::string_view stat);

}  // namespace sunup::host
