#include "report/result_file.h"

#include <gtest/gtest.h>

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

TEST(ResultFile, IsWrittenInTheRecordedShape) {
  EXPECT_EQ(to_json({.exit_code = "99", .error = "exit status 99", .output = "out\n\nerr\n"}),
            R"({"ExitCode":"99","Error":"exit status 99","Output":"out\n\nerr\n"})");
  EXPECT_EQ(to_json({.exit_code = "1", .error = "<&>", .output = "\xff"}),
            R"({"ExitCode":"1","Error":"\u003c\u0026\u003e","Output":"\ufffd"})");
}

TEST(ResultFile, ComesBackAsItWasWritten) {
  const ProvisionResult written{.exit_code = "-1", .error = "a \"b\" \\ <c>", .output = "x\ty\n\u2028\u00e9\U0001F600"};
  const auto read = parse_result(to_json(written));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->exit_code, written.exit_code);
  EXPECT_EQ(read->error, written.error);
  EXPECT_EQ(read->output, written.output);
}

TEST(ResultFile, AcceptsEverySpellingOfSuccess) {
  for (const char* good :
       {R"({"ExitCode":"0"})", R"({"ExitCode":"0","Output":"x","Error":"","BootDatapoints":{"a":[1]}})",
        R"({"ExitCode":"+0"})", R"({"ExitCode":"-0"})", R"({"ExitCode":"00"})", R"({"exitcode":"0"})",
        R"({"ExitCode":"1","ExitCode":"0"})", " {\"ExitCode\":\"0\"}\r\n\t", R"({"ExitCode":"\u0030"})"})
    EXPECT_EQ(verdict(good), "") << good;
}

TEST(ResultFile, ContainsWhatTheStepsWroteBesides) {
  const auto result = parse_result(
      R"({"ExitCode":"1","FailedStep":"a","CSEStartTime":"Sun Nov 15 18:48:09 UTC 2026","ExecDuration":"3"})");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->failed_step, "a");
  EXPECT_EQ(result->start_time, "Sun Nov 15 18:48:09 UTC 2026");
  EXPECT_EQ(result->duration, "3");
  const auto other = parse_result(R"({"ExitCode":"0","FailedStep":5,"ExecDuration":[]})");
  ASSERT_TRUE(other) << "the original does not read these, so no type of theirs is an error";
  EXPECT_EQ(other->failed_step + other->duration, "");
}

TEST(ResultFile, CountsTheLastOfEqualNamesInAnyCase) {
  EXPECT_EQ(verdict(R"({"ExitCode":"0","EXITCODE":"5"})"), "code 5");
  EXPECT_EQ(verdict(R"({"ExitCode":"5","ExitCode":null})"), "code 5") << "null leaves what was there";
}

TEST(ResultFile, NamesAMissingOrUnusableExitCode) {
  for (const char* none : {"{}", "null", R"({"ExitCode":""})", R"({"ExitCode":null})"})
    EXPECT_EQ(verdict(none), "missing ExitCode in provision.json") << none;
  for (const std::string code : {"abc", " 0", "1e0", "12345678901234567890", "+", "-", "+-1", "0x1", "1 "})
    EXPECT_EQ(verdict(R"({"ExitCode":")" + code + R"("})"), "invalid ExitCode in provision.json: " + code);
  EXPECT_EQ(verdict(R"({"ExitCode":"-1"})"), "code -1");
}

TEST(ResultFile, SaysWhichTypeIsWrong) {
  EXPECT_EQ(verdict(R"({"ExitCode":0})"),
            "parse provision.json: json: cannot unmarshal number into Go struct field ProvisionResult.ExitCode of type "
            "string");
  EXPECT_EQ(verdict(R"({"ExitCode":"0","Output":{}})"),
            "parse provision.json: json: cannot unmarshal object into Go struct field ProvisionResult.Output of type "
            "string");
  EXPECT_EQ(verdict("[]"),
            "parse provision.json: json: cannot unmarshal array into Go value of type main.ProvisionResult");
}

TEST(ResultFile, SaysWhereTheJsonBreaks) {
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

TEST(ResultFile, SurvivesDeepNesting) {
  const std::string deep(200'000, '[');
  EXPECT_EQ(verdict(deep), "parse provision.json: exceeded max depth");
}

TEST(ResultFile, JoinsSurrogatePairsAndReplacesHalves) {
  const auto result = parse_result(R"({"ExitCode":"0","Output":"\ud83d\ude00 \ud83d \ude00 \ud83d\u0041"})");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output, "\U0001F600 \ufffd \ufffd \ufffdA");
}

}  // namespace
}  // namespace sunup::report
