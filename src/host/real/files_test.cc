#include "host/real/files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "host/edit.h"
#include "host/real/boot.h"
#include "host/real/test_dir.h"

namespace sunup::host::real {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

struct RealFiles : testing::Test {
  std::unique_ptr<Loop> loop = std::move(*Loop::open());
  TestingDir dir;
  Files files{*loop, dir.path()};

  mode_t mode_of(const std::string& path) { return files.info(path)->mode; }
};

TEST_F(RealFiles, WriteMakesDirectoriesAndTheExactModeWhateverTheUmask) {
  const mode_t before = ::umask(0077);
  EXPECT_TRUE(files.write("/etc/a/b.conf", "text", 0644));
  EXPECT_TRUE(files.write("/etc/a/key", "secret", 0600));
  EXPECT_TRUE(files.append("/var/log/x.log", "line\n", 0640));
  ::umask(before);
  EXPECT_EQ(*files.read("/etc/a/b.conf"), "text");
  EXPECT_EQ(mode_of("/etc/a/b.conf"), 0644U);
  EXPECT_EQ(mode_of("/etc/a"), 0755U);
  EXPECT_EQ(mode_of("/etc/a/key"), 0600U);
  EXPECT_EQ(mode_of("/var/log/x.log"), 0640U);
  EXPECT_THAT(*files.list("/etc/a"), ElementsAre("b.conf", "key"));
}

TEST_F(RealFiles, WriteReplacesAndNarrowsTheModeWithoutAWindow) {
  ASSERT_TRUE(files.write("/x", "old", 0666));
  ASSERT_TRUE(files.write("/x", "new", 0600));
  EXPECT_EQ(*files.read("/x"), "new");
  EXPECT_EQ(mode_of("/x"), 0600U);
}

TEST_F(RealFiles, WhatACrashLeftBehindIsOverwritten) {
  ASSERT_TRUE(files.write("/.x.sunup-new", "half", 0600));
  ASSERT_TRUE(files.write("/x", "whole", 0644));
  EXPECT_THAT(*files.list("/"), ElementsAre("x"));
}

TEST_F(RealFiles, FailedWriteLeavesTheOldFileAndNothingElse) {
  ASSERT_TRUE(files.make_directories("/x/inside", 0755));
  const auto result = files.write("/x", "text", 0644);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().what, HasSubstr("writing /x"));
  EXPECT_THAT(*files.list("/"), ElementsAre("x"));
}

TEST_F(RealFiles, NoPathLeadsOutOfTheRoot) {
  ASSERT_TRUE(files.symlink("/etc", "/link"));
  ASSERT_TRUE(files.symlink("../../../../../etc", "/up"));
  ASSERT_TRUE(files.write("/etc/only-here", "1", 0644));
  EXPECT_EQ(*files.read("/link/only-here"), "1");
  EXPECT_EQ(*files.read("/up/only-here"), "1");
  EXPECT_FALSE(*files.exists("/link/passwd"));
  ASSERT_TRUE(files.write("/link/new", "2", 0644));
  EXPECT_EQ(*files.read("/etc/new"), "2");
  EXPECT_FALSE(*files.exists("/../../../../etc/passwd"));
}

TEST_F(RealFiles, BelowARootNobodyKnowsWhatTheNodesDisksHaveFree) {
  EXPECT_EQ(files.free_kib("/").error().os_errno, ENOTSUP);
  EXPECT_TRUE(Files(*loop, "/").free_kib("/").ok());
}

TEST_F(RealFiles, SymlinkReplacesWhatIsThere) {
  ASSERT_TRUE(files.write("/a", "1", 0644));
  ASSERT_TRUE(files.write("/b", "2", 0644));
  ASSERT_TRUE(files.symlink("a", "/l"));
  ASSERT_TRUE(files.symlink("b", "/l"));
  EXPECT_EQ(*files.read_link("/l"), "b");
  EXPECT_EQ(*files.read("/l"), "2");
}

