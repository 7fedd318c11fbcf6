#include "controller/log_upload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/node_paths.h"
#include "controller/test_machine.h"

namespace sunup::controller {
namespace {

using testing::HasSubstr;

host::Task<bool> upload(Node& node) {
  co_await upload_logs(node);
  co_return true;
}

struct LogUpload : testing::Test, TestMachine {
  void run_it() {
    std::optional<bool> done;
    run([](Node& node) { return upload(node); }, &done);
    ASSERT_TRUE(done);
  }
};

TEST_F(LogUpload, RunsTheImagesCollectorAndKeepsWhatItSaid) {
  put(paths::kLogCollector, "", 0755);
  world.programs[paths::kLogCollector].output = "uploaded\n";
  run_it();
  EXPECT_THAT(world.disk.at(paths::kLogCollectorOutput).content, HasSubstr("uploaded"));
}

TEST_F(LogUpload, LeavesAFileAloneThatIsNoProgram) {
  put(paths::kLogCollector, "", 0644);
  world.programs[paths::kLogCollector] = {};
  run_it();
  EXPECT_FALSE(world.disk.contains(paths::kLogCollectorOutput));
}

TEST_F(LogUpload, ThatFailsIsOnlyLogged) {
  put(paths::kLogCollector, "", 0755);
  world.programs[paths::kLogCollector].failures = 1;
  run_it();
  EXPECT_THAT(said, HasSubstr("cannot upload the logs"));
}

}  // namespace
}  // namespace sunup::controller
