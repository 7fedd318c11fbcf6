#include "host/real/path_watch.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "host/real/test_dir.h"
#include "host/real/watch.h"
#include "host/running.h"

namespace sunup::host::real {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

struct RealWay : testing::Test {
  std::unique_ptr<Loop> loop = std::move(*Loop::open());
  TestingDir dir;
  Watch watch{*loop, dir.path()};

  void touch(const std::string& path) { std::ofstream(dir.path() + path) << "x"; }
  void make(const std::string& path) { fs::create_directories(dir.path() + path); }
  void link(const std::string& target, const std::string& path) { fs::create_symlink(target, dir.path() + path); }

  // Performs one step per turn while the watch waits; the path must not be reported before the last step.
  bool appears(const std::string& path, std::vector<std::function<void()>> steps) {
    return appears(watch, path, std::move(steps));
  }
  bool appears(Watch& seen_by, const std::string& path, std::vector<std::function<void()>> steps) {
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
      Result<void> result = co_await seen_by.path_appears(path);
      early = done < steps.size();
      co_return result;
    };
    auto either = loop->run(first_of(*loop, wait(), act()));
    return either.index() == 0 && std::get<0>(either).ok() && !early;
  }

  // Returns when all events so far have been processed.
  Task<void> rest() {
    Slot<bool> idle(*loop);
    loop->when_idle([idle] { idle.set(true); });
    co_await idle;
  }
};

// A watch that wakes itself up would never let the loop become idle.
TEST_F(RealWay, RestsAfterNewsThatChangedNothing) {
  make("/a");
  auto wait = [&]() -> Task<Result<void>> { co_return co_await watch.path_appears("/a/b/c"); };
  auto news = [&]() -> Task<Result<void>> {
    for (int i = 0; i < 3; ++i) {
      if (i == 1) fs::permissions(dir.path() + "/a", fs::perms::owner_all);
      if (i == 2) make("/a/b");
      co_await loop->after(5ms);  // long enough for the kernel's events
      co_await rest();
    }
    co_return Result<void>();
  };
  auto either = loop->run(first_of(*loop, wait(), within(*loop, 10s, news(), "rest")));
  ASSERT_EQ(either.index(), 1U);
  EXPECT_TRUE(std::get<1>(either).ok()) << std::get<1>(either).error().what;
}

TEST_F(RealWay, ReportsWhatIsAlreadyThere) {
  touch("/x");
  EXPECT_TRUE(appears("/x", {}));
}

TEST_F(RealWay, SeesAFileThatIsMade) {
  EXPECT_TRUE(appears("/x", {[&] { touch("/other"); }, [&] { touch("/x"); }}));
}

TEST_F(RealWay, SeesAFileWhoseDirectoriesComeLate) {
  EXPECT_TRUE(appears("/a/b/c/x", {[&] { make("/a"); }, [&] { make("/a/b/c"); }, [&] { touch("/a/b/c/x"); }}));
}

TEST_F(RealWay, SeesDirectoriesAndFileThatComeInOneGo) {
  EXPECT_TRUE(appears("/a/b/c/x", {[&] {
                        make("/a/b/c");
                        touch("/a/b/c/x");
                      }}));
}

TEST_F(RealWay, SeesAFileThatIsRenamedIntoPlace) {
  make("/a");
  EXPECT_TRUE(appears("/a/x", {[&] { touch("/a/.x.new"); }, [&] { fs::rename(dir / "a/.x.new", dir / "a/x"); }}));
}

TEST_F(RealWay, SeesADirectoryThatIsRenamedIntoPlaceWithTheFileInIt) {
  make("/staged/b");
  touch("/staged/b/x");
  EXPECT_TRUE(appears("/a/b/x", {[&] { fs::rename(dir / "staged", dir / "a"); }}));
}

TEST_F(RealWay, FollowsADirectoryThatIsRemovedAndMadeAgain) {
  make("/a/b");
  EXPECT_TRUE(appears("/a/b/x", {[&] { fs::remove_all(dir / "a"); }, [&] { make("/a/b"); }, [&] { touch("/a/b/x"); }}));
}

TEST_F(RealWay, FollowsADirectoryFarAboveThatIsMovedAway) {
  make("/a/b/c");
  EXPECT_TRUE(appears(
      "/a/b/c/x", {[&] { fs::rename(dir / "a", dir / "old"); }, [&] { touch("/old/b/c/x"); },  // not the path any more
                   [&] { make("/a/b/c"); }, [&] { touch("/a/b/c/x"); }}));
}

