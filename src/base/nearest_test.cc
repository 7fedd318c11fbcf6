#include "base/nearest.h"

#include <gtest/gtest.h>

namespace sunup {
namespace {

TEST(Nearest, CountsSlipsOfThePen) {
  EXPECT_EQ(name_distance("vm_size", "vm_size"), 0u);
  EXPECT_EQ(name_distance("vmSize", "vm_size"), 0u);
  EXPECT_EQ(name_distance("VM-SIZE", "vm_size"), 0u);
  EXPECT_EQ(name_distance("vmsiez", "vm_size"), 1u);
  EXPECT_EQ(name_distance("subnett", "subnet"), 1u);
  EXPECT_EQ(name_distance("", "abc"), 3u);
  EXPECT_EQ(name_distance("kitten", "sitting"), 3u);
}

TEST(Nearest, SuggestsOnlyWhatCouldBeASlip) {
  EXPECT_EQ(nearest("kubelet_confg", {"kubelet_config", "kube_binary_config"}), "kubelet_config");
  EXPECT_EQ(nearest("zzz", {"kubelet_config", "vm_size"}), std::nullopt);
  EXPECT_EQ(nearest("", {"a"}), std::nullopt);
  EXPECT_EQ(nearest(std::string(10000, 'a'), {"a"}), std::nullopt);
}

}  // namespace
}  // namespace sunup
