#include "report/provision_result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/status.h"

namespace sunup::report {
namespace {

// The outcome of provision-wait for a provision.json: "" for success, otherwise the error. The table is the original's.
std::string verdict(std::string_view text) {
  const Result<ProvisionResult> result = parse_result(text);
  if (!result) return result.error().what;
  const Result<int64_t> code = exit_code_of(*result);
  if (!code) return code.error().what;
  return *code == 0 ? "" : "code " + std::to_string(*code);
}

TEST(ProvisionResult, IsWrittenInTheRecordedShape) {
  EXPECT_EQ(brief_json({.exit_code = "99", .error = "exit status 99", .output = "out\n\nerr\n"}),
            R"({"ExitCode":"99","Error":"exit status 99","Output":"out\n\nerr\n"})");
  EXPECT_EQ(brief_json({.exit_code = "1", .error = "<&>", .output = "\xff"}),
            R"({"ExitCode":"1","Error":"\u003c\u0026\u003e","Output":"\ufffd"})");
}

TEST(ProvisionResult, ComesBackAsItWasWritten) {
  const ProvisionResult written{.exit_code = "-1", .error = "a \"b\" \\ <c>", .output = "x\ty\n\u2028\u00e9\U0001F600"};
  const auto read = parse_result(brief_json(written));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->exit_code, written.exit_code);
  EXPECT_EQ(read->error, written.error);
  EXPECT_EQ(read->output, written.output);
}

TEST(ProvisionResult, AcceptsEverySpellingOfSuccess) {
  for (const char* good :
       {R"({"ExitCode":"0"})", R"({"ExitCode":"0","Output":"x","Error":"","BootDatapoints":{"a":[1]}})",
        R"({"ExitCode":"+0"})", R"({"ExitCode":"-0"})", R"({"ExitCode":"00"})", R"({"exitcode":"0"})",
        R"({"ExitCode":"1","ExitCode":"0"})", " {\"ExitCode\":\"0\"}\r\n\t", R"({"ExitCode":"\u0030"})"})
    EXPECT_EQ(verdict(good), "") << good;
}

TEST(ProvisionResult, ContainsWhatTheStepsWroteBesides) {
  const auto result = parse_result(
      R"({"ExitCode":"1","FailedStep":"a","CSEStartTime":"Sun Nov 15 18:48:09 UTC 2026","ExecDuration":"3"})");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->failed_step, "a");
  EXPECT_EQ(result->start, "Sun Nov 15 18:48:09 UTC 2026");
  EXPECT_EQ(result->duration, "3");
  const auto other = parse_result(R"({"ExitCode":"0","FailedStep":5,"ExecDuration":[]})");
  ASSERT_TRUE(other) << "the original does not read these, so no type of theirs is an error";
  EXPECT_EQ(other->failed_step + other->duration, "");
}

TEST(ProvisionResult, CountsTheLastOfEqualNamesInAnyCase) {
  EXPECT_EQ(verdict(R"({"ExitCode":"0","EXITCODE":"5"})"), "code 5");
  EXPECT_EQ(verdict(R"({"ExitCode":"5","ExitCode":null})"), "code 5") << "null leaves what was there";
}

TEST(ProvisionResult, NamesAMissingOrUnusableExitCode) {
  for (const char* none : {"{}", "null", R"({"ExitCode":""})", R"({"ExitCode":null})"})
    EXPECT_EQ(verdict(none), "missing ExitCode in provision.json") << none;
  for (const std::string code : {"abc", " 0", "1e0", "12345678901234567890", "+", "-", "+-1", "0x1", "1 "})
    EXPECT_EQ(verdict(R"({"ExitCode":")" + code + R"("})"), "invalid ExitCode in provision.json: " + code);
  EXPECT_EQ(verdict(R"({"ExitCode":"-1"})"), "code -1");
}

TEST(ProvisionResult, SaysWhichTypeIsWrong) {
  EXPECT_EQ(verdict(R"({"ExitCode":0})"),
            "parse provision.json: json: cannot unmarshal number into Go struct field ProvisionResult.ExitCode of type "
            "string");
  EXPECT_EQ(verdict(R"({"ExitCode":"0","Output":{}})"),
            "parse provision.json: json: cannot unmarshal object into Go struct field ProvisionResult.Output of type "
            "string");
  EXPECT_EQ(verdict("[]"),
            "parse provision.json: json: cannot unmarshal array into Go value of type main.ProvisionResult");
}

