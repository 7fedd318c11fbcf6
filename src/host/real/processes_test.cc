#include "host/real/processes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "host/real/boot.h"
#include "host/real/test_dir.h"
#include "host/real/watch.h"
#include "host/running.h"

namespace sunup::host::real {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

struct RealProcesses : testing::Test {
  RealProcesses() { ::signal(SIGPIPE, SIG_IGN); }
  std::unique_ptr<Loop> loop = std::move(*Loop::open());
  Processes processes{*loop};

  Result<Exit> run(Command command) { return loop->run(processes.run(std::move(command))); }
  Command sh(std::string script) {
    return Command{.argv = {"/bin/sh", "-c", std::move(script)}, .env = {"PATH=/usr/bin:/bin"}};
  }
};

TEST_F(RealProcesses, CapturesBothStreamsAndTheCode) {
  auto exit = run(sh("echo out; echo err >&2; exit 3"));
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->code, 3);
  EXPECT_EQ(exit->out, "out\n");
  EXPECT_EQ(exit->err, "err\n");
  EXPECT_EQ(exit->as_error("thing").what, "thing: exit code 3: err");
}

TEST_F(RealProcesses, ArgumentsAreNotInterpretedAndNothingIsInherited) {
  ::setenv("SUNUP_LEAK", "1", 1);
  auto exit = run(Command{.argv = {"printf", "%s|", "$HOME", "a b", "*"}, .env = {"PATH=/usr/bin:/bin"}});
  EXPECT_EQ(exit->out, "$HOME|a b|*|");
  auto env = run(Command{.argv = {"/usr/bin/env"}, .env = {"A=1"}});
  EXPECT_EQ(env->out, "A=1\n");
}

TEST_F(RealProcesses, AnEndThatNobodyLearnsOfIsAFailureNotAHang) {
  const auto earlier = ::signal(SIGCHLD, SIG_IGN);
  Command command = sh("read x; exit 0");
  command.input = "go\n";
  const auto exit = run(std::move(command));
  ::signal(SIGCHLD, earlier);
  ASSERT_TRUE(exit);
  EXPECT_FALSE(exit->ok());
}

TEST_F(RealProcesses, TellsWhetherItsMemoryWasDumped) {
  TestingDir dir;
  for (const char* limit : {"0", "unlimited"}) {
    const std::string script = "cd " + dir.path() + "; ulimit -c " + limit + "; kill -ABRT $$";
    // Whether core dumps exist at all depends on this machine, so a plain fork gives the expected value.
    const pid_t other = ::fork();
    if (other == 0) {
      ::execl("/bin/sh", "sh", "-c", script.c_str(), nullptr);
      ::_exit(127);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(other, &status, 0), other);
    ASSERT_TRUE(WIFSIGNALED(status));
    const auto exit = run(sh(script));
    EXPECT_EQ(exit->signal, SIGABRT);
    EXPECT_EQ(exit->core_dumped, WCOREDUMP(status) != 0) << limit;
  }
}

// cmake/arm64.cmake sets it.
bool in_emulator() {
  return ::getenv("SUNUP_EMULATED") != nullptr;  // NOLINT(concurrency-mt-unsafe): never written
}

TEST_F(RealProcesses, MissingProgramIsAnErrorThatNamesIt) {
  if (in_emulator()) GTEST_SKIP() << "qemu-user makes vfork a fork, so that nobody learns that the child's exec failed";
  auto exit = run(Command{.argv = {"/no/such/program"}});
  ASSERT_FALSE(exit);
  EXPECT_EQ(exit.error().os_errno, ENOENT);
  EXPECT_THAT(exit.error().what, HasSubstr("/no/such/program"));
}

TEST_F(RealProcesses, RunsNothingBeforeItMay) {
  if (in_emulator()) GTEST_SKIP() << "the program of every other process is qemu itself";
  TestingDir dir;
  const std::string mark = dir / "mark";
  Command command = sh("cat " + mark);
  pid_t seen = 0;
  command.before_it_runs = [&](pid_t pid) {
    seen = pid;
    EXPECT_EQ(std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/exe"),
              std::filesystem::read_symlink("/proc/self/exe"));
    std::ofstream(mark) << "it may\n";
  };
  auto process = processes.start(std::move(command));
  ASSERT_TRUE(process);
  EXPECT_EQ((*process)->pid(), seen);
  EXPECT_EQ(loop->run((*process)->wait())->out, "it may\n");
}

TEST_F(RealProcesses, WhatCannotRunIsAnErrorAlsoIfItHadToWait) {
  Command command{.argv = {"/no/such/program"}};
  pid_t pid = 0;
  command.before_it_runs = [&](pid_t started) { pid = started; };
  auto exit = run(std::move(command));
  ASSERT_FALSE(exit);
  EXPECT_EQ(exit.error().os_errno, ENOENT);
  ASSERT_GT(pid, 0);
  EXPECT_EQ(::kill(pid, 0), -1);  // it is not a zombie either
}

