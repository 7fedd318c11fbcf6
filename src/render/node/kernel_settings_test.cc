#include "render/node/kernel_settings.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sunup::render::node {
namespace {

TEST(KernelSettings, BothFilesOfAPlainNode) {
  const auto files = kernel_setting_files({}, {});
  ASSERT_EQ(files->size(), 2U);
  EXPECT_EQ((*files)[0].path, "/etc/sysctl.d/99-force-bridge-forward.conf");
  EXPECT_EQ((*files)[0].content,
            "net.ipv4.ip_forward = 1\nnet.ipv4.conf.all.forwarding = 1\nnet.ipv6.conf.all.forwarding = 1\n"
            "net.bridge.bridge-nf-call-iptables = 1\n");
  EXPECT_EQ((*files)[1].path, "/etc/sysctl.d/999-sysctl-aks.conf");
  EXPECT_EQ((*files)[1].content,
            "net.core.message_burst=80\nnet.core.message_cost=40\nnet.core.somaxconn=16384\n"
            "net.ipv4.neigh.default.gc_thresh1=4096\nnet.ipv4.neigh.default.gc_thresh2=8192\n"
            "net.ipv4.neigh.default.gc_thresh3=16384\nnet.ipv4.tcp_max_syn_backlog=16384\nnet.ipv4.tcp_retries2=8\n");
}

TEST(KernelSettings, TheKeysToWriteAreTheOnesInTheFiles) {
  Configuration config;
  config.mutable_custom_linux_os_config()->mutable_sysctl_config()->set_vm_max_map_count(262144);
  const auto settings = kernel_settings(config, {});
  EXPECT_EQ(settings.size(), 13U);
  EXPECT_EQ(settings.front(), (KernelSetting{"/proc/sys/net/ipv4/ip_forward", "1"}));
  EXPECT_NE(std::find(settings.begin(), settings.end(), KernelSetting{"/proc/sys/vm/max_map_count", "262144"}),
            settings.end());
  EXPECT_EQ(proc_sys_path("net.bridge.bridge-nf-call-iptables"), "/proc/sys/net/bridge/bridge-nf-call-iptables");
}

TEST(KernelSettings, ARangeOfPortsThatTheKernelRefusesIsRefusedBefore) {
  Configuration config;
  auto& sysctl = *config.mutable_custom_linux_os_config()->mutable_sysctl_config();
  for (const char* none : {"1024", "a b", "0 5", "5 4", "1024 65536", "1 2 3", "-1 5", "1023 2000",
                           "1024 2000\nkernel.x=1", "1024\n2000", " "}) {
    sysctl.set_net_ipv4_ip_local_port_range(none);
    EXPECT_EQ(kernel_setting_files(config, {}).error().code, 103) << none;
  }
  for (const char* fine : {"32768 60999", "1024\t65535", "5000 5000"}) {
    sysctl.set_net_ipv4_ip_local_port_range(fine);
    EXPECT_TRUE(kernel_setting_files(config, {})) << fine;
  }
}

}  // namespace
}  // namespace sunup::render::node
