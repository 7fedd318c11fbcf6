#include "timeline/gather.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "host/real/files.h"
#include "host/real/loop.h"
#include "host/real/test_dir.h"
#include "timeline/run_record.h"

namespace sunup::timeline {
namespace {

using testing::Contains;
using testing::HasSubstr;

// Programs that end at once with the result that the test defines. Their commands are recorded.
class Programs : public host::Processes {
 public:
  class Ended : public host::Process {
   public:
    explicit Ended(host::Exit exit) : exit_(std::move(exit)) {}
    pid_t pid() const override { return 1; }
    Result<void> signal(int) override { return {}; }
    bool terminate() override { return false; }
    host::Task<Result<host::Exit>> wait() override { co_return std::move(exit_); }

   private:
    host::Exit exit_;
  };

  Result<std::unique_ptr<host::Process>> start(host::Command command) override {
    host::Exit exit;
    if (command.argv.front() == broken) {
      exit.code = 1;
      exit.err = "no luck";
    } else {
      command.on_output(host::Stream::kOut, command.argv.front() == "journalctl" ? "{}\n" : "Id=a.service\n");
      for (int i = 0; i < repeat && command.argv.front() == "journalctl"; ++i)
        command.on_output(host::Stream::kOut, std::string(4095, ' ') + "\n");
    }
    started.push_back(command.argv);
    return std::unique_ptr<host::Process>(std::make_unique<Ended>(std::move(exit)));
  }
  host::Task<void> settled() override { co_return; }

  std::string broken;
  int repeat = 0;  // of 4 KiB that journalctl prints
  std::vector<std::vector<std::string>> started;
};

struct GatherTest : testing::Test {
  host::real::TestingDir root;
  std::unique_ptr<host::real::Loop> loop = std::move(*host::real::Loop::open());
  host::real::Files files{*loop, root.path()};
  Programs programs;