TEST_F(RealFiles, RemoveIsFineWithWhatIsNotThere) {
  EXPECT_TRUE(files.remove("/none"));
  EXPECT_TRUE(files.remove("/none/at/all"));
  EXPECT_TRUE(files.remove_tree("/none"));
  ASSERT_TRUE(files.write("/t/a/b", "1", 0644));
  ASSERT_TRUE(files.symlink("/t", "/t/a/loop"));
  EXPECT_FALSE(files.remove("/t"));
  EXPECT_TRUE(files.remove_tree("/t"));
  EXPECT_FALSE(*files.exists("/t"));
}

TEST_F(RealFiles, CopyKeepsBytesAndSetsTheMode) {
  std::string big(3'000'000, 'x');
  big += "end";
  ASSERT_TRUE(files.write("/from", big, 0644));
  ASSERT_TRUE(files.copy("/from", "/bin/to", 0755));
  EXPECT_EQ(*files.read("/bin/to"), big);
  EXPECT_EQ(mode_of("/bin/to"), 0755U);
}

TEST_F(RealFiles, ErrorsNameThePathAndTheCause) {
  const auto result = files.read("/nowhere/x");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().what, "opening /nowhere/x: No such file or directory");
  EXPECT_EQ(result.error().os_errno, ENOENT);
  EXPECT_EQ(files.read("relative").error().os_errno, EINVAL);
}

TEST_F(RealFiles, PiecesBecomeAFileOnlyIfAllOfThemCame) {
  const auto fill = [](const host::Files::Piece& out) -> Result<void> {
    for (const char* piece : {"one ", "two"})
      if (auto written = out(piece); !written) return written;
    return {};
  };
  ASSERT_TRUE(files.write_pieces("/opt/bin/kubelet", fill, 0755));
  EXPECT_EQ(*files.read("/opt/bin/kubelet"), "one two");
  EXPECT_EQ(mode_of("/opt/bin/kubelet"), 0755U);
  const auto cut = [](const host::Files::Piece& out) -> Result<void> {
    (void)out("half");
    return Error("the archive is damaged");
  };
  const auto failed = files.write_pieces("/opt/bin/kubelet", cut, 0755);
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().what, HasSubstr("the archive is damaged"));
  EXPECT_EQ(*files.read("/opt/bin/kubelet"), "one two");
  EXPECT_THAT(*files.list("/opt/bin"), ElementsAre("kubelet"));
}

TEST_F(RealFiles, SyncComesBack) {
  ASSERT_TRUE(files.write("/x", "1", 0644));
  EXPECT_TRUE(loop->run(files.sync()));
  EXPECT_TRUE(files.write_durable("/y", "1", 0600));
}

TEST_F(RealFiles, RemovesDurablyWhatIsThere) {
  ASSERT_TRUE(files.write("/deep/x", "1", 0644));
  EXPECT_TRUE(files.remove_durable("/deep/x"));
  EXPECT_FALSE(*files.exists("/deep/x"));
  EXPECT_TRUE(files.remove_durable("/deep/x"));
  EXPECT_TRUE(files.remove_durable("/nowhere/x"));
}

TEST_F(RealFiles, LockTellsWhoHasIt) {
  auto held = files.try_lock("/run/x.lock", "provision");
  ASSERT_TRUE(held);
  const auto second = files.try_lock("/run/x.lock", "other");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().os_errno, EWOULDBLOCK);
  const auto owner = files.lock_owner("/run/x.lock");
  ASSERT_TRUE(owner);
  EXPECT_EQ(owner->pid, ::getpid());
  EXPECT_EQ(owner->start_ticks, process_start_ticks(::getpid())->value());
  EXPECT_EQ(owner->boot_id, *boot_id());
  EXPECT_EQ(owner->note, "provision");
  held->reset();
  EXPECT_TRUE(files.try_lock("/run/x.lock", "other"));
}

