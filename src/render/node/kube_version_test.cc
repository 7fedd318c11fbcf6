#include "render/node/kube_version.h"

#include <gtest/gtest.h>

namespace sunup::render::node {
namespace {

TEST(KubeAtLeast, ComparesNumbersAndIgnoresSuffixes) {
  EXPECT_TRUE(kube_at_least("1.34.0", 1, 34));
  EXPECT_TRUE(kube_at_least("v1.34", 1, 34));
  EXPECT_TRUE(kube_at_least("1.34.10", 1, 34, 9));
  EXPECT_TRUE(kube_at_least("1.34.0+azure", 1, 34));
  EXPECT_TRUE(kube_at_least("1.34.0~rc1", 1, 34));
  EXPECT_FALSE(kube_at_least("1.33.99", 1, 34));
  EXPECT_FALSE(kube_at_least("1.9.9", 1, 10));
}

TEST(KubeAtLeast, WhatIsNoVersionIsOlderThanAll) {
  for (const char* text : {"", "x", "1.x", "99999999999.0.0"}) EXPECT_FALSE(kube_at_least(text, 1, 0)) << text;
}

TEST(NaturalOrder, ReadsRunsOfDigitsAsNumbers) {
  EXPECT_TRUE(natural_order("kubelet_1.34.9-1", "kubelet_1.34.10-1") < 0);
  EXPECT_TRUE(natural_order("a10", "a9") > 0);
  EXPECT_TRUE(natural_order("a01", "a1") == 0);
  EXPECT_TRUE(natural_order("1.34.1", "1.34.1-2") < 0);
}

}  // namespace
}  // namespace sunup::render::node
