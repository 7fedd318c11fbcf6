#include "host/real/watch.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "host/real/socket.h"
#include "host/real/testing_dir.h"
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

  // Does the steps one turn after the other while the watch waits; the path must not be reported before the last.
  bool appears(const std::string& path, std::vector<std::function<void()>> steps) {
    size_t done = 0;
    bool early = false;
    auto act = [&]() -> Task<Result<void>> {
      for (auto& step : steps) {
        co_await loop->after(1ms);
        step();
        ++done;
      }
      co_await loop->after(1h);
      co_return Result<void>();
    };
    auto wait = [&]() -> Task<Result<void>> {
      Result<void> result = co_await watch.path_appears(path);
      early = done < steps.size();
      co_return result;
    };
    auto either = loop->run(first_of(*loop, wait(), act()));
    return either.index() == 0 && std::get<0>(either).ok() && !early;
  }
};

TEST_F(RealWatch, ReportsWhatIsAlreadyThere) {
  touch("/x");
  EXPECT_TRUE(appears("/x", {}));
}

TEST_F(RealWatch, SeesAFileThatIsMade) {
  EXPECT_TRUE(appears("/x", {[&] { touch("/other"); }, [&] { touch("/x"); }}));
}

TEST_F(RealWatch, SeesAFileWhoseDirectoriesComeLate) {
  EXPECT_TRUE(appears("/a/b/c/x", {[&] { make("/a"); }, [&] { make("/a/b/c"); }, [&] { touch("/a/b/c/x"); }}));
}

TEST_F(RealWatch, SeesDirectoriesAndFileThatComeInOneGo) {
  EXPECT_TRUE(appears("/a/b/c/x", {[&] {
                        make("/a/b/c");
                        touch("/a/b/c/x");
                      }}));
}

TEST_F(RealWatch, SeesAFileThatIsRenamedIntoPlace) {
  make("/a");
  EXPECT_TRUE(appears("/a/x", {[&] { touch("/a/.x.new"); }, [&] { fs::rename(dir / "a/.x.new", dir / "a/x"); }}));
}

TEST_F(RealWatch, SeesADirectoryThatIsRenamedIntoPlaceWithTheFileInIt) {
  make("/staged/b");
  touch("/staged/b/x");
  EXPECT_TRUE(appears("/a/b/x", {[&] { fs::rename(dir / "staged", dir / "a"); }}));
}

TEST_F(RealWatch, FollowsADirectoryThatIsRemovedAndMadeAgain) {
  make("/a/b");
  EXPECT_TRUE(appears("/a/b/x", {[&] { fs::remove_all(dir / "a"); }, [&] { make("/a/b"); }, [&] { touch("/a/b/x"); }}));
}

TEST_F(RealWatch, FollowsADirectoryFarAboveThatIsMovedAway) {
  make("/a/b/c");
  EXPECT_TRUE(appears(
      "/a/b/c/x", {[&] { fs::rename(dir / "a", dir / "old"); }, [&] { touch("/old/b/c/x"); },  // not the path any more
                   [&] { make("/a/b/c"); }, [&] { touch("/a/b/c/x"); }}));
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
}

}  // namespace
}  // namespace sunup::host::real