TEST_F(RealWay, ALinkThatPointsNowhereExists) {
  EXPECT_TRUE(appears("/x", {[&] { fs::create_symlink("/nowhere", dir.path() + "/x"); }}));
  EXPECT_TRUE(appears("/x", {}));
}

TEST_F(RealWay, UsesOneDescriptorForManyWaits) {
  const auto open_descriptors = [] {
    const fs::directory_iterator all("/proc/self/fd");
    return std::distance(fs::begin(all), fs::end(all));
  };
  EXPECT_TRUE(appears("/first", {[&] { touch("/first"); }}));
  const auto before = open_descriptors();
  for (const std::string path : {"/a", "/b", "/c"}) EXPECT_TRUE(appears(path, {[&] { touch(path); }}));
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(RealWay, TakesBackTheWatchesOfWhatIsNoLongerOnTheWay) {
  const auto watches = [] {
    int count = 0;
    for (const auto& descriptor : fs::directory_iterator("/proc/self/fdinfo")) {
      std::ifstream info(descriptor.path());
      for (std::string line; std::getline(info, line);) count += line.starts_with("inotify ") ? 1 : 0;
    }
    return count;
  };
  make("/a/b/c");
  std::vector<int> counted;
  auto count = [&]() -> Task<Result<void>> {
    co_await rest();
    counted.push_back(watches());
    fs::rename(dir / "a", dir / "old");
    co_await rest();
    counted.push_back(watches());
    co_return Result<void>();
  };
  ASSERT_EQ(loop->run(first_of(*loop, watch.path_appears("/a/b/c/x"), count())).index(), 1U);
  EXPECT_EQ(counted[1], counted[0] - 3);
}

TEST_F(RealWay, FollowsALinkWhoseTargetComesLate) {
  link("var/opt", "/opt");
  EXPECT_TRUE(appears("/opt/azure/x", {[&] { make("/var"); }, [&] { make("/var/opt"); },
                                       [&] { make("/var/opt/azure"); }, [&] { touch("/var/opt/azure/x"); }}));
}

TEST_F(RealWay, FollowsALinkWhoseTargetComesInOneGo) {
  link("var/opt", "/opt");
  EXPECT_TRUE(appears("/opt/azure/x", {[&] {
                        make("/var/opt/azure");
                        touch("/opt/azure/x");
                      }}));
}

TEST_F(RealWay, FollowsALinkWhoseTargetIsRemovedAndMadeAgain) {
  make("/a");
  make("/elsewhere/b");
  link("../elsewhere/b", "/a/b");
  EXPECT_TRUE(appears(
      "/a/b/x", {[&] { fs::remove(dir / "elsewhere/b"); }, [&] { make("/elsewhere/b"); }, [&] { touch("/a/b/x"); }}));
}

TEST_F(RealWay, FollowsALinkThatIsPointedElsewhere) {
  make("/one");
  make("/two");
  link("one", "/a");
  EXPECT_TRUE(appears("/a/x", {[&] {
                                 link("two", "/new");
                                 fs::rename(dir / "new", dir / "a");
                               },
                               [&] { touch("/one/x"); },  // not the path any more
                               [&] { touch("/two/x"); }}));
}

TEST_F(RealWay, FollowsLinksOnTheWayOfLinks) {
  make("/a");
  link("..//c/./d/", "/a/b");
  link("/e", "/c");
  EXPECT_TRUE(appears("/a/b/x", {[&] { make("/e"); }, [&] { make("/e/d"); }, [&] { touch("/e/d/x"); }}));
}

// ".." after a link refers to the parent of the link's target, not to the text of the path.
TEST_F(RealWay, GoesUpFromWhereALinkLeads) {
  make("/deep/er");
  link("deep/er", "/a");
  link("a/../b", "/up");
  EXPECT_TRUE(appears("/up/x", {[&] { make("/b"); }, [&] { touch("/b/x"); },  // beside the link, not its target
                                [&] { make("/deep/b"); }, [&] { touch("/deep/b/x"); }}));
}

TEST_F(RealWay, WaitsForTheEndOfACircleOfLinks) {
  link("b", "/a");
  link("a", "/b");
  EXPECT_TRUE(appears(
      "/a/x", {[&] { touch("/other"); }, [&] { fs::remove(dir / "b"); }, [&] { make("/b"); }, [&] { touch("/b/x"); }}));
}

// The link resolves within the root, as in Files; /etc of this machine has no effect.
TEST_F(RealWay, NoLinkLeadsOutOfTheRoot) {
  ASSERT_TRUE(fs::exists("/etc/passwd"));
  link("/etc", "/a");
  EXPECT_TRUE(appears("/a/passwd", {[&] { make("/etc"); }, [&] { touch("/etc/passwd"); }}));
  fs::remove_all(dir / "etc");
  link("../../../../../../etc", "/b");
  EXPECT_TRUE(appears("/b/passwd", {[&] { make("/etc"); }, [&] { touch("/etc/passwd"); }}));
}

TEST_F(RealWay, WithoutARootALinkLeadsWhereItSays) {
  Watch whole{*loop, "/"};
  link(dir / "b", "/a");
  EXPECT_TRUE(appears(whole, dir / "a/x", {[&] { make("/b"); }, [&] { touch("/b/x"); }}));
}

// In its own namespace, so that no other process sees these mounts.
struct MountedOver : RealWay {
  void SetUp() override {
    make("/a/b");
    const bool may_mount = ::unshare(CLONE_NEWNS) == 0 &&
                           ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                           ::mount("none", (dir / "a").c_str(), "tmpfs", 0, nullptr) == 0;
    if (!may_mount) GTEST_SKIP() << "this user may not mount: " << std::strerror(errno);
    covered.push_back("/a");
    uncover("/a");
  }
  void TearDown() override {
    while (!covered.empty()) uncover(std::string(covered.back()));
  }

  void cover(const std::string& path) {
    ASSERT_EQ(::mount("none", (dir.path() + path).c_str(), "tmpfs", 0, nullptr), 0) << std::strerror(errno);
    covered.push_back(path);
  }
  void cover(const std::string& path, const std::string& by) {
    ASSERT_EQ(::mount((dir.path() + by).c_str(), (dir.path() + path).c_str(), nullptr, MS_BIND, nullptr), 0)
        << std::strerror(errno);
    covered.push_back(path);
  }
  void uncover(const std::string& path) {
    EXPECT_EQ(::umount2((dir.path() + path).c_str(), MNT_DETACH), 0) << std::strerror(errno);
    covered.erase(std::ranges::find(covered, path));
  }

  std::vector<std::string> covered;
};

TEST_F(MountedOver, ADirectoryIsFollowed) {
  EXPECT_TRUE(appears("/a/b/x", {[&] { cover("/a/b"); }, [&] { touch("/a/b/x"); }}));
}

TEST_F(MountedOver, ADirectoryFarAboveIsFollowed) {
  EXPECT_TRUE(appears("/a/b/x", {[&] { cover("/a"); }, [&] { make("/a/b"); }, [&] { touch("/a/b/x"); }}));
}

TEST_F(MountedOver, ADirectoryThatALinkLeadsToIsFollowed) {
  link("a/b", "/c");
  EXPECT_TRUE(appears("/c/x", {[&] { cover("/a/b"); }, [&] { touch("/c/x"); }}));
}

TEST_F(MountedOver, WhatComesWithTheMountIsSeen) {
  make("/elsewhere");
  touch("/elsewhere/x");
  EXPECT_TRUE(appears("/a/b/x", {[&] { cover("/a/b", "/elsewhere"); }}));
}

TEST_F(MountedOver, WhatWasCoveredIsSeenWhenTheMountGoes) {
  make("/elsewhere");
  touch("/a/b/x");
  cover("/a/b", "/elsewhere");
  EXPECT_TRUE(appears("/a/b/x", {[&] { uncover("/a/b"); }}));
}

TEST_F(MountedOver, AWatchRestsWhenSomethingElseIs) {
  make("/elsewhere");
  auto mounts = [&]() -> Task<Result<void>> {
    for (int i = 0; i < 3; ++i) {
      co_await rest();
      cover("/elsewhere");
    }
    co_await rest();
    co_return Result<void>();
  };
  auto either = loop->run(first_of(*loop, watch.path_appears("/a/b/x"), within(*loop, 10s, mounts(), "rest")));
  ASSERT_EQ(either.index(), 1U);
  EXPECT_TRUE(std::get<1>(either).ok()) << std::get<1>(either).error().what;
}

}  // namespace
}  // namespace sunup::host::real
