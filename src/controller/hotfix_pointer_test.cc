#include "controller/hotfix_pointer.h"

#include <gtest/gtest.h>

namespace sunup::controller {
namespace {

TEST(HotfixPointer, ReadsItsMembersInAnyCase) {
  const auto pointer = parse_pointer(
      R"({"Version":"202608.21.3","SCRIPTS_VERSION":"202608.21.4","hotfixes":{"202604.01":"202604.01.9"},"new":[1]})");
  ASSERT_TRUE(pointer);
  EXPECT_EQ(pointer->version, "202608.21.3");
  EXPECT_EQ(pointer->scripts_version, "202608.21.4");
  EXPECT_EQ(pointer->hotfixes, (std::map<std::string, std::string>{{"202604.01", "202604.01.9"}}));
}

TEST(HotfixPointer, NothingIsNoWish) {
  for (const char* empty : {"", " \n", "{}", "null", R"({"version":null,"hotfixes":null})"}) {
    const auto pointer = parse_pointer(empty);
    ASSERT_TRUE(pointer) << empty;
    EXPECT_EQ(wanted_version(*pointer, "202604.01.3"), "") << empty;
  }
}

TEST(HotfixPointer, RefusesWhatItCannotRead) {
  for (const char* bad : {"{", "[]", "1", R"({"version":1})", R"({"hotfixes":[]})", R"({"hotfixes":{"a":1}})", "{} x"})
    EXPECT_FALSE(parse_pointer(bad)) << bad;
}

TEST(HotfixPointer, IsWrittenCompactAndSorted) {
  EXPECT_EQ(to_json(HotfixPointer{}), R"({"hotfixes":{}})");
  EXPECT_EQ(to_json({.version = "1.2.3", .scripts_version = "4.5.6", .hotfixes = {{"b", "2"}, {"a", "1"}}}),
            R"({"version":"1.2.3","scripts_version":"4.5.6","hotfixes":{"a":"1","b":"2"}})");
}

TEST(HotfixPointer, ComesWithTheNodeConfigForANodeThatCannotAsk) {
  const auto found = cold_start_hotfixes(R"({"version":"v1","hotfixes":{"202604.01":"202604.01.9"}})");
  ASSERT_TRUE(found);
  ASSERT_TRUE(*found);
  EXPECT_EQ((**found).at("202604.01"), "202604.01.9");
  for (const char* none : {"{}", R"({"hotfixes":{}})", R"({"hotfixes":null})"}) {
    ASSERT_TRUE(cold_start_hotfixes(none)) << none;
    EXPECT_FALSE(*cold_start_hotfixes(none)) << none;
  }
  EXPECT_FALSE(cold_start_hotfixes("{"));
  EXPECT_FALSE(cold_start_hotfixes(R"({"hotfixes":"x"})"));
}

TEST(Base, IsTheVersionWithoutItsPatch) {
  EXPECT_EQ(base_of("202604.01.3"), "202604.01");
  EXPECT_EQ(base_of(" 202604.01.3\n"), "202604.01");
  EXPECT_EQ(base_of("1.2.3.4"), "1.2");
  for (const char* none : {"", "dev", "1.2", "1..3", ".2.3", "1.2."}) EXPECT_EQ(base_of(none), std::nullopt) << none;
}

TEST(WantedVersion, IsTheEntryOfOurBaseOrElseTheVersion) {
  const HotfixPointer by_base{
      .version = "202604.01.8", .scripts_version = "", .hotfixes = {{"202604.01", " 202604.01.9 "}}};
  EXPECT_EQ(wanted_version(by_base, "202604.01.3"), "202604.01.9");
  EXPECT_EQ(wanted_version(by_base, "202605.01.3"), "") << "the version is not consulted then";
  EXPECT_EQ(wanted_version(by_base, "dev"), "");
  EXPECT_EQ(wanted_version({.version = " 1.2.3 ", .scripts_version = "", .hotfixes = {}}, "dev"), "1.2.3");
}

TEST(Gate, LetsOnlyAHigherPatchOfTheSameReleasePass) {
  EXPECT_TRUE(*is_hotfix_for("202608.21.2", "202608.21.3"));
  EXPECT_TRUE(*is_hotfix_for("202608.01.2", "202608.1.10")) << "numbers, not text";
  EXPECT_FALSE(*is_hotfix_for("202608.21.3", "202608.21.3"));
  EXPECT_FALSE(*is_hotfix_for("202608.21.3", "202608.21.2"));
  EXPECT_FALSE(*is_hotfix_for("202608.21.3", "202608.22.4"));
  EXPECT_FALSE(*is_hotfix_for("202608.21.3", "202609.21.4"));
}

TEST(Gate, NamesWhatIsNoVersion) {
  EXPECT_EQ(is_hotfix_for("dev", "1.2.3").error().what, R"(parsing current version "dev": invalid semantic version)");
  EXPECT_EQ(is_hotfix_for("1.2.3", "x").error().what, R"(parsing hotfix version "x": invalid semantic version)");
}

}  // namespace
}  // namespace sunup::controller
