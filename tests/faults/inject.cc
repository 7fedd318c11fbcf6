// Runs a program and makes one of its system calls fail.
//
//   fault-inject --list CALLS REPORT PROGRAM ARG...                   lists the calls of a calm run
//   fault-inject --fail main:openat2:412:EIO REPORT PROGRAM ARG...    the 412th openat2 of the main thread fails with
//   EIO
//
// A call is named by its thread, its name and its number among the calls of that name in that thread, so that the name
// does not depend on how threads interleave. Threads are numbered in the order of their creation (thread1, thread2
// ...), and so are child processes (child1 ...), which are followed until they execute another program. From the
// failure on, the program runs without a tracer. REPORT gets what failed ("openat2 /etc/fstab"), or "not reached", and
// how the program ended ("exit 1", "signal 6"). The exit code is 0 if the program ended by itself or by a signal.
#include <elf.h>
#include <fcntl.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "calls.h"

namespace {

struct Call {
  std::string thread, name, error;
  int number = 0;
};

struct Tracee {
  std::string name;
  bool is_child = false;    // a separate process that has not executed a program yet
  bool is_entered = false;  // the last stop was the entry of a call
  bool is_failing = false;  // its call is the one that fails
  std::map<uint64_t, int> counts;
};

[[noreturn]] void die(const char* what) {
  std::fprintf(stderr, "fault-inject: %s: %s\n", what, std::strerror(errno));
  std::exit(2);
}

// The registers of a stopped thread. Their layout depends on the processor.
class Registers {
 public:
  explicit Registers(pid_t tid) : tid_(tid) {
    iovec all = {&regs_, sizeof regs_};
    // Another thread may end the process while this one is stopped.
    if (ptrace(PTRACE_GETREGSET, tid_, NT_PRSTATUS, &all) != 0 && errno != ESRCH) die("PTRACE_GETREGSET");
  }
  // Prevents the call.
  void skip_call() {
#if defined(__x86_64__)
    regs_.orig_rax = static_cast<unsigned long long>(-1);
    write();
#elif defined(__aarch64__)
    int none = -1;
    iovec one = {&none, sizeof none};
    ptrace(PTRACE_SETREGSET, tid_, NT_ARM_SYSTEM_CALL, &one);
#endif
  }
  void set_first_argument(unsigned long long value) {
#if defined(__x86_64__)
    regs_.rdi = value;
#elif defined(__aarch64__)
    regs_.regs[0] = value;
#endif
    write();
  }
  void set_return(long value) {
#if defined(__x86_64__)
    regs_.rax = static_cast<unsigned long long>(value);
#elif defined(__aarch64__)
    regs_.regs[0] = static_cast<unsigned long long>(value);
#endif
    write();
  }

 private:
  void write() {
    iovec all = {&regs_, sizeof regs_};
    ptrace(PTRACE_SETREGSET, tid_, NT_PRSTATUS, &all);
  }
  pid_t tid_;
  user_regs_struct regs_ = {};
};

std::string text_at(pid_t tid, uint64_t address) {
  char buffer[256] = {};
  iovec here = {buffer, sizeof buffer - 1};
  iovec there = {reinterpret_cast<void*>(address), here.iov_len};
  if (process_vm_readv(tid, &here, 1, &there, 1, 0) <= 0) {
    // The text may end before an unmapped page does.
    there.iov_len = here.iov_len = std::min<size_t>(4096 - address % 4096, sizeof buffer - 1);
    if (process_vm_readv(tid, &here, 1, &there, 1, 0) <= 0) return "?";
  }
  return buffer;
}

std::string descriptor(pid_t tid, int fd) {
  if (fd == AT_FDCWD) return "";
  char target[PATH_MAX] = {};
  const std::string link = "/proc/" + std::to_string(tid) + "/fd/" + std::to_string(fd);
  return readlink(link.c_str(), target, sizeof target - 1) < 0 ? "fd " + std::to_string(fd) : target;
}

// The subject of the call: its path, or the file of its descriptor.
std::string subject(pid_t tid, const CallKind& kind, const uint64_t* args) {
  if (kind.path == 0) return text_at(tid, args[0]);
  if (kind.path > 0) {
    const std::string name = text_at(tid, args[kind.path]);
    if (name.starts_with('/')) return name;
    return descriptor(tid, static_cast<int>(args[0])) + (name.empty() ? "" : "/" + name);
  }
  return kind.has_descriptor ? descriptor(tid, static_cast<int>(args[0])) : "";
}

class Injector {
 public:
  Injector(FILE* list, Call fails, FILE* report) : list_(list), fails_(std::move(fails)), report_(report) {}

  int run(pid_t program) {
    program_ = program;
    tracees_[program] = {.name = "main", .counts = {}};
    int status = 0;
    if (waitpid(program, &status, 0) != program || !WIFSTOPPED(status)) die("the program was not started");
    constexpr long kOptions = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                              PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
    if (ptrace(PTRACE_SETOPTIONS, program, nullptr, kOptions) != 0) die("ptrace");
    ptrace(PTRACE_CONT, program, nullptr, 0);
    while (true) {
      const pid_t tid = waitpid(-1, &status, __WALL);
      if (tid < 0 && errno == EINTR) continue;
      if (tid < 0) die("waitpid");
      if (WIFSTOPPED(status)) {
        stopped(tid, status);
        continue;
      }
      tracees_.erase(tid);
      if (tid == program_) return ended(status);
    }
  }

 private:
  int ended(int status) {
    if (list_ == nullptr && !is_done_) std::fprintf(report_, "not reached\n");
    if (WIFSIGNALED(status))
      std::fprintf(report_, "signal %d\n", WTERMSIG(status));
    else
      std::fprintf(report_, "exit %d\n", WEXITSTATUS(status));
    return 0;
  }