TEST_F(RealFiles, BelowADirectoryNoLinkLeadsOutOfIt) {
  ASSERT_TRUE(files.write("/outside/secret", "s", 0644));
  ASSERT_TRUE(files.write("/in/dir/inner", "i", 0644));
  ASSERT_TRUE(files.write("/in/secret", "the directory's own", 0644));
  ASSERT_TRUE(files.symlink(dir.path() + "/outside/secret", "/in/absolute"));
  ASSERT_TRUE(files.symlink("../outside/secret", "/in/relative"));
  ASSERT_TRUE(files.symlink("../outside", "/in/folder"));
  ASSERT_TRUE(files.symlink("/secret", "/in/own"));
  const std::string in = dir.path() + "/in";
  Files below = Files::below(*loop, in + "/");
  EXPECT_EQ(*below.read(in + "/dir/inner"), "i");
  EXPECT_EQ(*below.read(in + "/own"), "the directory's own");
  EXPECT_THAT(*below.list(in + "/dir"), ElementsAre("inner"));
  EXPECT_EQ(below.info(in)->kind, FileKind::kDirectory);
  for (const char* link : {"/absolute", "/relative", "/folder/secret"}) {
    EXPECT_FALSE(below.read(in + link)) << link;
    EXPECT_FALSE(below.read_part(in + link, 0, 10)) << link;
    EXPECT_FALSE(below.info(in + link)) << link;
  }
  EXPECT_FALSE(below.list(in + "/folder"));
  EXPECT_FALSE(below.read(dir.path() + "/outside/secret"));
  EXPECT_FALSE(below.read(in + "side/secret"));
  EXPECT_EQ(below.read(in + "/../outside/secret").error().os_errno, ENOENT);
}

TEST_F(RealFiles, NothingIsReadWithoutABoundNorWaitedFor) {
  Files machine(*loop, "/");
  EXPECT_EQ(machine.read("/dev/zero").error().os_errno, EFBIG);
  ASSERT_TRUE(files.write("/sparse", "", 0644));
  ASSERT_EQ(::truncate((dir.path() + "/sparse").c_str(), off_t{1} << 40), 0);
  EXPECT_EQ(files.read("/sparse").error().os_errno, EFBIG);
  EXPECT_EQ(files.text_if_there("/sparse").error().os_errno, EFBIG);
  ASSERT_TRUE(files.write("/five", "12345", 0644));
  EXPECT_EQ(*files.read("/five", 5), "12345");
  EXPECT_EQ(files.read("/five", 4).error().os_errno, EFBIG);
  // It has a few digits, and its size is that of a page.
  EXPECT_TRUE(machine.read("/sys/kernel/uevent_seqnum", 64));

  const std::string pipe = dir.path() + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(files.read("/pipe").error().os_errno, EINVAL);
  EXPECT_EQ(*files.read_part("/pipe", 0, 10), "");
  EXPECT_FALSE(files.copy("/pipe", "/copy", 0644));
  EXPECT_EQ(files.append("/pipe", "x", 0644).error().os_errno, ENXIO);
  EXPECT_EQ(files.append_locked("/pipe", "x").error().os_errno, ENXIO);
  EXPECT_EQ(files.write_in_place("/pipe", "x").error().os_errno, ENXIO);
  const Fd writer(::open(pipe.c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_TRUE(writer);
  const TimePoint before = loop->now();
  EXPECT_EQ(files.read("/pipe").error().os_errno, EINVAL);
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal >= 0) {
    const Fd keep(terminal);
    ASSERT_EQ(::grantpt(terminal), 0);
    ASSERT_EQ(::unlockpt(terminal), 0);
    EXPECT_EQ(machine.read(::ptsname(terminal)).error().os_errno, EAGAIN);
  }
  EXPECT_LT(loop->now() - before, 500ms) << "the loop was blocked";
}

TEST_F(RealFiles, OwnerIsKeptButNotOfASecret) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  constexpr uid_t kSomebody = 12345;
  for (const char* path : {"/open", "/secret", "/edited"}) {
    ASSERT_TRUE(files.write(path, "old", 0600));
    ASSERT_TRUE(files.set_owner(path, kSomebody, kSomebody));
    EXPECT_FALSE(files.info(path)->own);
  }
  ASSERT_TRUE(files.write("/open", "new", 0644));
  EXPECT_EQ(files.info("/open")->uid, kSomebody);
  EXPECT_EQ(files.info("/open")->gid, kSomebody);
  ASSERT_TRUE(files.write("/secret", "new", 0600));
  ASSERT_TRUE(*files.replace_text("/edited", *files.text_if_there("/edited"), host::FileText{"new", 0600}));
  for (const char* path : {"/secret", "/edited"}) {
    EXPECT_EQ(files.info(path)->uid, 0U) << path;
    EXPECT_EQ(files.info(path)->gid, ::getegid()) << path;
    EXPECT_TRUE(files.info(path)->own) << path;
  }
  // An owner that is named is set before the file is in its place, and is part of what is compared.
  const host::FileOwner somebody{kSomebody, kSomebody};
  const auto given_away = [&](const std::optional<FileText>& before) {
    return Result<std::optional<FileText>>(FileText{before ? before->text : "keys\n", 0600, somebody});
  };
  for (const char* path : {"/secret", "/keys"}) {
    EXPECT_TRUE(*edit(files, path, given_away)) << path;
    EXPECT_FALSE(*edit(files, path, given_away)) << path;
    EXPECT_EQ(files.text_if_there(path)->value().owner, somebody) << path;
  }
  const auto before = files.text_if_there("/keys");
  ASSERT_TRUE(files.set_owner("/keys", 0, 0));
  EXPECT_FALSE(*files.replace_text("/keys", *before, host::FileText{"other", 0600, somebody}));
}

