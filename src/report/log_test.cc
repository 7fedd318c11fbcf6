#include "report/log.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

namespace sunup::report {
namespace {

class LogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("TZ", "UTC", 1);  // NOLINT(concurrency-mt-unsafe): this test has one thread
    tzset();
  }
  std::string written_;
  Log log_{[] { return WallTime{1'794'769'175'129'815'560}; }, [this](std::string_view line) { written_ += line; }};
};

TEST_F(LogTest, WritesTheRecordedShape) {
  log_.info("aks-node-controller finished successfully.");
  EXPECT_EQ(written_,
            "{\"time\":\"2026-11-15T18:59:35.12981556Z\",\"level\":\"INFO\",\"msg\":\"aks-node-controller finished "
            "successfully.\"}\n");
}

TEST_F(LogTest, KeepsAttributesInOrderWithTheirTypes) {
  log_.error("CSE finished", {{"exitCode", -1}, {"stdout", "a<b>\n"}, {"error", nullptr}});
  EXPECT_EQ(written_,
            "{\"time\":\"2026-11-15T18:59:35.12981556Z\",\"level\":\"ERROR\",\"msg\":\"CSE finished\",\"exitCode\":-1,"
            "\"stdout\":\"a<b>\\n\",\"error\":null}\n");
}

TEST_F(LogTest, ShowsNoSecretEvenIfItNeedsEscaping) {
  redaction::Redactor redactor;
  redactor.hide("pa\"ss\nword");
  log_.redact_with(redactor);
  log_.warn("got pa\"ss\nword", {{"error", "with pa\"ss\nword inside"}});
  EXPECT_NE(written_.find(R"("msg":"got [redacted]","error":"with [redacted] inside")"), std::string::npos) << written_;
}

}  // namespace
}  // namespace sunup::report
