#include "host/real/units.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>

#include "host/running.h"

namespace sunup::host::real {
namespace {

using namespace std::chrono_literals;

bool has_systemd() {
  return ::access("/run/systemd/system", F_OK) == 0;
}

// tests/probe/systemd_probe.cc starts and breaks real units on a machine with systemd.
TEST(RealUnits, WithoutSystemdTheyAreUnavailableAndSaySoAtOnce) {
  if (has_systemd()) GTEST_SKIP() << "this machine has a systemd; tests/e2e/systemd_probe covers it";
  auto loop = std::move(*Loop::open());
  Units units(*loop);
  const auto started = loop->run(within(*loop, 30s, units.start("x.service", JobWait::kDone), "start"));
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().os_errno, ENOTCONN);
  EXPECT_NE(started.error().what.find("systemd cannot be reached"), std::string::npos) << started.error().what;
  const auto state = loop->run(within(*loop, 30s, units.becomes_active("x.service"), "state"));
  EXPECT_EQ(state.error().os_errno, ENOTCONN);
}

}  // namespace
}  // namespace sunup::host::real
