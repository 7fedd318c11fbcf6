#include "controller/mode.h"

#include <gtest/gtest.h>

namespace sunup::controller {
namespace {

using Features = std::map<std::string, std::string>;

TEST(Features, AreReadLineByLine) {
  EXPECT_EQ(parse_features("A=1\nB=two words\nC="), (Features{{"A", "1"}, {"B", "two words"}, {"C", ""}}));
  EXPECT_EQ(parse_features(""), Features());
}

TEST(Features, KeepTheValueAsItIs) {
  EXPECT_EQ(parse_features("A=b=c\nQ='x'\nR=x\r\n"), (Features{{"A", "b=c"}, {"Q", "'x'"}, {"R", "x\r"}}));
}

TEST(Features, CountOnlyIdentifiers) {
  EXPECT_EQ(parse_features("# A=1\n1A=1\nA-B=1\nexport C=1\n=1\nno sign\n_ok1=1\nB"),
            (Features{{"_ok1", "1"}, {"B", ""}}));
}

TEST(Features, TheLastLineOfANameWins) {
  EXPECT_EQ(parse_features("A=1\nA=2\n"), (Features{{"A", "2"}}));
}

TEST(Mode, IsReadFromItsName) {
  EXPECT_EQ(parse_mode(""), Mode::kAuto);
  EXPECT_EQ(parse_mode("auto"), Mode::kAuto);
  EXPECT_EQ(parse_mode("native"), Mode::kNative);
  EXPECT_EQ(parse_mode("scripts"), Mode::kScripts);
  EXPECT_EQ(parse_mode("Native"), std::nullopt);
}

}  // namespace
}  // namespace sunup::controller