TEST_F(RealFiles, LockIsHandedOnWhenItsOwnerLetsGo) {
  auto held = files.try_lock("/x.lock", "first");
  ASSERT_TRUE(held);
  loop->call_at(loop->now() + 2ms, [&] { held->reset(); });
  auto got = loop->run(files.lock("/x.lock", "second"));
  ASSERT_TRUE(got);
  EXPECT_EQ(files.lock_owner("/x.lock")->note, "second");
}

TEST_F(RealFiles, LockIsHandedOnWhenItsOwnerIsKilled) {
  const pid_t child = ::fork();
  if (child == 0) {
    auto held = files.try_lock("/x.lock", "victim");
    if (!held) ::_exit(1);
    ::pause();
    ::_exit(0);
  }
  auto kill_then_lock = [&]() -> Task<Result<std::unique_ptr<FileLock>>> {
    // The child has the lock once its name is in the file.
    while (true) {
      auto owner = files.lock_owner("/x.lock");
      if (owner && owner->note == "victim") break;
      co_await loop->after(1ms);
    }
    loop->call_at(loop->now() + 1ms, [child] { ::kill(child, SIGKILL); });
    co_return co_await files.lock("/x.lock", "heir");
  };
  EXPECT_TRUE(loop->run(kill_then_lock()));
  ::waitpid(child, nullptr, 0);
}

TEST_F(RealFiles, CancelledWaitForALockDoesNotKeepIt) {
  auto held = files.try_lock("/x.lock", "first");
  ASSERT_TRUE(held);
  auto late = loop->run(within(*loop, 2ms, files.lock("/x.lock", "gone"), "lock"));
  ASSERT_FALSE(late);
  held->reset();
  EXPECT_TRUE(loop->run(files.lock("/x.lock", "third")));
}

TEST_F(RealFiles, EditKeepsWhatOthersWroteMeanwhile) {
  ASSERT_TRUE(files.write("/etc/fstab", "root\n", 0640));
  const auto owner = files.set_owner("/etc/fstab", 12, 34);  // only root can
  int made = 0;
  const auto with_swap = [&](const std::optional<FileText>& before) {
    // Another program writes after each of the first two reads: first in place, then as a new file.
    if (made == 0) (void)files.append("/etc/fstab", "data\n", 0644);
    if (made == 1) (void)files.write("/etc/fstab", before->text + "more\n", 0640);
    ++made;
    return Result<std::optional<FileText>>(FileText{before->text + "swap\n", before->mode});
  };
  EXPECT_TRUE(*edit(files, "/etc/fstab", with_swap));
  EXPECT_EQ(made, 3);
  EXPECT_EQ(*files.read("/etc/fstab"), "root\ndata\nmore\nswap\n");
  EXPECT_EQ(mode_of("/etc/fstab"), 0640U);
  EXPECT_EQ(files.info("/etc/fstab")->uid, owner ? 12U : ::geteuid());
  EXPECT_THAT(*files.list("/etc"), ElementsAre("fstab"));
}

