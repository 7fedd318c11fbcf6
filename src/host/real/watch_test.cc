#include "host/real/watch.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "host/real/boot.h"
#include "host/real/socket.h"
#include "host/real/test_dir.h"
#include "host/running.h"

namespace sunup::host::real {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

struct RealWatch : testing::Test {
  std::unique_ptr<Loop> loop = std::move(*Loop::open());
  TestingDir dir;
  Watch watch{*loop, dir.path()};

  void touch(const std::string& path) { std::ofstream(dir.path() + path) << "x"; }
  void make(const std::string& path) { fs::create_directories(dir.path() + path); }

  // Some file systems (9p, NFS) have no leases; there every file counts as written.
  bool has_leases() {
    touch("/lease");
    const Fd file(::open((dir.path() + "/lease").c_str(), O_RDONLY | O_CLOEXEC));
    return ::fcntl(file.get(), F_SETLEASE, F_RDLCK) == 0;
  }
};

TEST_F(RealWatch, TellsWhenAFileIsReplaced) {
  touch("/f");
  const auto differs = [&] {
    std::ifstream file(dir.path() + "/f");
    std::string text;
    file >> text;
    return text == "wanted";
  };
  int looks = 0;
  loop->call_at(loop->now() + 1ms, [&] {
    std::ofstream(dir.path() + "/new") << "other";
    fs::rename(dir.path() + "/new", dir.path() + "/f");
  });
  loop->call_at(loop->now() + 4ms, [&] {
    std::ofstream(dir.path() + "/new") << "wanted";
    fs::rename(dir.path() + "/new", dir.path() + "/f");
  });
  const auto look = [&] { return ++looks, differs(); };
  EXPECT_TRUE(loop->run(within(*loop, 30s, watch.path_differs("/f", look), "file")));
  EXPECT_LT(looks, 20) << "it looks when something happens, and not all the time";
  EXPECT_TRUE(loop->run(within(*loop, 0s, watch.path_differs("/f", look), "file"))) << "what is so returns at once";
}

TEST_F(RealWatch, SocketIsReportedWhenItAcceptsNotWhenItExists) {
  const std::string path = dir / "s.sock";
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  bool listening = false;
  loop->call_at(loop->now() + 1ms, [&] {
    auto address = SocketAddress::parse(path);
    ASSERT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address->storage), address->length), 0);
  });
  loop->call_at(loop->now() + 4ms, [&] {
    listening = true;
    ASSERT_EQ(::listen(fd, 1), 0);
  });
  EXPECT_TRUE(loop->run(within(*loop, 30s, watch.socket_accepts("/s.sock"), "socket")));
  EXPECT_TRUE(listening);
  ::close(fd);
}

TEST_F(RealWatch, SocketIsFoundBehindALinkWhoseTargetComesLate) {
  fs::create_symlink("run/s.sock", dir / "s.sock");
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  loop->call_at(loop->now() + 1ms, [&] {
    make("/run");
    auto address = SocketAddress::parse(dir / "run/s.sock");
    ASSERT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address->storage), address->length), 0);
    ASSERT_EQ(::listen(fd, 1), 0);
  });
  EXPECT_TRUE(loop->run(within(*loop, 30s, watch.socket_accepts("/s.sock"), "socket")));
  ::close(fd);
}

TEST_F(RealWatch, DeadSocketFileIsNotAListener) {
  const std::string path = dir / "s.sock";
  auto address = SocketAddress::parse(path);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address->storage), address->length), 0);
  ::close(fd);
  EXPECT_FALSE(loop->run(within(*loop, 20ms, watch.socket_accepts("/s.sock"), "socket")));
}

TEST_F(RealWatch, TerminationIsAnEventAndStaysTrue) {
  auto stopped = [&]() -> Task<Result<int>> {
    const int number = co_await watch.termination();
    co_return number;
  };
  loop->call_at(loop->now() + 1ms, [] { ::kill(::getpid(), SIGTERM); });
  EXPECT_EQ(*loop->run(within(*loop, 30s, stopped(), "signal")), SIGTERM);
  EXPECT_EQ(*loop->run(within(*loop, 30s, stopped(), "signal")), SIGTERM);
  sigset_t pending;
  ::sigpending(&pending);
  EXPECT_EQ(::sigismember(&pending, SIGTERM), 1) << "whoever is about to block outside the loop can still see it";
  const timespec now{};
  EXPECT_EQ(::sigtimedwait(&pending, nullptr, &now), SIGTERM);  // the following tests must not see it
}