TEST_F(RealProcesses, WhoWaitsForOneThatWasKilledNeverRuns) {
  TestingDir dir;
  int alive[2];
  ASSERT_EQ(::pipe(alive), 0);  // its write end is open as long as any of them runs
  const pid_t starter = ::fork();
  if (starter == 0) {
    ::close(alive[0]);
    Command command = sh("echo ran > " + (dir / "ran"));
    command.before_it_runs = [](pid_t) { ::raise(SIGKILL); };
    (void)processes.start(std::move(command));
    ::_exit(0);
  }
  ::close(alive[1]);
  char none = 0;
  EXPECT_EQ(::read(alive[0], &none, 1), 0);
  ::close(alive[0]);
  int status = 0;
  ASSERT_EQ(::waitpid(starter, &status, 0), starter);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_FALSE(std::filesystem::exists(dir / "ran"));
}

// A program in the working directory must not be found, also not through an entry of PATH that is empty or relative.
TEST_F(RealProcesses, ProgramsAreNotLookedForInTheWorkingDirectory) {
  TestingDir dir;
  const std::string name = "sunup-test-program";
  const std::string path = dir / name;
  std::ofstream(path) << "#!/bin/sh\necho ran\n";
  ASSERT_EQ(::chmod(path.c_str(), 0755), 0);
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(dir.path());
  for (const char* directories : {"PATH=/usr/bin:/bin", "PATH=", "PATH=:/bin", "PATH=.:/bin:"}) {
    for (const std::string& directory : {std::string(), dir.path()}) {
      auto exit = run(Command{.argv = {name}, .env = {directories}, .directory = directory});
      ASSERT_FALSE(exit) << directories << ": " << exit->out;
      EXPECT_EQ(exit.error().os_errno, ENOENT) << directories;
      EXPECT_THAT(exit.error().what, HasSubstr("starting " + name)) << directories;
    }
  }
  EXPECT_EQ(run(Command{.argv = {name}, .env = {"PATH=/no/such:" + dir.path()}})->out, "ran\n");
  EXPECT_EQ(run(Command{.argv = {"./" + name}, .env = {"PATH="}})->out, "ran\n");
  std::filesystem::current_path(before);
}

TEST_F(RealProcesses, StdinIsEmptyUnlessInputIsGiven) {
  EXPECT_EQ(run(Command{.argv = {"/bin/cat"}})->out, "");
  const std::string big(1 << 20, 'x');
  auto exit = run(Command{.argv = {"/usr/bin/wc", "-c"}, .input = big});
  EXPECT_EQ(exit->out, "1048576\n");
  // It is not an error if a child does not read its input.
  EXPECT_TRUE(run(Command{.argv = {"/bin/true"}, .input = big})->ok());
}

TEST_F(RealProcesses, KeepsTheEndOfLongOutputAndPassesAllOfItOn) {
  size_t seen = 0;
  Command command = sh("i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done");
  command.keep = 100;
  command.on_output = [&](Stream, std::string_view piece) { seen += piece.size(); };
  auto exit = run(std::move(command));
  EXPECT_EQ(exit->out.size(), 100U);
  EXPECT_TRUE(exit->out.ends_with("line 19999\n"));
  EXPECT_EQ(seen, 208890U);
}

TEST_F(RealProcesses, LimitTerminatesAndStillReports) {
  Command command = sh("trap 'echo bye; exit 7' TERM; echo up; while :; do sleep 0.01; done");
  command.limit = 50ms;
  auto exit = run(std::move(command));
  EXPECT_TRUE(exit->timed_out);
  EXPECT_FALSE(exit->killed);
  EXPECT_EQ(exit->signal + exit->code, exit->code == 7 ? 7 : SIGTERM);  // SIGTERM may arrive before the trap is set
}

TEST_F(RealProcesses, WhoIgnoresTermIsKilledWithItsGroup) {
  pid_t grandchild = 0;
  // A shell that gets the signal before it has set its trap ends at once; the next attempt gives it more time.
  for (Duration limit = 20ms; grandchild == 0; limit *= 2) {
    Command command = sh("trap '' TERM; sleep 1000 & echo $!; wait; sleep 1000");
    command.limit = limit;
    command.grace = 20ms;
    auto exit = run(std::move(command));
    grandchild = std::atoi(exit->out.c_str());
    if (grandchild == 0) continue;
    EXPECT_EQ(exit->signal, SIGKILL);
    EXPECT_TRUE(exit->killed);
  }
  Watch watch(*loop, "/");
  const auto start = process_start_ticks(grandchild);
  ASSERT_TRUE(start);
  EXPECT_TRUE(!*start || loop->run(watch.process_ends(grandchild, **start)).ok());
}

