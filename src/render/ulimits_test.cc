#include "render/ulimits.h"

#include <gtest/gtest.h>

namespace sunup::render {
namespace {

TEST(ContainerdUlimits, NameOnlyTheLimitsThatAreSet) {
  aksnodeconfig::v1::UlimitConfig ulimits;
  EXPECT_EQ(containerd_ulimits(ulimits), "[Service] ");
  ulimits.set_no_file("");
  EXPECT_EQ(containerd_ulimits(ulimits), "[Service] LimitNOFILE= ");
  ulimits.set_max_locked_memory("infinity");
  EXPECT_EQ(containerd_ulimits(ulimits), "[Service] LimitMEMLOCK=infinity LimitNOFILE= ");
}

}  // namespace
}  // namespace sunup::render
