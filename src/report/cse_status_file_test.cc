#include "report/cse_status_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/status.h"

namespace sunup::report {
namespace {

using nlohmann::json;

CseStatusFile failed() {
  CseStatusFile status;
  status.exit_code = 50;
  status.error = "step network.outbound: no way out";
  status.failed_step = "network.outbound";
  status.verdict = "provisioning failed: exit code 50\ncause: no way out";
  return status;
}

TEST(CseStatusFile, HoldsTheVerdictForThosePeopleAndProgramsThatLookForIt) {
  const std::string text = to_json(failed());
  EXPECT_EQ(json::parse(text)["Verdict"], failed().verdict);
  const StatusReport report = find_statuses("[stdout]\n" + text + "\n\n[stderr]\n");
  ASSERT_EQ(report.statuses.size(), 1u);
  EXPECT_EQ(report.statuses[0].verdict, failed().verdict);
}

TEST(CseStatusFile, OfASuccessHasNoMemberThatOnlyFailuresNeed) {
  const json file = json::parse(to_json(CseStatusFile()));
  for (const char* name : {"Verdict", "FailedStep", "Hint", "IgnoredFields"}) EXPECT_FALSE(file.contains(name)) << name;
}

// The extension passes on the last 4 KiB of provision-wait's output.
TEST(CseStatusFile, ArrivesWholeHoweverLongItsPartsAre) {
  for (const std::string& filler : {std::string("x"), std::string("\""), std::string("\x01"), std::string("€\n")}) {
    CseStatusFile status = failed();
    for (int i = 0; i < 5000; ++i) status.output += filler;
    status.output += "the end";
    std::string text = to_json(status);
    EXPECT_LE(text.size(), kLongestStatusFile);
    EXPECT_GT(text.size(), kLongestStatusFile - 16) << "no more is left out than must be";
    EXPECT_THAT(json::parse(text)["Output"].get<std::string>(), testing::EndsWith("the end"));

    status.error = status.output;
    status.ignored_fields.assign(1000, "kubelet_config." + filler);
    text = to_json(status);
    EXPECT_LE(text.size(), kLongestStatusFile);
    EXPECT_EQ(json::parse(text)["ExitCode"], "50");
    EXPECT_EQ(json::parse(text)["Verdict"], status.verdict);
    EXPECT_FALSE(json::parse(text)["Error"].get<std::string>().empty());
  }
}

TEST(CseStatusFile, TellsTheStepsThatItNamesAsUnfinished) {
  EXPECT_THAT(unfinished_steps(R"({"ExitCode":"0","UnfinishedSteps":["logs.links",7,"access.motd"]})"),
              testing::ElementsAre("logs.links", "access.motd"));
  for (const char* text : {"", "[]", "{}", R"({"UnfinishedSteps":"logs.links"})", R"({"UnfinishedSteps":[{}]})"})
    EXPECT_THAT(unfinished_steps(text), testing::IsEmpty()) << text;
}

TEST(CseStatusFile, NamesUnfinishedStepsUntilThereAreNone) {
  const std::string text = R"({"ExitCode":"0","Output":"log"})";
  const std::string named = with_unfinished_steps(text, {"logs.links", "access.motd"});
  EXPECT_EQ(named, R"({"ExitCode":"0","Output":"log","UnfinishedSteps":["logs.links","access.motd"]})");
  EXPECT_EQ(with_unfinished_steps(named, {}), text);
  EXPECT_EQ(with_unfinished_steps(text + " ", {}), text + " ") << "what names none stays as it is";
  const std::string deep = "{\"a\":" + std::string(200'000, '[') + std::string(200'000, ']') + "}";
  EXPECT_EQ(with_unfinished_steps(deep, {"a"}), deep);
  EXPECT_EQ(with_native_refusal(deep, "why"), deep);
  EXPECT_EQ(with_unfinished_steps("torn", {"logs.links"}), "torn");
  CseStatusFile status;
  status.output = std::string(10'000, 'x') + "the end";
  const std::string full = with_unfinished_steps(to_json(status), {"logs.links"});
  EXPECT_LE(full.size(), kLongestStatusFile);
  EXPECT_THAT(json::parse(full)["Output"].get<std::string>(), testing::EndsWith("the end"));
}

}  // namespace
}  // namespace sunup::report