TEST_F(RealFiles, EditMakesAFileThatIsNotThereUnlessSomebodyElseDoes) {
  int made = 0;
  const auto with_line = [&](const std::optional<FileText>& before) {
    if (made++ == 0) (void)files.write("/etc/sysfs.conf", "theirs\n", 0600);
    return Result<std::optional<FileText>>(
        FileText{(before ? before->text : "") + "ours\n", before ? before->mode : 0644});
  };
  EXPECT_TRUE(*edit(files, "/etc/sysfs.conf", with_line));
  EXPECT_EQ(*files.read("/etc/sysfs.conf"), "theirs\nours\n");
  EXPECT_EQ(mode_of("/etc/sysfs.conf"), 0600U);
  const auto same = [](const std::optional<FileText>& before) { return Result<std::optional<FileText>>(before); };
  EXPECT_FALSE(*edit(files, "/etc/sysfs.conf", same)) << "nothing to write";
}

// From now on, the entries of a directory cannot be read in this process.
bool break_readdir() {
  sock_filter filter[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                          BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getdents64, 0, 1),
                          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EIO),
                          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program{std::size(filter), filter};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST_F(RealFiles, ADirectoryWhoseEntriesCannotBeReadIsNotEmpty) {
  if (::prctl(PR_GET_SECCOMP) < 0) GTEST_SKIP() << "an emulator has no filter of system calls";
  EXPECT_TRUE(files.write("/d/a", "text", 0644));
  const auto in_a_child = [&] {
    if (!break_readdir()) ::_exit(3);
    const auto names = files.list_if_there("/d");
    const auto removed = files.remove_tree("/d");
    ::_exit(names || names.error().os_errno != EIO ? 1 : removed ? 2 : 0);
  };
  EXPECT_EXIT(in_a_child(), testing::ExitedWithCode(0), "");
  EXPECT_THAT(*files.list("/d"), ElementsAre("a"));
}

TEST_F(RealFiles, OnlyWhatIsNotThereIsAbsent) {
  ASSERT_TRUE(files.write("/etc/fstab", "ours\n", 0644));
  ASSERT_TRUE(files.write("/etc/x.d/a", "a\n", 0644));
  EXPECT_EQ(**files.read_if_there("/etc/fstab"), "ours\n");
  EXPECT_FALSE(files.read_if_there("/etc/none")->has_value());
  EXPECT_FALSE(files.read_if_there("/etc/fstab/none")->has_value()) << "ENOTDIR";
  EXPECT_FALSE(files.link_if_there("/etc/fstab")->has_value()) << "it is not a link";
  EXPECT_TRUE(files.list_if_there("/etc/none")->empty());
  EXPECT_FALSE(files.read_if_there("/etc/x.d")) << "EISDIR";
  EXPECT_FALSE(files.list_if_there("/etc/fstab").ok() && !files.list_if_there("/etc/fstab")->empty());

  // With no free descriptor nothing can be opened, but no file may be reported as absent.
  rlimit usual;
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &usual), 0);
  const int lowest = ::dup(0);
  ::close(lowest);
  rlimit none{static_cast<rlim_t>(lowest), usual.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto text = files.read_if_there("/etc/fstab");
  const auto names = files.list_if_there("/etc/x.d");
  const auto there = files.exists("/etc/fstab");
  const auto boot = boot_id();
  const auto start = process_start_ticks(::getpid());
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &usual), 0);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().os_errno, EMFILE);
  EXPECT_THAT(text.error().what, HasSubstr("/etc/fstab"));
  EXPECT_FALSE(names);
  EXPECT_FALSE(there.ok());
  ASSERT_FALSE(boot);
  EXPECT_EQ(boot.error().os_errno, EMFILE);
  ASSERT_FALSE(start) << "a live process was taken for an ended one";
  EXPECT_EQ(start.error().os_errno, EMFILE);
  EXPECT_EQ(boot_id()->size(), 36U);
  EXPECT_GT(process_start_ticks(::getpid())->value(), 0U);
  EXPECT_FALSE(process_start_ticks(0)->has_value());
}

}  // namespace
}  // namespace sunup::host::real
