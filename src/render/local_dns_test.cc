#include "render/local_dns.h"

#include <gtest/gtest.h>

#include <limits>

namespace sunup::render {
namespace {

using aksnodeconfig::v1::LocalDnsProfile;

TEST(LocalDnsLimits, AreDefaultsUnlessEnabledAndSaid) {
  LocalDnsProfile profile;
  profile.set_cpu_limit_in_milli_cores(3000);
  profile.set_memory_limit_in_mb(64);
  EXPECT_EQ(local_dns_cpu_limit(profile), "200.0%");
  EXPECT_EQ(local_dns_memory_limit(profile), "128M");
  profile.set_enable_local_dns(true);
  EXPECT_EQ(local_dns_cpu_limit(profile), "300.0%");
  EXPECT_EQ(local_dns_memory_limit(profile), "64M");
  profile.set_cpu_limit_in_milli_cores(0);
  profile.set_memory_limit_in_mb(0);
  EXPECT_EQ(local_dns_cpu_limit(profile), "200.0%");
  EXPECT_EQ(local_dns_memory_limit(profile), "128M");
}

TEST(LocalDnsLimits, KeepTenthsAndSigns) {
  LocalDnsProfile profile;
  profile.set_enable_local_dns(true);
  const auto cpu = [&](int32_t milli_cores) {
    profile.set_cpu_limit_in_milli_cores(milli_cores);
    return local_dns_cpu_limit(profile);
  };
  EXPECT_EQ(cpu(2008), "200.8%");
  EXPECT_EQ(cpu(5), "0.5%");
  EXPECT_EQ(cpu(-5), "-0.5%");
  EXPECT_EQ(cpu(std::numeric_limits<int32_t>::min()), "-214748364.8%");
  profile.set_memory_limit_in_mb(-1);
  EXPECT_EQ(local_dns_memory_limit(profile), "-1M");
}

TEST(LocalDnsCriticalNames, AreTrimmedAndJoined) {
  LocalDnsProfile profile;
  for (const auto* name : {" mcr.microsoft.com\t", "", "\xC2\xA0", "a b"}) profile.add_critical_fqdns(name);
  EXPECT_EQ(local_dns_critical_names(profile), "mcr.microsoft.com,a b");
}

}  // namespace
}  // namespace sunup::render
