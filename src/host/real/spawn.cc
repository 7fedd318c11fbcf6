#include "host/real/spawn.h"

#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/real/fd.h"

namespace sunup::host::real {
namespace {

// From linux/ioprio.h, which is not valid C++ in recent kernel headers (6.1.192: a parameter is named "class").
constexpr int kIoprioWhoProcess = 1;
constexpr int kIoprioIdle = 3 << 13;

// Searches only absolute directories of PATH, never the working directory.
std::optional<std::string> find_program(const std::string& name, const std::vector<std::string>& env) {
  if (name.find('/') != std::string::npos) return name;
  std::string_view path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  for (const std::string& variable : env)
    if (variable.starts_with("PATH=")) path = std::string_view(variable).substr(5);
  while (true) {
    const size_t colon = path.find(':');
    std::string candidate = std::string(path.substr(0, colon)) + "/" + name;
    if (path.starts_with('/') && ::access(candidate.c_str(), X_OK) == 0) return candidate;
    if (colon == std::string_view::npos) return std::nullopt;
    path.remove_prefix(colon + 1);
  }
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> list;
  list.reserve(strings.size() + 1);
  for (std::string& s : strings) list.push_back(s.data());
  list.push_back(nullptr);
  return list;
}

// The two attribute objects of posix_spawn, freed in all cases.
struct SpawnSettings {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  SpawnSettings() {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
  }
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
};

struct Streams {
  int in;  // negative: /dev/null
  int out;
  int err;
};

// 0, or an errno.
int spawn_at_once(const Command& command, const char* program, char* const* argv, char* const* env, Streams streams,
                  pid_t& pid) {
  SpawnSettings settings;
  if (streams.in >= 0)
    ::posix_spawn_file_actions_adddup2(&settings.actions, streams.in, 0);
  else
    ::posix_spawn_file_actions_addopen(&settings.actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&settings.actions, streams.out, 1);
  ::posix_spawn_file_actions_adddup2(&settings.actions, streams.err, 2);
  if (!command.directory.empty()) ::posix_spawn_file_actions_addchdir_np(&settings.actions, command.directory.c_str());
  // The loop blocks the signals that it reads from a descriptor and ignores SIGPIPE; a child starts with the defaults.
  short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  sigset_t none;
  sigset_t every;
  ::sigemptyset(&none);
  ::sigfillset(&every);
  ::posix_spawnattr_setsigmask(&settings.attributes, &none);
  ::posix_spawnattr_setsigdefault(&settings.attributes, &every);
  if (command.own_group) {
    flags |= POSIX_SPAWN_SETPGROUP;
    ::posix_spawnattr_setpgroup(&settings.attributes, 0);
  }
  ::posix_spawnattr_setflags(&settings.attributes, flags);
  return ::posix_spawn(&pid, program, &settings.actions, &settings.attributes, argv, env);
}

// Runs in the child, which has only one thread: async-signal-safe calls only. Does not return.
[[noreturn]] void run_when_let(const Command& command, const char* program, char* const* argv, char* const* env,
                               Streams streams, int gate, int complaint) {
  if (command.own_group) ::setpgid(0, 0);
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const int in = streams.in >= 0 ? streams.in : ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  char go = 0;
  // End of file: the parent has ended.
  if (in >= 0 && ::dup2(in, 0) == 0 && ::dup2(streams.out, 1) == 1 && ::dup2(streams.err, 2) == 2 &&
      (command.directory.empty() || ::chdir(command.directory.c_str()) == 0)) {
    ssize_t let = 0;
    do let = ::read(gate, &go, 1);
    while (let < 0 && errno == EINTR);
    if (let == 0) ::_exit(127);
    if (let == 1) ::execve(program, argv, env);
  }
  const int error = errno;
  (void)!::write(complaint, &error, sizeof error);
  ::_exit(127);
}

// posix_spawn starts the program before it returns, so this function forks. Returns 0 or an errno.
int spawn_when_let(const Command& command, const char* program, char* const* argv, char* const* env, Streams streams,
                   pid_t& pid) {
  int gate[2];
  int complaint[2];
  if (::pipe2(gate, O_CLOEXEC) != 0) return errno;
  const Fd waits(gate[0]);
  Fd lets(gate[1]);
  if (::pipe2(complaint, O_CLOEXEC) != 0) return errno;
  const Fd hears(complaint[0]);
  Fd complains(complaint[1]);
  pid = ::fork();
  if (pid < 0) return errno;
  if (pid == 0) {
    ::close(lets.get());  // otherwise the child would not notice the end of the parent
    run_when_let(command, program, argv, env, streams, waits.get(), complains.get());
  }
  complains.reset();
  command.before_it_runs(pid);
  ssize_t let = 0;
  do let = ::write(lets.get(), "g", 1);
  while (let < 0 && errno == EINTR);
  int error = let == 1 ? 0 : errno;
  lets.reset();  // a child that did not get the byte ends now
  if (error == 0) {
    ssize_t told = 0;
    do told = ::read(hears.get(), &error, sizeof error);
    while (told < 0 && errno == EINTR);
    if (told != sizeof error) return 0;  // end of file: the program is running
  }
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  return error;
}

}  // namespace

Result<pid_t> spawn(Command& command, int in, int out, int err) {
  const std::optional<std::string> program = find_program(command.argv[0], command.env);
  if (!program) return Error::from_errno(ENOENT, "starting " + command.argv[0]);
  const std::vector<char*> argv = pointers(command.argv);
  const std::vector<char*> env = pointers(command.env);
  const auto start = command.before_it_runs ? spawn_when_let : spawn_at_once;
  pid_t pid = 0;
  const int error = start(command, program->c_str(), argv.data(), env.data(), {.in = in, .out = out, .err = err}, pid);
  if (error != 0) return Error::from_errno(error, "starting " + command.argv[0]);
  if (command.background) {
    const sched_param idle{};
    ::sched_setscheduler(pid, SCHED_IDLE, &idle);
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(pid), 19);
    ::syscall(SYS_ioprio_set, kIoprioWhoProcess, pid, kIoprioIdle);
  }
  return pid;
}

}  // namespace sunup::host::real