  void stopped(pid_t tid, int status) {
    const int signal = WSTOPSIG(status);
    const int event = status >> 16;
    if (event == PTRACE_EVENT_EXEC) {
      // The first exec is that of the program. A child that executes another program is no longer followed.
      if (is_started_ && tid != program_) {
        tracees_.erase(tid);
        ptrace(PTRACE_DETACH, tid, nullptr, 0);
        return;
      }
      is_started_ = true;
    } else if (event == PTRACE_EVENT_CLONE || event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK) {
      unsigned long created = 0;
      ptrace(PTRACE_GETEVENTMSG, tid, nullptr, &created);
      const bool is_child = !is_thread(static_cast<pid_t>(created));
      Tracee& tracee = tracees_[static_cast<pid_t>(created)];
      tracee.name = is_child ? "child" + std::to_string(++children_) : "thread" + std::to_string(++threads_);
      tracee.is_child = is_child;
      if (early_.erase(static_cast<pid_t>(created)) > 0) go_on(static_cast<pid_t>(created), 0);
    } else if (signal == (SIGTRAP | 0x80)) {
      if (is_started_) call_stop(tid, tracees_[tid]);
    } else if (!tracees_.contains(tid)) {
      // It stops before its creator is notified; its name is known only then.
      early_.insert(tid);
      return;
    } else if (event == 0 && signal != SIGSTOP && signal != SIGTRAP) {
      go_on(tid, signal);
      return;
    }
    go_on(tid, 0);
  }

  void go_on(pid_t tid, int signal) {
    if (is_done_ && !tracees_[tid].is_failing) {
      ptrace(PTRACE_DETACH, tid, nullptr, signal);
      if (tid != program_) tracees_.erase(tid);
      return;
    }
    ptrace(is_started_ ? PTRACE_SYSCALL : PTRACE_CONT, tid, nullptr, signal);
  }

  bool is_thread(pid_t tid) const {
    return access(("/proc/" + std::to_string(program_) + "/task/" + std::to_string(tid)).c_str(), F_OK) == 0;
  }

  void call_stop(pid_t tid, Tracee& tracee) {
    __ptrace_syscall_info info = {};
    if (ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof info, &info) <= 0) return;
    if (info.op == PTRACE_SYSCALL_INFO_EXIT) {
      if (tracee.is_failing) fail(tid);
      tracee.is_failing = false;
      return;
    }
    if (info.op != PTRACE_SYSCALL_INFO_ENTRY || is_done_) return;
    const CallKind* kind = find_call(info.entry.nr);
    const std::string name = kind != nullptr ? kind->name : "call" + std::to_string(info.entry.nr);
    const int number = ++tracee.counts[info.entry.nr];
    const uint64_t* args = reinterpret_cast<const uint64_t*>(info.entry.args);
    if (list_ != nullptr) {
      std::fprintf(list_, "%s:%s:%d %s\n", tracee.name.c_str(), name.c_str(), number,
                   kind != nullptr ? subject(tid, *kind, args).c_str() : "");
      return;
    }
    if (number != fails_.number || name != fails_.name || tracee.name != fails_.thread) return;
    std::fprintf(report_, "%s %s\n", name.c_str(), kind != nullptr ? subject(tid, *kind, args).c_str() : "");
    is_done_ = tracee.is_failing = true;
    std::fflush(report_);
    first_argument_ = args[0];
    if (name == "brk")
      Registers(tid).set_first_argument(0);
    else if (name != "close")  // the kernel closes a descriptor even if close() returns an error
      Registers(tid).skip_call();
  }

  void fail(pid_t tid) {
    // A break that cannot be moved is returned unchanged; the registers of the program must be restored.
    if (fails_.name == "brk")
      Registers(tid).set_first_argument(first_argument_);
    else
      Registers(tid).set_return(-error_number(fails_.error));
  }

  FILE* list_;
  Call fails_;
  FILE* report_;
  pid_t program_ = 0;
  bool is_started_ = false;
  bool is_done_ = false;
  uint64_t first_argument_ = 0;  // of the call that fails
  int threads_ = 0;
  int children_ = 0;
  std::map<pid_t, Tracee> tracees_;
  std::set<pid_t> early_;
};

Call parse(const std::string& text) {
  Call call;
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ':')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  if (parts.size() != 4 || error_number(parts[3]) == 0) {
    std::fprintf(stderr, "fault-inject: '%s' is not THREAD:CALL:NUMBER:ERROR\n", text.c_str());
    std::exit(2);
  }
  return {.thread = parts[0], .name = parts[1], .error = parts[3], .number = std::atoi(parts[2].c_str())};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: fault-inject --list CALLS | --fail THREAD:CALL:NUMBER:ERROR REPORT PROGRAM ARG...\n");
    return 2;
  }
  const bool lists = std::strcmp(argv[1], "--list") == 0;
  FILE* list = lists ? std::fopen(argv[2], "we") : nullptr;
  FILE* report = std::fopen(argv[3], "we");
  if (report == nullptr || (lists && list == nullptr)) die("cannot write");
  Call fails;
  if (!lists) fails = parse(argv[2]);
  const pid_t program = fork();
  if (program < 0) die("fork");
  if (program == 0) {
    // Without randomization, the memory of the program, and thus the number of its calls, does not depend on addresses.
    personality(ADDR_NO_RANDOMIZE);
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    raise(SIGSTOP);
    execv(argv[4], argv + 4);
    _exit(127);
  }
  const int code = Injector(list, std::move(fails), report).run(program);
  if (list != nullptr) std::fclose(list);
  std::fclose(report);
  return code;
}
