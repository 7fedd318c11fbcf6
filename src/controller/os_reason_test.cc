#include "controller/os_reason.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>

namespace sunup::controller {
namespace {

TEST(OsReason, SpeaksInTheWordsOfTheRecordings) {
  EXPECT_EQ(os_reason(ENOENT), "no such file or directory");
  EXPECT_EQ(os_reason(EISDIR), "is a directory");
  EXPECT_EQ(os_reason(E2BIG), "argument list too long");
  EXPECT_EQ(os_reason(123456), "errno 123456");
  EXPECT_EQ(signal_reason(SIGKILL), "signal: killed");
  EXPECT_EQ(signal_reason(SIGTERM), "signal: terminated");
  EXPECT_EQ(signal_reason(SIGSEGV), "signal: segmentation fault");
  EXPECT_EQ(signal_reason(SIGABRT, true), "signal: aborted (core dumped)");
}

}  // namespace
}  // namespace sunup::controller
