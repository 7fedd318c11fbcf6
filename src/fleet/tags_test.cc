#include "fleet/tags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sunup::fleet {
namespace {

TEST(InPlaceUpdateHash, IsWhatIsPublished) {
  EXPECT_EQ(in_place_update_hash({}, {}), "1415952421");
  EXPECT_EQ(
      in_place_update_hash({{"compute.aks.billing", "linux"}, {"karpenter.azure.com_cluster", "test-cluster"}}, {}),
      "2544860859");
  EXPECT_EQ(in_place_update_hash({{"a", "1<2"}}, {"/subscriptions/s/id1"}), "2490787097");
}

}  // namespace
}  // namespace sunup::fleet