TEST(ProvisionResult, SaysWhereTheJsonBreaks) {
  const std::pair<std::string, std::string> cases[] = {
      {"not-json", "invalid character 'o' in literal null (expecting 'u')"},
      {"", "unexpected end of JSON input"},
      {R"({"ExitCode":"0)", "unexpected end of JSON input"},
      {R"({"ExitCode")", "unexpected end of JSON input"},
      {R"({"ExitCode":"0"}x)", "invalid character 'x' after top-level value"},
      {"\xef\xbb\xbf{}", "invalid character '\u00ef' looking for beginning of value"},
      {"{'a':1}", R"(invalid character '\'' looking for beginning of object key string)"},
      {R"({"a" 1})", "invalid character '1' after object key"},
      {R"({"a":1 "b":2})", "invalid character '\"' after object key:value pair"},
      {R"({"a":[1 2]})", "invalid character '2' after array element"},
      {R"({"a":1,})", "invalid character '}' looking for beginning of object key string"},
      {R"({"a":[1,]})", "invalid character ']' looking for beginning of value"},
      {R"({"a":01})", "invalid character '1' after object key:value pair"},
      {R"({"a":-})", "invalid character '}' in numeric literal"},
      {R"({"a":1.})", "invalid character '}' after decimal point in numeric literal"},
      {R"({"a":1e})", "invalid character '}' in exponent of numeric literal"},
      {R"({"a":"\x"})", "invalid character 'x' in string escape code"},
      {R"({"a":"\u12g4"})", R"(invalid character 'g' in \u hexadecimal character escape)"},
      {"{\"a\":\"\n\"}", R"(invalid character '\n' in string literal)"},
  };
  for (const auto& [text, why] : cases) EXPECT_EQ(verdict(text), "parse provision.json: " + why) << text;
}

