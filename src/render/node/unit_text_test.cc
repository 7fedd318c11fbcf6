#include "render/node/unit_text.h"

#include <gtest/gtest.h>

namespace sunup::render::node {
namespace {

TEST(UnitText, WritesSectionsSeparatedByABlankLine) {
  UnitText text;
  text.section("Unit").set("After", "a.service").section("Service").set("Type", "oneshot");
  EXPECT_EQ(std::move(text).take(), "[Unit]\nAfter=a.service\n\n[Service]\nType=oneshot\n");
}

TEST(UnitText, AValueInEnvironmentCannotEndItsQuotesNorItsLine) {
  UnitText text;
  text.environment("A", "x\" B=1\n[Install]\\");
  EXPECT_EQ(std::move(text).take(), "Environment=\"A=x\\\" B=1\\x0a[Install]\\\\\"\n");
}

TEST(UnitText, PercentSignsSurviveSpecifierExpansion) {
  UnitText text;
  text.environment("URL", "http://u:p%40@proxy");
  EXPECT_EQ(std::move(text).take(), "Environment=\"URL=http://u:p%%40@proxy\"\n");
}

}  // namespace
}  // namespace sunup::render::node