TEST_F(RealProcesses, WhatItSaysAfterItWasAskedToEndIsHeard) {
  std::string heard;
  Slot<bool> ready(*loop);
  Command command = sh("trap 'echo bye; exit 7' TERM; echo up; while :; do sleep 0.01; done");
  command.on_output = [&](Stream stream, std::string_view piece) {
    if (stream == Stream::kErr) return;  // some shells report there that their sleep was terminated
    heard += piece;
    if (heard.ends_with("up\n")) ready.set(true);
  };
  auto process = processes.start(std::move(command));
  ASSERT_TRUE(process);
  auto asked = [&]() -> Task<Result<Exit>> {
    co_await ready;
    EXPECT_TRUE((*process)->terminate());
    co_return co_await (*process)->wait();
  };
  const auto exit = loop->run(asked());
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->code, 7);
  EXPECT_EQ(heard, "up\nbye\n");
  EXPECT_FALSE((*process)->terminate()) << "it has ended";
}

TEST_F(RealProcesses, CancellingKillsTheChildAndSettledWaitsForIt) {
  pid_t pid = 0;
  auto cancelled = [&]() -> Task<Result<Exit>> {
    auto process = processes.start(Command{.argv = {"/bin/sleep", "1000"}});
    pid = (*process)->pid();
    co_return co_await (*process)->wait();
  };
  auto result = loop->run(within(*loop, 5ms, cancelled(), "sleeper"));
  EXPECT_EQ(result.error().os_errno, ETIMEDOUT);
  loop->run(processes.settled());
  EXPECT_EQ(::kill(pid, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST_F(RealProcesses, DoesNotWaitForAGrandchildThatKeepsThePipe) {
  auto exit = run(sh("echo now; sleep 1000 & echo $!"));
  ASSERT_THAT(exit->out, HasSubstr("now\n"));
  const pid_t grandchild = std::atoi(exit->out.c_str() + 4);
  ASSERT_GT(grandchild, 0);
  ::kill(grandchild, SIGKILL);
}

TEST_F(RealProcesses, WaitsForAllWhoHoldThePipeWhenAsked) {
  Command command = sh("echo early; (read go < /proc/self/fd/3; echo late) 3<&0 & exit 5");
  command.input = "go\n";
  command.until_output_ends = true;
  auto exit = run(std::move(command));
  EXPECT_EQ(exit->code, 5);
  EXPECT_EQ(exit->out, "early\nlate\n");
}

TEST_F(RealProcesses, CancellingEndsThoseWhoHoldThePipeToo) {
  pid_t grandchild = 0;
  Slot<bool> started(*loop);
  auto cancelled = [&]() -> Task<Result<Exit>> {
    Command command = sh("sleep 1000 & echo $!");
    command.until_output_ends = true;
    command.on_output = [&](Stream, std::string_view piece) {
      grandchild = std::atoi(std::string(piece).c_str());
      started.set(true);
    };
    co_return co_await processes.run(std::move(command));
  };
  auto until_started = [&]() -> Task<Result<Exit>> {
    co_await started;
    co_return Error("started");
  };
  loop->run(first_of(*loop, cancelled(), until_started()));
  loop->run(processes.settled());
  // The grandchild has closed the pipe. That it has also been told to end shows when it ends.
  ASSERT_GT(grandchild, 0);
  Watch watch(*loop, "/");
  const auto start = process_start_ticks(grandchild);
  ASSERT_TRUE(start);
  EXPECT_TRUE(!*start || loop->run(watch.process_ends(grandchild, **start)).ok());
}

TEST_F(RealProcesses, ChildStaysInOurGroupWhenAsked) {
  Command own{.argv = {"/bin/sh", "-c", "ps -o pgid= -p $$ || cut -d' ' -f5 /proc/self/stat"},
              .env = {"PATH=/usr/bin:/bin"}};
  Command ours = own;
  ours.own_group = false;
  EXPECT_EQ(std::atoi(run(std::move(ours))->out.c_str()), ::getpgrp());
  EXPECT_NE(std::atoi(run(std::move(own))->out.c_str()), ::getpgrp());
}

TEST_F(RealProcesses, BackgroundChildrenHaveTheLowestPriority) {
  Command command{.argv = {"/bin/sh", "-c", "read go; cut -d' ' -f41 /proc/$$/stat"},
                  .env = {"PATH=/usr/bin:/bin"},
                  .input = "go\n"};
  command.background = true;
  EXPECT_EQ(run(std::move(command))->out, "5\n");  // SCHED_IDLE
}

TEST_F(RealProcesses, RunsManyAtOnceWithoutMixingThemUp) {
  auto one = [this](int i) -> Task<Result<void>> {
    Command command{.argv = {"/bin/echo", std::to_string(i)}};
    Result<Exit> exit = co_await processes.run(std::move(command));
    if (!exit) co_return std::move(exit).error();
    if (exit->out != std::to_string(i) + "\n") co_return Error("mixed up");
    co_return Result<void>();
  };
  std::vector<Task<Result<void>>> tasks;
  for (int i = 0; i < 50; ++i) tasks.push_back(one(i));
  EXPECT_TRUE(loop->run(all(*loop, std::move(tasks))));
}

}  // namespace
}  // namespace sunup::host::real
