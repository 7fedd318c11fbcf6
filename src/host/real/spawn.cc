#include "host/real/spawn.h"

#include <fcntl.h>
#include <linux/ioprio.h>
#include <sched.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sunup::host::real {
namespace {

// Only in directories that PATH names from the root: what stands in the working directory is never meant.
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

// posix_spawn's two bags of settings, freed whatever happens.
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

}  // namespace

Result<pid_t> spawn(Command& command, int in, int out, int err) {
  const std::optional<std::string> program = find_program(command.argv[0], command.env);
  if (!program) return Error::from_errno(ENOENT, "starting " + command.argv[0]);
  SpawnSettings settings;
  if (in >= 0)
    ::posix_spawn_file_actions_adddup2(&settings.actions, in, 0);
  else
    ::posix_spawn_file_actions_addopen(&settings.actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&settings.actions, out, 1);
  ::posix_spawn_file_actions_adddup2(&settings.actions, err, 2);
  if (!command.directory.empty()) ::posix_spawn_file_actions_addchdir_np(&settings.actions, command.directory.c_str());
  // The loop blocks the signals it reads from a descriptor, and ignores SIGPIPE; a child starts as from a shell.
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

  const std::vector<char*> argv = pointers(command.argv);
  const std::vector<char*> env = pointers(command.env);
  pid_t pid = 0;
  const int error =
      ::posix_spawn(&pid, program->c_str(), &settings.actions, &settings.attributes, argv.data(), env.data());
  if (error != 0) return Error::from_errno(error, "starting " + command.argv[0]);
  if (command.background) {
    const sched_param idle{};
    ::sched_setscheduler(pid, SCHED_IDLE, &idle);
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(pid), 19);
    ::syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, pid, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 0));
  }
  return pid;
}

}  // namespace sunup::host::real
