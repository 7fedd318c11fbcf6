// Changes of network interfaces, with an interface in a network namespace of its own.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "host/real/watch.h"
#include "host/running.h"

namespace sunup::host::real {
namespace {

using namespace std::chrono_literals;

struct RealLinks : testing::Test {
  ~RealLinks() override {
    if (before) EXPECT_EQ(::setns(before.get(), CLONE_NEWNET), 0);
  }

  // Empty: it works. Otherwise the reason why this machine cannot run the test.
  std::string enter_own_network() {
    before = Fd(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
    if (!before || ::unshare(CLONE_NEWNET) != 0) return std::string("no own network: ") + std::strerror(errno);
    tap = Fd(::open("/dev/net/tun", O_RDWR | O_CLOEXEC));
    if (!tap) return std::string("no /dev/net/tun: ") + std::strerror(errno);
    return "";
  }
  void make_interface() {
    ifreq request{};
    std::strcpy(request.ifr_name, "tap0");
    request.ifr_flags = IFF_TAP | IFF_NO_PI;
    ASSERT_EQ(::ioctl(tap.get(), TUNSETIFF, &request), 0) << std::strerror(errno);
    switch_on(true);
  }
  void switch_on(bool on) {
    const Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ifreq request{};
    std::strcpy(request.ifr_name, "tap0");
    request.ifr_flags = on ? IFF_UP : 0;
    ASSERT_EQ(::ioctl(socket.get(), SIOCSIFFLAGS, &request), 0) << std::strerror(errno);
  }
  void set_carrier(int carrier) { ASSERT_EQ(::ioctl(tap.get(), TUNSETCARRIER, &carrier), 0) << std::strerror(errno); }

  Result<void> until(LinkChanges& changes, bool there, bool up) {
    const auto see = [](LinkChanges& all, bool is_there, bool is_up) -> Task<Result<void>> {
      while (true) {
        const auto change = co_await all.next();
        if (!change) co_return change.error();
        if (change->name == "tap0" && change->there == is_there && change->up == is_up) co_return Result<void>();
      }
    };
    return loop->run(within(*loop, 30s, see(changes, there, up), "a change of the link"));
  }

  std::unique_ptr<Loop> loop = std::move(*Loop::open());
  Watch watch{*loop, "/"};
  Fd before;
  Fd tap;
};

TEST_F(RealLinks, AnInterfaceAppearsGoesDownAndUpAndIsRemoved) {
  if (const std::string why = enter_own_network(); !why.empty()) GTEST_SKIP() << why;
  const auto changes = watch.link_changes();
  ASSERT_TRUE(changes) << changes.error().what;
  make_interface();
  EXPECT_TRUE(until(**changes, true, true));
  set_carrier(0);
  EXPECT_TRUE(until(**changes, true, false));
  set_carrier(1);
  EXPECT_TRUE(until(**changes, true, true));
  // Both changes are reported, although nothing waits for them meanwhile. (The kernel reports changes of the carrier
  // later, and those that cancel each other out not at all.)
  switch_on(false);
  switch_on(true);
  EXPECT_TRUE(until(**changes, true, false));
  EXPECT_TRUE(until(**changes, true, true));
  tap = Fd();
  EXPECT_TRUE(until(**changes, false, false));
}

TEST_F(RealLinks, TooManyUnreadChangesAreAnErrorAndNotSilence) {
  if (const std::string why = enter_own_network(); !why.empty()) GTEST_SKIP() << why;
  const auto changes = watch.link_changes();
  ASSERT_TRUE(changes) << changes.error().what;
  make_interface();
  for (int i = 0; i < 2000; ++i) switch_on(i % 2 == 0);  // a change of the carrier is reported once a second at most
  std::optional<int> error;
  const auto see = [&]() -> Task<Result<void>> {
    while (true) {
      const auto change = co_await (*changes)->next();
      if (change) continue;
      error = change.error().os_errno;
      co_return Result<void>();
    }
  };
  EXPECT_TRUE(loop->run(within(*loop, 30s, see(), "an error")));
  EXPECT_EQ(error, ENOBUFS);
}

}  // namespace
}  // namespace sunup::host::real
