// Runs a program repeatedly and prints a line for each run: microseconds, peak kB, exit code.
//
//   spawn RUNS PROGRAM [ARGUMENTS...]
//
// This is a separate program because it must be small: the kernel counts the memory of a process before its exec as
// part of its peak, so a runner of 15 MB would never measure less than that.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace {

double microseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

[[noreturn]] void become(char** argv) {
  const int nothing = open("/dev/null", O_RDWR);
  for (int fd = 0; fd < 3; ++fd) dup2(nothing, fd);
  execv(argv[0], argv);
  _exit(127);
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) return std::fputs("usage: spawn RUNS PROGRAM [ARGUMENTS...]\n", stderr), 2;
  for (int runs = std::atoi(words[1]); runs > 0; --runs) {
    const double start = microseconds();
    const pid_t child = fork();
    if (child == 0) become(words + 2);
    int status = 0;
    rusage usage{};
    if (child < 0 || wait4(child, &status, 0, &usage) != child) return std::perror("spawn"), 1;
    std::printf("%.1f %ld %d\n", microseconds() - start, usage.ru_maxrss, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  }
  return 0;
}
