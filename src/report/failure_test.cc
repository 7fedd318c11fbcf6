#include "report/failure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "report/exit_codes.h"
#include "report/test_kvp.h"

namespace sunup::report {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const Rune rune = first_rune(text);
    if (!rune.valid()) return false;
    text.remove_prefix(rune.size);
  }
  return true;
}

TEST(Failure, SaysCodeStepCauseAndWhatToDo) {
  const std::string text = failure_text({.exit_code = 50,
                                         .step = "network.outbound",
                                         .cause = "GET https://mcr.microsoft.com/v2/: connection refused",
                                         .hint = "",
                                         .ignored = {"kubelet_config.foo"},
                                         .timeline = "controller started +0.000s"});
  EXPECT_THAT(text, StartsWith("provisioning failed: exit code 50 ERR_OUTBOUND_CONN_FAIL (network)\n"
                               "step: network.outbound\n"
                               "cause: GET https://mcr.microsoft.com/v2/: connection refused\n"
                               "do: Check network security groups"));
  EXPECT_THAT(text, HasSubstr("\nignored: kubelet_config.foo\ntimeline: controller started +0.000s"));
}

TEST(Failure, StaysUnderAKibibyteForEveryCodeAndWhateverIsInIt) {
  std::string wide;
  for (int i = 0; i < 3000; ++i) wide += "\u20ac";  // three bytes each
  for (const ExitCode& code : exit_codes()) {
    const std::string text = failure_text({.exit_code = code.number,
                                           .step = wide,
                                           .cause = wide + "\xff\xfe" + wide,
                                           .hint = "",
                                           .ignored = std::vector<std::string>(500, wide),
                                           .timeline = wide});
    EXPECT_LT(text.size(), 1024u);
    EXPECT_TRUE(is_utf8(text));
    for (const char* part : {"\nstep: ", "\ncause: ", "\ndo: ", "\nignored: ", "\ntimeline: "})
      EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(Failure, CauseTakesTheRoomThatOthersLeave) {
  const std::string text = failure_text({.exit_code = 1, .cause = std::string(5000, 'c'), .timeline = "t"});
  EXPECT_EQ(text.size(), kLongestFailureText);
  EXPECT_TRUE(text.ends_with("\ntimeline: t"));
}

TEST(Failure, CauseWithLineBreaksStaysOneLine) {
  const std::string text = failure_text({.exit_code = 1, .step = "", .cause = "a\nb\r\nc\x01"});
  EXPECT_THAT(text, HasSubstr("cause: a b  c "));
}

TEST(Failure, JsonHoldsTheSameText) {
  const Failure failure{.exit_code = 51, .step = "s", .cause = "c\xff", .node = "node-17"};
  const auto json = nlohmann::json::parse(failure_json(failure));
  EXPECT_EQ(json["node"], "node-17");
  EXPECT_EQ(json["exitCode"], 51);
  EXPECT_EQ(json["text"], failure_text(failure));
  EXPECT_EQ(json["retryMayHelp"], find_exit_code(51)->retry_may_help);
}

TEST(Kvp, RecordIsAKeyOf512AndAValueOf2048Bytes) {
  const std::string record = kvp_record("key", "value");
  ASSERT_EQ(record.size(), 512u + 2048u);
  EXPECT_EQ(record.substr(0, 4), std::string("key\0", 4));
  EXPECT_EQ(record.substr(512, 6), std::string("value\0", 6));
  EXPECT_EQ(record.find_first_not_of('\0', 512 + 5), std::string::npos);
}

TEST(Kvp, WhatIsTooLongIsCutBetweenCharacters) {
  std::string wide;
  for (int i = 0; i < 1000; ++i) wide += "\u20ac";
  const auto pairs = kvp_pairs(kvp_record(wide, wide) + kvp_record("b", "c") + "half a rec");
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_LT(pairs[0].key.size(), kKvpKey);
  EXPECT_LE(pairs[0].value.size(), kKvpValueShown);
  EXPECT_TRUE(is_utf8(pairs[0].key));
  EXPECT_TRUE(is_utf8(pairs[0].value));
  EXPECT_EQ(pairs[1].value, "c");
}

TEST(Fitting, CutsBetweenCharactersAndShowsIt) {
  EXPECT_EQ(fitting("short", 5), "short");
  EXPECT_EQ(fitting("longer", 5), "lo...");
  EXPECT_EQ(fitting("\u20ac\u20ac\u20ac", 8), "\u20ac...") << "a third of a character is none";
  EXPECT_EQ(fitting("longer", 2), "..");
  EXPECT_EQ(fitting("longer", 0), "");
}

}  // namespace
}  // namespace sunup::report