TEST(ProvisionResult, SurvivesDeepNesting) {
  const std::string deep(200'000, '[');
  EXPECT_EQ(verdict(deep), "parse provision.json: exceeded max depth");
}

TEST(ProvisionResult, JoinsSurrogatePairsAndReplacesHalves) {
  const auto result = parse_result(R"({"ExitCode":"0","Output":"\ud83d\ude00 \ud83d \ude00 \ud83d\u0041"})");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output, "\U0001F600 \ufffd \ufffd \ufffdA");
}

ProvisionResult failed() {
  ProvisionResult result;
  result.exit_code = "50";
  result.error = "step network.outbound: no way out";
  result.failed_step = "network.outbound";
  result.verdict = "provisioning failed: exit code 50\ncause: no way out";
  return result;
}

TEST(ProvisionResult, HoldsTheVerdictForThosePeopleAndProgramsThatLookForIt) {
  const std::string text = to_json(failed());
  EXPECT_EQ(nlohmann::json::parse(text)["Verdict"], failed().verdict);
  const StatusReport report = find_statuses("[stdout]\n" + text + "\n\n[stderr]\n");
  ASSERT_EQ(report.statuses.size(), 1u);
  EXPECT_EQ(report.statuses[0].result.verdict, failed().verdict);
}

TEST(ProvisionResult, OfASuccessHasNoMemberThatOnlyFailuresNeed) {
  const nlohmann::json file = nlohmann::json::parse(to_json(ProvisionResult()));
  for (const char* name : {"Verdict", "FailedStep", "Hint", "IgnoredFields"}) EXPECT_FALSE(file.contains(name)) << name;
}

// The extension passes on the last 4 KiB of provision-wait's output.
TEST(ProvisionResult, ArrivesWholeHoweverLongItsPartsAre) {
  for (const std::string& filler : {std::string("x"), std::string("\""), std::string("\x01"), std::string("€\n")}) {
    ProvisionResult result = failed();
    for (int i = 0; i < 5000; ++i) result.output += filler;
    result.output += "the end";
    std::string text = to_json(result);
    EXPECT_LE(text.size(), kLongestResult);
    EXPECT_GT(text.size(), kLongestResult - 16) << "no more is left out than must be";
    EXPECT_THAT(nlohmann::json::parse(text)["Output"].get<std::string>(), testing::EndsWith("the end"));

    result.error = result.output;
    result.ignored_fields.assign(1000, "kubelet_config." + filler);
    text = to_json(result);
    EXPECT_LE(text.size(), kLongestResult);
    EXPECT_EQ(nlohmann::json::parse(text)["ExitCode"], "50");
    EXPECT_EQ(nlohmann::json::parse(text)["Verdict"], result.verdict);
    EXPECT_FALSE(nlohmann::json::parse(text)["Error"].get<std::string>().empty());
  }
}

TEST(ProvisionResult, TellsTheStepsThatItNamesAsUnfinished) {
  EXPECT_THAT(unfinished_steps(R"({"ExitCode":"0","UnfinishedSteps":["logs.links",7,"access.motd"]})"),
              testing::ElementsAre("logs.links", "access.motd"));
  for (const char* text : {"", "[]", "{}", R"({"UnfinishedSteps":"logs.links"})", R"({"UnfinishedSteps":[{}]})"})
    EXPECT_THAT(unfinished_steps(text), testing::IsEmpty()) << text;
}

TEST(ProvisionResult, NamesUnfinishedStepsUntilThereAreNone) {
  const std::string text = R"({"ExitCode":"0","Output":"log"})";
  const std::string named = with_unfinished_steps(text, {"logs.links", "access.motd"});
  EXPECT_EQ(named, R"({"ExitCode":"0","Output":"log","UnfinishedSteps":["logs.links","access.motd"]})");
  EXPECT_EQ(with_unfinished_steps(named, {}), text);
  EXPECT_EQ(with_unfinished_steps(text + " ", {}), text + " ") << "what names none stays as it is";
  EXPECT_EQ(with_unfinished_steps("torn", {"logs.links"}), "torn");
  const std::string deep = "{\"a\":" + std::string(200'000, '[') + std::string(200'000, ']') + "}";
  EXPECT_EQ(with_unfinished_steps(deep, {"a"}), deep);
  EXPECT_EQ(with_native_refusal(deep, "why"), deep);
  ProvisionResult result;
  result.output = std::string(10'000, 'x') + "the end";
  const std::string full = with_unfinished_steps(to_json(result), {"logs.links"});
  EXPECT_LE(full.size(), kLongestResult);
  EXPECT_THAT(nlohmann::json::parse(full)["Output"].get<std::string>(), testing::EndsWith("the end"));
}

TEST(ProvisionResult, ReadsWhatItWrites) {
  ProvisionResult written = failed();
  set_times(written,
            {.kernel = 1'000'000'000, .networkd = 2'000'000'000, .start = 3'000'000'000, .end = 7'500'000'000});
  written.output = "log";
  written.hint = "open the port";
  const auto read = parse_result(to_json(written));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(to_json(*read), to_json(written));
  EXPECT_EQ(read->duration, "4");
  EXPECT_EQ(read->start, written.start);
  EXPECT_EQ(find_statuses(to_json(written)).statuses[0].result.networkd_start, written.networkd_start);
}

TEST(ProvisionResult, WithoutFreeTextHasCodesNamesAndTimes) {
  ProvisionResult result = failed();
  result.hint = result.output = result.systemd_summary = "free text";
  result.duration = "4";
  result.start = "Sun Nov 15 18:48:09 UTC 2026";
  const std::string facts = without_free_text(to_json(result));
  EXPECT_THAT(facts, testing::HasSubstr(R"("ExitCode":"50")"));
  EXPECT_THAT(facts, testing::HasSubstr(R"("FailedStep":"network.outbound")"));
  EXPECT_THAT(facts, testing::HasSubstr(R"("CSEStartTime":"Sun Nov 15 18:48:09 UTC 2026")"));
  EXPECT_THAT(facts, testing::EndsWith("}\n"));
  for (const char* text : {"no way out", "free text", "Datapoints"})
    EXPECT_THAT(facts, testing::Not(testing::HasSubstr(text)));
  EXPECT_EQ(without_free_text("torn"), "");
}

}  // namespace
}  // namespace sunup::report
