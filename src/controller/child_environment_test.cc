#include "controller/child_environment.h"

#include <gtest/gtest.h>

namespace sunup::controller {
namespace {

using Strings = std::vector<std::string>;

TEST(MergeEnvironments, LetsTheHigherStringWin) {
  EXPECT_EQ(merge_environments({"LOCATION=zzz", "ADMINUSER=aaa"}, {{"LOCATION", "eastus"}, {"ADMINUSER", "azureuser"}}),
            (Strings{"ADMINUSER=azureuser", "LOCATION=zzz"}));
}

TEST(MergeEnvironments, KeepsWhatOnlyOneSideHasAndSortsAll) {
  EXPECT_EQ(merge_environments({"a=1", "PATH=/bin", "_=x"}, {{"EMPTY", ""}, {"A", "2"}}),
            (Strings{"A=2", "EMPTY=", "PATH=/bin", "_=x", "a=1"}));
}

TEST(MergeEnvironments, IsNotFooledByNamesThatShareABeginning) {
  EXPECT_EQ(merge_environments({"A-B=1", "A=1", "AB=1"}, {{"A", "0"}, {"A-B", "2"}}),
            (Strings{"A-B=2", "A=1", "AB=1"}));
}

TEST(ByName, SplitsAtTheFirstEqualsSign) {
  EXPECT_EQ(by_name({"A=b=c", "A=d", "junk", "E="}), (std::map<std::string, std::string>{{"A", "b=c"}, {"E", ""}}));
}

}  // namespace
}  // namespace sunup::controller
