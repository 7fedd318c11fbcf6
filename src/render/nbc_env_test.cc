#include "render/nbc_env.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "base/base64.h"

namespace sunup::render {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Variables = std::map<std::string, std::string>;

TEST(NbcEnvironment, FindsAssignmentsBetweenDelimiters) {
  EXPECT_EQ(nbc_environment("A=1 B=2\tC=3\nD=4;E_5=x echo A2\n"),
            (Variables{{"A", "1"}, {"B", "2"}, {"C", "3"}, {"D", "4"}, {"E_5", "x"}}));
}

TEST(NbcEnvironment, GluesQuotedAndPlainPieces) {
  EXPECT_EQ(nbc_environment(R"(A="x y"z'; "w' B='it"s' C="a\"b)"),
            (Variables{{"A", R"(x yz; "w)"}, {"B", "it\"s"}, {"C", "a\\b"}}));
}

TEST(NbcEnvironment, LetsAnOpenQuoteRunToTheEnd) {
  EXPECT_EQ(nbc_environment("A=\"x B=1\nC=2"), (Variables{{"A", "x B=1\nC=2"}}));
  EXPECT_THAT(nbc_environment("echo 'A=1"), IsEmpty());
}

TEST(NbcEnvironment, SkipsTokensThatAreNotAssignments) {
  EXPECT_EQ(nbc_environment("a=1 9A=2 fooBAR=3 -x=\"A=4 B=5\" =6 \"C\"=7 D =8 export E=9"), (Variables{{"E", "9"}}));
}

TEST(NbcEnvironment, StartsANewAssignmentWhereASpaceIsMissing) {
  EXPECT_EQ(nbc_environment("A=1B=2"), (Variables{{"A", "1"}, {"B", "2"}}));
  EXPECT_EQ(nbc_environment("A=B=c"), (Variables{{"A", ""}, {"B", "c"}}));
  EXPECT_EQ(nbc_environment("A=\"x\"B=y"), (Variables{{"A", "x"}, {"B", "y"}}));
  EXPECT_EQ(nbc_environment("A=\"B=1\""), (Variables{{"A", "B=1"}})) << "not inside quotes";
  EXPECT_EQ(nbc_environment("A=aFOO BAR"), (Variables{{"A", "aFOO"}}));
}

TEST(NbcEnvironment, CutsUnquotedBase64AfterAnUpperCaseLetter) {
  EXPECT_EQ(nbc_environment("CA=abQ=="), (Variables{{"CA", "ab"}, {"Q", "="}}));
  EXPECT_EQ(nbc_environment("CA=abQ1A9=="), (Variables{{"CA", "ab"}, {"Q1A9", "="}}));
  EXPECT_EQ(nbc_environment("CA=abq=="), (Variables{{"CA", "abq=="}}));
}

TEST(NbcEnvironment, KeepsCarriageReturnsAndTheLastOfAName) {
  EXPECT_EQ(nbc_environment("A=1\r\nA=2\r"), (Variables{{"A", "2\r"}}));
}

RC_GTEST_PROP(NbcEnvironment, NamesAreIdentifiersWhateverTheText, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("AZ_09az='\"; \t\n\r\\$")));
  for (const auto& [name, value] : nbc_environment(text)) {
    RC_ASSERT(!name.empty() && (name[0] < '0' || name[0] > '9'));
    RC_ASSERT(name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == std::string::npos);
  }
}

RC_GTEST_PROP(NbcEnvironment, ReadsBackWhatIsSingleQuoted, ()) {
  const auto value = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("AZ_09az=\"; \t\n\r\\$")));
  RC_ASSERT(nbc_environment("X=1;KEY='" + value + "' Y=2") == (Variables{{"KEY", value}, {"X", "1"}, {"Y", "2"}}));
}

TEST(CompareEnvironments, NamesEachDifferenceOnceSortedByVariable) {
  EXPECT_THAT(compare_environments({{"A", "1"}, {"B", "1"}, {"C", "1"}}, {{"B", "2"}, {"C", "1"}, {"AA", "1"}}),
              ElementsAre("only-in-pc: A", "only-in-nbc: AA", "differs: B"));
}

TEST(CompareEnvironments, IgnoresDoubleQuotes) {
  EXPECT_THAT(compare_environments({{"A", "\"x\" y"}}, {{"A", "x \"y"}}), IsEmpty());
  EXPECT_THAT(compare_environments({{"A", "'x'"}}, {{"A", "x"}}), ElementsAre("differs: A"));
}

TEST(CompareEnvironments, ToleratesKnownDifferencesButNotOnOurSide) {
  EXPECT_THAT(compare_environments({{"REPO_DEPOT_ENDPOINT", ""}, {"SKIP_WAAGENT_HOLD", "true"}},
                                   {{"HYPERKUBE_URL", "x"}, {"SKIP_WAAGENT_HOLD", "false"}}),
              ElementsAre("only-in-pc: REPO_DEPOT_ENDPOINT"));
}

TEST(CompareEnvironments, ComparesSysctlContentLineByLine) {
  const auto differs = [](std::string_view ours, std::string_view theirs) {
    return !compare_environments({{"SYSCTL_CONTENT", base64_encode(ours)}}, {{"SYSCTL_CONTENT", base64_encode(theirs)}})
                .empty();
  };
  EXPECT_FALSE(differs("a=1\nb=2\n", "\n b = 2 \r\n# note\na=0\na=1"));
  EXPECT_TRUE(differs("a=1\n", "a=1\nb=2"));
  EXPECT_TRUE(differs("a=1\n", "a=2\n"));
  EXPECT_THAT(compare_environments({{"SYSCTL_CONTENT", "\"%\""}}, {{"SYSCTL_CONTENT", "%"}}), IsEmpty())
      << "what is not base64 is compared like any other value";
}

}  // namespace
}  // namespace sunup::render