  void SetUp() override {
    const std::filesystem::path record = root.path() + kRunRecord;
    std::filesystem::create_directories(record.parent_path());
    std::ofstream(record) << R"({"sunup":"run record","v":1,"boot":"0a1b2c3d-0000-4000-8000-00000000000f","t":1})"
                          << "\n";
  }
  Sources gather() { return loop->run(gather_from_machine(files, programs, "another boot", false)); }
};

// Without this target nothing connects the network to cloud-init's local stage, which takes seconds on Azure: the
// critical chain would attribute them to systemd.
TEST_F(GatherTest, SystemdIsAskedForTheTargetBetweenCloudInitAndTheNetwork) {
  (void)gather();
  const auto show = std::ranges::find_if(programs.started, [](const auto& argv) {
    return std::ranges::find(argv, "cloud-init-local.service") != argv.end();
  });
  ASSERT_NE(show, programs.started.end());
  EXPECT_THAT(*show, Contains("network-pre.target"));
}

// journalctl refuses an id with dashes, and would show all boots without one.
TEST_F(GatherTest, JournalIsAskedForTheBootOfTheRun) {
  const Sources sources = gather();
  ASSERT_TRUE(sources.journal);
  EXPECT_THAT(programs.started.back(), Contains("--boot=0a1b2c3d00004000800000000000000f"));
}

TEST_F(GatherTest, WhatCannotBeAskedIsNamedWithTheReason) {
  programs.broken = "journalctl";
  const Sources sources = gather();
  EXPECT_FALSE(sources.journal);
  EXPECT_TRUE(sources.units);
  const auto note = std::ranges::find(sources.notes, "journal", &SourceNote::name);
  ASSERT_NE(note, sources.notes.end());
  EXPECT_FALSE(note->found);
  EXPECT_THAT(note->detail, HasSubstr("no luck"));
}

TEST_F(GatherTest, EventsThatAreTooManyOrTooLargeAreLeftOutAndThatIsSaid) {
  const std::filesystem::path events = root.path() + "/var/log/azure/Microsoft.Azure.Extensions.CustomScript/events";
  std::filesystem::create_directories(events);
  for (int i = 0; i < 5001; ++i) std::ofstream(events / (std::to_string(10'000 + i) + ".json")) << "{}";
  std::ofstream(events / "0.json") << std::string(100'000, ' ');
  const Sources sources = gather();
  EXPECT_EQ(sources.events.size(), 5000u);
  const auto note = std::ranges::find(sources.notes, "guest-agent events", &SourceNote::name);
  ASSERT_NE(note, sources.notes.end());
  EXPECT_TRUE(note->cut);
  EXPECT_THAT(note->detail, HasSubstr("cut: 2 more are omitted"));
}

TEST_F(GatherTest, JournalThatIsTooLongIsCutAndThatIsSaid) {
  programs.repeat = (65 << 20) / 4096;
  const Sources sources = gather();
  const auto note = std::ranges::find(sources.notes, "journal", &SourceNote::name);
  ASSERT_NE(note, sources.notes.end());
  EXPECT_TRUE(note->cut);
  EXPECT_THAT(note->detail, HasSubstr("cut: everything after the first 64 MiB"));
}

TEST_F(GatherTest, WhatIsThereAndCannotBeUsedIsNotCalledAbsent) {
  const std::string copy = root.path() + "/copy";
  std::filesystem::create_directories(copy + "/trace.jsonl");
  std::filesystem::create_directories(copy + "/journal.json");
  std::ofstream(copy + "/events") << "no directory";
  ASSERT_EQ(::mkfifo((copy + "/provision.json").c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo((copy + "/boot_id").c_str(), 0600), 0);
  std::filesystem::create_symlink("/dev/zero", copy + "/units.txt");
  host::real::Files plain(*loop, "");
  const Sources sources = loop->run(gather_from_directory(plain, programs, copy));
  const auto detail = [&sources](const char* name) {
    const auto note = std::ranges::find(sources.notes, name, &SourceNote::name);
    EXPECT_TRUE(note != sources.notes.end() && !note->found) << name;
    return note == sources.notes.end() ? "" : note->detail;
  };
  EXPECT_EQ(detail("run record"), "there, but unusable: " + copy + "/trace.jsonl is a directory, not a file");
  EXPECT_THAT(detail("journal"), HasSubstr("journal.json is a directory, not a file"));
  EXPECT_THAT(detail("guest-agent events"), HasSubstr("events is a file, not a directory"));
  EXPECT_THAT(detail("provision.json"), HasSubstr("provision.json is a pipe, a socket or a device, not a file"));
  EXPECT_THAT(detail("systemd"), HasSubstr("units.txt is a pipe, a socket or a device, not a file"));
  EXPECT_THAT(detail("cloud-init.log"), HasSubstr("neither at "));
}

TEST_F(GatherTest, JournalBehindALinkIsNotRead) {
  namespace fs = std::filesystem;
  const std::string copy = root.path() + "/copy";
  const fs::path inside = copy + "/var/log/journal/0a1b";
  fs::create_directories(inside);
  fs::create_directories(root.path() + "/outside/0a1b");
  std::ofstream(root.path() + "/outside/0a1b/system.journal") << "another machine's";
  auto below = host::real::Files::below(*loop, copy);
  const auto asked = [&] {
    programs.started.clear();
    (void)loop->run(gather_from_directory(below, programs, copy));
    return !programs.started.empty();
  };
  std::ofstream(inside / "system.journal") << "its own";
  EXPECT_TRUE(asked());
  fs::create_symlink(root.path() + "/outside/0a1b/system.journal", inside / "user.journal");
  EXPECT_FALSE(asked());
  fs::remove(inside / "user.journal");
  fs::rename(copy + "/var/log/journal", copy + "/var/log/moved");
  fs::create_symlink("moved", copy + "/var/log/journal");  // journalctl has no root to resolve it in
  EXPECT_FALSE(asked());
  fs::remove(copy + "/var/log/journal");
  fs::create_symlink(root.path() + "/outside", copy + "/var/log/journal");
  EXPECT_FALSE(asked());
}

}  // namespace
}  // namespace sunup::timeline
