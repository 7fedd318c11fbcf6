// The system calls that fault-inject knows by name, and what each is about. A call that is missing here is listed by
// its number.
#pragma once

#include <sys/syscall.h>

#include <cerrno>
#include <cstdint>
#include <string_view>

struct CallKind {
  uint64_t number;
  const char* name;
  int path;             // the argument that is a path; -1: none
  bool has_descriptor;  // the first argument is a descriptor
};

#define SUNUP_CALL(name, path, has_descriptor) {SYS_##name, #name, path, has_descriptor}
inline constexpr CallKind kCalls[] = {
    SUNUP_CALL(openat, 1, true),
    SUNUP_CALL(openat2, 1, true),
    SUNUP_CALL(newfstatat, 1, true),
    SUNUP_CALL(unlinkat, 1, true),
    SUNUP_CALL(renameat, 1, true),
    SUNUP_CALL(renameat2, 1, true),
    SUNUP_CALL(readlinkat, 1, true),
    SUNUP_CALL(mkdirat, 1, true),
    SUNUP_CALL(fchmodat, 1, true),
    SUNUP_CALL(fchownat, 1, true),
    SUNUP_CALL(faccessat, 1, true),
    SUNUP_CALL(faccessat2, 1, true),
    SUNUP_CALL(symlinkat, 2, false),
    SUNUP_CALL(utimensat, 1, true),
    SUNUP_CALL(statx, 1, true),
    SUNUP_CALL(execve, 0, false),
    SUNUP_CALL(truncate, 0, false),
    SUNUP_CALL(statfs, 0, false),
    SUNUP_CALL(chdir, 0, false),
    SUNUP_CALL(read, -1, true),
    SUNUP_CALL(write, -1, true),
    SUNUP_CALL(pread64, -1, true),
    SUNUP_CALL(pwrite64, -1, true),
    SUNUP_CALL(readv, -1, true),
    SUNUP_CALL(writev, -1, true),
    SUNUP_CALL(lseek, -1, true),
    SUNUP_CALL(close, -1, true),
    SUNUP_CALL(fstat, -1, true),
    SUNUP_CALL(fstatfs, -1, true),
    SUNUP_CALL(fsync, -1, true),
    SUNUP_CALL(fdatasync, -1, true),
    SUNUP_CALL(syncfs, -1, true),
    SUNUP_CALL(fchmod, -1, true),
    SUNUP_CALL(fchown, -1, true),
    SUNUP_CALL(ftruncate, -1, true),
    SUNUP_CALL(fallocate, -1, true),
    SUNUP_CALL(flock, -1, true),
    SUNUP_CALL(fcntl, -1, true),
    SUNUP_CALL(ioctl, -1, true),
    SUNUP_CALL(getdents64, -1, true),
    SUNUP_CALL(copy_file_range, -1, true),
    SUNUP_CALL(sendfile, -1, true),
    SUNUP_CALL(connect, -1, true),
    SUNUP_CALL(sendto, -1, true),
    SUNUP_CALL(recvfrom, -1, true),
    SUNUP_CALL(sendmsg, -1, true),
    SUNUP_CALL(recvmsg, -1, true),
    SUNUP_CALL(bind, -1, true),
    SUNUP_CALL(getsockname, -1, true),
    SUNUP_CALL(getsockopt, -1, true),
    SUNUP_CALL(setsockopt, -1, true),
    SUNUP_CALL(inotify_add_watch, 1, true),
    SUNUP_CALL(inotify_rm_watch, -1, true),
    SUNUP_CALL(epoll_ctl, -1, true),
    SUNUP_CALL(epoll_pwait, -1, true),
    SUNUP_CALL(timerfd_settime, -1, true),
    SUNUP_CALL(epoll_create1, -1, false),
    SUNUP_CALL(eventfd2, -1, false),
    SUNUP_CALL(timerfd_create, -1, false),
    SUNUP_CALL(signalfd4, -1, false),
    SUNUP_CALL(inotify_init1, -1, false),
    SUNUP_CALL(pipe2, -1, false),
    SUNUP_CALL(dup, -1, true),
    SUNUP_CALL(dup3, -1, true),
    SUNUP_CALL(socket, -1, false),
    SUNUP_CALL(socketpair, -1, false),
    SUNUP_CALL(ppoll, -1, false),
    SUNUP_CALL(getcwd, -1, false),
    SUNUP_CALL(getrandom, -1, false),
    SUNUP_CALL(brk, -1, false),
    SUNUP_CALL(mmap, -1, false),
    SUNUP_CALL(munmap, -1, false),
    SUNUP_CALL(mremap, -1, false),
    SUNUP_CALL(mprotect, -1, false),
    SUNUP_CALL(madvise, -1, false),
    SUNUP_CALL(clone, -1, false),
    SUNUP_CALL(clone3, -1, false),
    SUNUP_CALL(wait4, -1, false),
    SUNUP_CALL(waitid, -1, false),
    SUNUP_CALL(kill, -1, false),
    SUNUP_CALL(pidfd_open, -1, false),
    SUNUP_CALL(pidfd_send_signal, -1, true),
    SUNUP_CALL(prctl, -1, false),
    SUNUP_CALL(futex, -1, false),
    SUNUP_CALL(prlimit64, -1, false),
    SUNUP_CALL(setpgid, -1, false),
    SUNUP_CALL(setsid, -1, false),
    SUNUP_CALL(sysinfo, -1, false),
    SUNUP_CALL(uname, -1, false),
    // Cannot fail with any of the errors, or their failure cannot be survived; faults.py leaves them out.
    SUNUP_CALL(rt_sigaction, -1, false),
    SUNUP_CALL(rt_sigprocmask, -1, false),
    SUNUP_CALL(rt_sigreturn, -1, false),
    SUNUP_CALL(set_robust_list, -1, false),
    SUNUP_CALL(set_tid_address, -1, false),
    SUNUP_CALL(rseq, -1, false),
    SUNUP_CALL(umask, -1, false),
    SUNUP_CALL(getpid, -1, false),
    SUNUP_CALL(gettid, -1, false),
    SUNUP_CALL(getppid, -1, false),
    SUNUP_CALL(getuid, -1, false),
    SUNUP_CALL(geteuid, -1, false),
    SUNUP_CALL(getgid, -1, false),
    SUNUP_CALL(getegid, -1, false),
    SUNUP_CALL(sched_yield, -1, false),
    SUNUP_CALL(sched_getaffinity, -1, false),
    SUNUP_CALL(clock_gettime, -1, false),
    SUNUP_CALL(exit, -1, false),
    SUNUP_CALL(exit_group, -1, false),
#if defined(__x86_64__)
    SUNUP_CALL(open, 0, false),
    SUNUP_CALL(stat, 0, false),
    SUNUP_CALL(lstat, 0, false),
    SUNUP_CALL(access, 0, false),
    SUNUP_CALL(readlink, 0, false),
    SUNUP_CALL(mkdir, 0, false),
    SUNUP_CALL(rmdir, 0, false),
    SUNUP_CALL(unlink, 0, false),
    SUNUP_CALL(rename, 0, false),
    SUNUP_CALL(chmod, 0, false),
    SUNUP_CALL(poll, -1, false),
    SUNUP_CALL(pipe, -1, false),
    SUNUP_CALL(dup2, -1, true),
    SUNUP_CALL(epoll_wait, -1, true),
    SUNUP_CALL(fork, -1, false),
    SUNUP_CALL(vfork, -1, false),
    SUNUP_CALL(arch_prctl, -1, false),
#endif
};
#undef SUNUP_CALL

inline const CallKind* find_call(uint64_t number) {
  for (const CallKind& kind : kCalls)
    if (kind.number == number) return &kind;
  return nullptr;
}

// The errors that a call is made to fail with; 0: not one of them.
inline int error_number(std::string_view name) {
  return name == "ENOSPC"   ? ENOSPC
         : name == "EIO"    ? EIO
         : name == "EMFILE" ? EMFILE
         : name == "ENOMEM" ? ENOMEM
         : name == "EINTR"  ? EINTR
                            : 0;
}
