#include "controller/config_mistakes.h"

#include <gtest/gtest.h>

namespace sunup::controller {
namespace {

TEST(HintWith, SaysTheFailuresOwnHintThenTheConfigsMistakes) {
  EXPECT_EQ(hint_with("look there", {"$.a: is missing"}, "read the log."),
            "look there. The config has a mistake: $.a: is missing");
  EXPECT_EQ(hint_with("", {"$.a: is missing", "$.b: is no number"}, "read the log."),
            "The config has 2 mistakes (sunup config check), the first: $.a: is missing. read the log.");
  EXPECT_EQ(hint_with("", {}, "read the log."), "read the log.");
  EXPECT_EQ(hint_with("look there.", {}, "read the log."), "look there.");
}

}  // namespace
}  // namespace sunup::controller
