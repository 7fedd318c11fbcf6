#include "host/real/kernel.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "host/real/files.h"
#include "host/real/processes.h"
#include "host/real/test_dir.h"

namespace sunup::host::real {
namespace {

struct RealKernel : testing::Test {
  std::unique_ptr<Loop> loop = std::move(*Loop::open());
  TestingDir dir;
  Files files{*loop, dir.path()};
  Files all_files{*loop, "/"};
  Processes processes{*loop};
  Kernel below_root{files, processes};
  Kernel kernel{all_files, processes};
};

TEST_F(RealKernel, SettingsAreFilesWithDotsForSlashes) {
  ASSERT_TRUE(files.write("/proc/sys/net/ipv4/ip_forward", "0\n", 0644));
  ASSERT_TRUE(files.write("/proc/sys/net/ipv4/conf/eth0.100/arp", "0\n", 0644));
  EXPECT_TRUE(below_root.set_sysctl("net.ipv4.ip_forward", "1"));
  EXPECT_EQ(*below_root.sysctl("net.ipv4.ip_forward"), "1");
  EXPECT_TRUE(below_root.set_sysctl("net/ipv4/conf/eth0.100/arp", "2"));
  EXPECT_TRUE(below_root.set_sysctl("net.ipv4.conf.eth0/100.arp", "3"));
  EXPECT_EQ(*files.read("/proc/sys/net/ipv4/conf/eth0.100/arp"), "3\n");
  EXPECT_FALSE(below_root.set_sysctl("net.no.such", "1"));
}

TEST_F(RealKernel, ModulesThatAreThereAreNotLoadedAgain) {
  ASSERT_TRUE(files.make_directories("/sys/module/br_netfilter", 0755));
  EXPECT_TRUE(*below_root.module_loaded("br-netfilter"));
  EXPECT_TRUE(loop->run(below_root.load_modules({"br_netfilter"})));
  EXPECT_FALSE(*below_root.module_loaded("overlay"));
}

TEST_F(RealKernel, KnowsItsMounts) {
  const auto mounts = kernel.mounts();
  ASSERT_TRUE(mounts);
  EXPECT_TRUE(std::any_of(mounts->begin(), mounts->end(), [](const Mount& m) { return m.target == "/"; }));
  EXPECT_TRUE(std::any_of(mounts->begin(), mounts->end(), [](const Mount& m) { return m.type == "proc"; }));
  EXPECT_TRUE(kernel.unmount(dir / "nothing-is-mounted-here"));
}

}  // namespace
}  // namespace sunup::host::real
