#include "render/env_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace sunup::render {
namespace {

TEST(EnvironmentJson, IsOneSortedObjectOfStrings) {
  EXPECT_EQ(environment_json({{"B", "<x>\n\"é\""}, {"A", ""}}), "{\n  \"A\": \"\",\n  \"B\": \"<x>\\n\\\"é\\\"\"\n}\n");
}

TEST(EnvironmentJson, IsJsonEvenIfAValueIsNotUtf8) {
  EXPECT_TRUE(nlohmann::json::accept(environment_json({{"A", "\xff\xfe"}})));
}

TEST(EnvironmentShell, QuotesEverythingAShellWouldTouch) {
  const auto text = environment_shell({{"A", "it's $HOME `x` \\ \"q\"\n!"}, {"B", ""}});
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, "export A='it'\\''s $HOME `x` \\ \"q\"\n!'\nexport B=''\n");
}

TEST(EnvironmentShell, RefusesANulCharacterByTheNameOfItsVariable) {
  const auto text = environment_shell({{"A", std::string("a\0b", 3)}});
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().what, "A would contain a NUL character, which an environment cannot contain");
}

}  // namespace
}  // namespace sunup::render
