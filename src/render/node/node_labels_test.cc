#include "render/node/node_labels.h"

#include <gtest/gtest.h>

namespace sunup::render::node {
namespace {

TEST(WithLabel, AppendsUnlessItIsThere) {
  EXPECT_EQ(with_label("", "a=1"), "a=1");
  EXPECT_EQ(with_label("b=2", "a=1"), "b=2,a=1");
  EXPECT_EQ(with_label("a=1,b=2", "a=1"), "a=1,b=2");
}

TEST(WithLabel, ComparesWholeItemsAndNotPatterns) {
  EXPECT_EQ(with_label("xa=1", "a=1"), "xa=1,a=1");
  EXPECT_EQ(with_label("a=10", "a=1"), "a=10,a=1");
  EXPECT_EQ(with_label("kubernetesXazure.com/x=y", "kubernetes.azure.com/x=y"),
            "kubernetesXazure.com/x=y,kubernetes.azure.com/x=y");
}

TEST(WithoutLabel, WorksAtEveryPosition) {
  EXPECT_EQ(without_label("a=1,b=2,c=3", "a=1"), "b=2,c=3");
  EXPECT_EQ(without_label("a=1,b=2,c=3", "b=2"), "a=1,c=3");
  EXPECT_EQ(without_label("a=1,b=2,c=3", "c=3"), "a=1,b=2");
  EXPECT_EQ(without_label("a=1", "a=1"), "");
}

TEST(WithoutLabel, LeavesAListWithoutItAlone) {
  EXPECT_EQ(without_label("", "a=1"), "");
  EXPECT_EQ(without_label("xa=1,a=12", "a=1"), "xa=1,a=12");
}

}  // namespace
}  // namespace sunup::render::node
