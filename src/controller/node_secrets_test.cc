#include "controller/node_secrets.h"

#include <gtest/gtest.h>

#include "base/node_paths.h"
#include "controller/test_machine.h"

namespace sunup::controller {
namespace {

constexpr char kOne[] = "TLS_BOOTSTRAP_TOKEN=\"token-number-one\"\n";
constexpr char kTwo[] = "TLS_BOOTSTRAP_TOKEN=\"token-number-two\"\n";

constexpr int64_t kNow = 1'700'000'001'000'000'000;  // the time at which simulated machines start
constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kHour = 3600 * kSecond;

// Calls hide() twice, with `between` in between. Records the redacted tokens, and how often the command file was
// read.
struct TwoLooks {
  TestMachine machine;
  std::string shown;
  int reads = 0;

  void put(const char* content, int64_t changed_ns) {
    machine.put(paths::kNbcCommand, content);
    machine.world.disk.at(paths::kNbcCommand).modified_ns = changed_ns;
  }

  void look_twice(const std::function<void()>& between) {
    machine.world.on_operation = [this](auto, std::string_view what, const std::string& on) {
      if (what == "read" && on == paths::kNbcCommand) ++reads;
    };
    std::optional<int> done;
    machine.run([&](Node& node) { return looks(node, between); }, &done);
    ASSERT_TRUE(done);
  }

 private:
  host::Task<int> looks(Node& node, std::function<void()> between) {
    NodeSecrets secrets(node);
    secrets.hide();
    between();
    secrets.hide();
    shown = node.redactor.redact("token-number-one token-number-two");
    co_return 0;
  }
};

TEST(NodeSecrets, AFileThatIsAsItWasIsNotReadAgain) {
  TwoLooks node;
  node.put(kOne, kNow - kHour);
  node.look_twice([] {});
  EXPECT_EQ(node.shown, "[redacted] token-number-two");
  EXPECT_EQ(node.reads, 1);
}

TEST(NodeSecrets, AFileThatComesBetweenTheLooksIsRead) {
  TwoLooks node;
  node.look_twice([&] { node.put(kTwo, kNow - kHour); });
  EXPECT_EQ(node.shown, "token-number-one [redacted]");
}

TEST(NodeSecrets, AnotherFileOfTheSameSizeIsReadAndTheSecretsOfBothStayHidden) {
  TwoLooks node;
  node.put(kOne, kNow - kHour);
  node.look_twice([&] { node.put(kTwo, kNow - kHour + 1); });
  EXPECT_EQ(node.shown, "[redacted] [redacted]");
}

// With a clock of 100 ticks per second, two writes may get the same time.
TEST(NodeSecrets, AFileThatWasWrittenJustNowIsReadAgainWhateverItsTimeSays) {
  TwoLooks node;
  const int64_t written = kNow - 1'000'001;
  node.put(kOne, written);
  node.look_twice([&] { node.put(kTwo, written); });
  EXPECT_EQ(node.shown, "[redacted] [redacted]");
}

// Whole seconds: the resolution of some file systems.
TEST(NodeSecrets, AFileThatWasWrittenThisSecondIsReadAgainWhereTimesAreWholeSeconds) {
  TwoLooks node;
  const int64_t written = kNow - kSecond;
  node.put(kOne, written);
  node.look_twice([&] { node.put(kTwo, written); });
  EXPECT_EQ(node.shown, "[redacted] [redacted]");
}

}  // namespace
}  // namespace sunup::controller
