#include "controller/child_environment.h"

#include <gtest/gtest.h>

#include "contract/formats.h"
#include "render/cse_env.h"

namespace sunup::controller {
namespace {

using Strings = std::vector<std::string>;

TEST(MergeEnvironments, LetsTheConfigWinWhateverSortsHigher) {
  EXPECT_EQ(merge_environments({"LOCATION=zzz", "ADMINUSER=aaa"}, {{"LOCATION", "eastus"}, {"ADMINUSER", "azureuser"}}),
            (Strings{"ADMINUSER=azureuser", "LOCATION=eastus"}));
}

TEST(MergeEnvironments, KeepsWhatOnlyOneSideHasAndSortsAll) {
  EXPECT_EQ(merge_environments({"a=1", "PATH=/bin", "_=x"}, {{"EMPTY", ""}, {"A", "2"}}),
            (Strings{"A=2", "EMPTY=", "PATH=/bin", "_=x", "a=1"}));
}

TEST(MergeEnvironments, IsNotFooledByNamesThatShareABeginning) {
  EXPECT_EQ(merge_environments({"A-B=1", "A=1", "AB=1"}, {{"A", "0"}, {"A-B", "2"}}),
            (Strings{"A-B=2", "A=0", "AB=1"}));
}

TEST(Overruled, NamesEachVariableWhoseValueIsReplaced) {
  EXPECT_EQ(overruled({"LOCATION=zzz", "ADMINUSER=aaa", "SAME=1", "MINE=1", "ADMINUSER=bbb", "EMPTY="},
                      {{"LOCATION", "eastus"}, {"ADMINUSER", ""}, {"SAME", "1"}, {"EMPTY", ""}}),
            (Strings{"ADMINUSER", "LOCATION"}));
}

TEST(FitsTheKernel, CountsTheNameTheEqualsSignAndTheFinalNul) {
  const std::string longest(contract::kLongestVariable - sizeof "NAME=", 'x');
  EXPECT_TRUE(fits_the_kernel({{"A", "1"}, {"NAME", longest}}));
  const auto refused = fits_the_kernel({{"A", "1"}, {"NAME", longest + "x"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what,
            "the variable NAME of the scripts has 131073 bytes; the kernel passes at most 131072 to a program");
}

TEST(ByName, SplitsAtTheFirstEqualsSign) {
  EXPECT_EQ(by_name({"A=b=c", "A=d", "junk", "E="}), (std::map<std::string, std::string>{{"A", "b=c"}, {"E", ""}}));
}

}  // namespace
}  // namespace sunup::controller
