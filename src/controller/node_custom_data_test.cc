#include "controller/node_custom_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "azure/custom_data.h"
#include "base/node_paths.h"
#include "controller/test_machine.h"

namespace sunup::controller {
namespace {

using testing::HasSubstr;

// "hello\n", compressed.
constexpr char kGzip[] = "H4sIAAAAAAAAA8tIzcnJ5wIAIDA6NgYAAAA=";

std::vector<azure::NodeFile> parse(std::string_view yaml) {
  auto files = azure::read_hotfix_files(yaml);
  EXPECT_TRUE(files) << files.error().what;
  return files ? *std::move(files) : std::vector<azure::NodeFile>();
}

TEST(NodeCustomData, TextThatIsNotUtf8IsRefused) {
  for (const char* text : {",C{\"\x94", "write_files: [\xC3"})
    EXPECT_THAT(azure::read_hotfix_files(text).error().what, HasSubstr("UTF-8"));
}

TEST(NodeCustomData, DecodesEachEncoding) {
  const auto files = parse(std::string(R"(#cloud-config
write_files:
- path: /plain
  permissions: "0744"
  owner: root
  content: |
    hello
- path: /base64
  encoding: base64
  content: aGVsbG8K
- path: /gzip
  permissions: 4755
  encoding: gzip
  content: !!binary |
    )") + kGzip + "\n");
  ASSERT_EQ(files.size(), 3u);
  for (const auto& file : files) EXPECT_EQ(file.content, "hello\n") << file.path;
  EXPECT_EQ(files[0].mode, 0744u);
  EXPECT_EQ(files[1].mode, 0644u);
  EXPECT_EQ(files[2].mode, 0755u) << "only the lower nine bits count";
}

TEST(NodeCustomData, NothingToWriteIsFine) {
  for (const char* nothing : {"", "#cloud-config\n", "write_files: []\n", "write_files:\n", "other: 1\n"})
    EXPECT_TRUE(parse(nothing).empty()) << nothing;
}

TEST(NodeCustomData, FirstBadEntryIsNamed) {
  const std::pair<const char*, const char*> cases[] = {
      {"content: x", "no path"},
      {"path: relative", "not absolute"},
      {"path: /x\n  owner: joe", "unsupported owner \"joe\""},
      {"path: /x\n  permissions: rwx", "not octal"},
      {"path: /x\n  encoding: gz+b64", "unsupported encoding \"gz+b64\""},
      {"path: /x\n  encoding: base64\n  content: '*'", "base64"},
      {"path: /x\n  encoding: gzip\n  content: plain", "damaged"},
  };
  for (const auto& [entry, why] : cases) {
    const auto files =
        azure::read_hotfix_files(std::string("write_files:\n- path: /good\n- ") + entry + "\n- path: /later\n");
    ASSERT_FALSE(files) << entry;
    EXPECT_THAT(files.error().what, HasSubstr("write_files[1]")) << entry;
    EXPECT_THAT(files.error().what, HasSubstr(why)) << entry;
  }
}

// After an error at any single operation, either all files are new or all are unchanged.
TEST(NodeCustomData, FailureAnywhereChangesNothing) {
  constexpr char kList[] =
      "write_files:\n- path: /opt/a.sh\n  content: new\n- path: /opt/new/deep/b.sh\n  content: new\n"
      "- path: /opt/c.sh\n  content: new\n";
  int failures = 0;
  for (int at = 1;; ++at) {
    SCOPED_TRACE(at);
    ASSERT_LT(at, 1000);
    TestMachine machine;
    machine.put(paths::kNodeCustomData, kList);
    machine.put("/opt/a.sh", "old", 0700);
    machine.put("/opt/c.sh", "old");
    const auto before = machine.world.disk;
    machine.world.faults.errors = {EIO};
    int operations = 0;
    machine.world.on_operation = [&](host::TimePoint, std::string_view, const std::string&) {
      machine.world.faults.file_errors = ++operations == at ? 100 : 0;
    };
    std::optional<bool> done;
    machine.run([](Node& node) -> host::Task<bool> { co_return apply_custom_data(node, paths::kNodeCustomData).ok(); },
                &done);
    ASSERT_TRUE(done);
    if (*done) {
      for (const char* path : {"/opt/a.sh", "/opt/new/deep/b.sh", "/opt/c.sh"})
        EXPECT_EQ(machine.world.disk.at(path).content, "new") << path;
      EXPECT_EQ(machine.world.disk.at("/opt/a.sh").mode, 0700u);
      if (operations < at) break;  // nothing has failed
      continue;                    // a copy could not be cleaned up
    }
    ++failures;
    EXPECT_EQ(machine.world.disk.size(), before.size());
    for (const auto& [path, node] : before) {
      ASSERT_TRUE(machine.world.disk.contains(path)) << path;
      EXPECT_EQ(machine.world.disk.at(path).content, node.content) << path;
      EXPECT_EQ(machine.world.disk.at(path).mode, node.mode) << path;
    }
  }
  EXPECT_GT(failures, 6);
}

// The process is killed, or the power fails, at any operation. Then some files may be new and others old, until the
// next start applies the list again, before any script runs.
TEST(NodeCustomData, TheNextStartFinishesWhatWasCutOff) {
  for (const bool power : {false, true}) {
    int cut_off = 0;
    for (uint64_t at = 1;; ++at) {
      SCOPED_TRACE(at);
      ASSERT_LT(at, 1000U);
      TestMachine machine;
      machine.put(paths::kNodeCustomData,
                  "write_files:\n- path: /opt/a.sh\n  content: new\n- path: /opt/new/deep/b.sh\n  content: new\n"
                  "- path: /opt/c.sh\n  content: new\n");
      machine.put("/opt/a.sh", "old", 0700);
      machine.put("/opt/c.sh", "old");
      machine.world.faults.crash_at = at;
      const auto apply = [](Node& node) -> host::Task<bool> {
        co_return apply_custom_data(node, paths::kNodeCustomData).ok();
      };
      std::optional<bool> done;
      const bool crashed = machine.run(apply, &done) == host::sim::EndOfRun::kCrashed;
      cut_off += crashed;
      if (crashed && power) machine.world.power_cut();
      machine.world.faults = {};
      machine.run(apply, &done);
      EXPECT_EQ(done, true);
      for (const char* path : {"/opt/a.sh", "/opt/new/deep/b.sh", "/opt/c.sh"})
        EXPECT_EQ(machine.world.disk.at(path).content, "new") << path;
      EXPECT_EQ(machine.world.disk.at("/opt/a.sh").mode, 0700u);
      for (const auto& [path, node] : machine.world.disk) EXPECT_EQ(path.find(".hotfix-"), std::string::npos) << path;
      if (!crashed) break;
    }
    EXPECT_GT(cut_off, 6);
  }
}

TEST(NodeCustomData, FullDiskChangesNothing) {
  TestMachine machine;
  machine.put(paths::kNodeCustomData,
              "write_files:\n- path: /a.sh\n  content: new\n- path: /opt/full/b.sh\n  content: new\n");
  machine.put("/a.sh", "old");
  machine.put("/opt/full/b.sh", "old");
  machine.world.faults.full = "/opt/full";
  std::optional<bool> done;
  machine.run([](Node& node) -> host::Task<bool> { co_return apply_custom_data(node, paths::kNodeCustomData).ok(); },
              &done);
  EXPECT_EQ(done, false);
  EXPECT_EQ(machine.world.disk.at("/a.sh").content, "old");
  EXPECT_EQ(machine.world.disk.at("/opt/full/b.sh").content, "old");
  for (const auto& [path, node] : machine.world.disk) EXPECT_EQ(path.find(".hotfix-"), std::string::npos) << path;
}

TEST(NodeCustomData, SaysWhatIsWrongWithTheFile) {
  for (const char* wrong : {"write_files: 1\n", "a: [", "- just a list\n"}) {
    const auto files = azure::read_hotfix_files(wrong);
    ASSERT_FALSE(files) << wrong;
    EXPECT_NE(files.error().what, "") << wrong;
  }
}

}  // namespace
}  // namespace sunup::controller