TEST_F(RealWatch, AFileIsWrittenWhenItsWriterHasClosedIt) {
  EXPECT_TRUE(loop->run(watch.file_is_written("/absent")));
  if (!has_leases()) GTEST_SKIP() << "no leases on the file system of " << dir.path();
  std::ofstream writer(dir.path() + "/x");
  bool closed = false;
  loop->call_at(loop->now() + 5ms, [&] { writer << "half" << std::flush; });
  loop->call_at(loop->now() + 10ms, [&] {
    closed = true;
    writer.close();
  });
  EXPECT_TRUE(loop->run(within(*loop, 30s, watch.file_is_written("/x"), "writing")));
  EXPECT_TRUE(closed);
  EXPECT_TRUE(loop->run(watch.file_is_written("/x")));
}

// In its own namespace, so that the host name of the machine does not change.
TEST_F(RealWatch, SeesTheHostNameBecomeFinal) {
  if (::unshare(CLONE_NEWUTS) != 0) GTEST_SKIP() << "this user may not change a host name";
  const auto call_it = [](std::string_view name) { EXPECT_EQ(::sethostname(name.data(), name.size()), 0); };
  call_it("early");
  make("/etc");
  const auto is_final = [&] { return loop->run(within(*loop, 30s, watch.hostname_is_final(), "host name")).ok(); };
  int steps = 0;
  loop->call_at(loop->now() + 1ms, [&] { ++steps, call_it("aks-0"); });
  loop->call_at(loop->now() + 5ms, [&] { ++steps, std::ofstream(dir.path() + "/etc/hostname") << "aks-0\n"; });
  EXPECT_TRUE(is_final());
  EXPECT_EQ(steps, 2);

  call_it("again");
  loop->call_at(loop->now() + 1ms, [&] { ++steps, call_it("aks-0"); });
  EXPECT_TRUE(is_final());
  EXPECT_EQ(steps, 3);
  EXPECT_TRUE(is_final());
}

TEST_F(RealWatch, SeesTheEndOfAStrangersProcess) {
  // The grandchild is not a child of this process, and its parent has ended when the wait begins.
  int pipe_ends[2];
  int told[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  ASSERT_EQ(::pipe(told), 0);
  const pid_t between = ::fork();
  if (between == 0) {
    const pid_t grandchild = ::fork();
    char nothing = 0;
    if (grandchild == 0) {
      ::close(pipe_ends[1]);
      ::_exit(::read(pipe_ends[0], &nothing, 1) == 0 ? 0 : 1);
    }
    ::_exit(::write(told[1], &grandchild, sizeof grandchild) == sizeof grandchild ? 0 : 1);
  }
  ASSERT_EQ(::waitpid(between, nullptr, 0), between);
  pid_t pid = 0;
  ASSERT_EQ(::read(told[0], &pid, sizeof pid), static_cast<ssize_t>(sizeof pid));
  const uint64_t start = process_start_ticks(pid)->value();
  auto let_it_go = [&]() -> Task<Result<void>> {
    co_await loop->after(1ms);
    ::close(pipe_ends[1]);
    co_await loop->after(1h);
    co_return Result<void>();
  };
  auto either = loop->run(first_of(*loop, watch.process_ends(pid, start), let_it_go()));
  EXPECT_EQ(either.index(), 0U);
  EXPECT_TRUE(loop->run(watch.process_ends(pid, start))) << "what has ended has ended";
  EXPECT_TRUE(loop->run(watch.process_ends(::getpid(), 1))) << "another process has the number by now";
  const auto unknown = loop->run(within(*loop, 5ms, watch.process_ends(::getpid(), 0), "the end of this process"));
  EXPECT_EQ(unknown.error().os_errno, ETIMEDOUT) << "a process whose start is not known was taken for another one";
  for (const int end : {pipe_ends[0], told[0], told[1]}) ::close(end);
}

}  // namespace
}  // namespace sunup::host::real
