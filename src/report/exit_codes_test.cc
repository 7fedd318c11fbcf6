#include "report/exit_codes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

namespace sunup::report {
namespace {

using ::testing::HasSubstr;

TEST(ExitCodes, AreSortedAndUnique) {
  int last = -2;
  std::set<std::string_view> names;
  for (const ExitCode& code : exit_codes()) {
    EXPECT_GT(code.number, last);
    last = code.number;
    EXPECT_TRUE(code.name.empty() || names.insert(code.name).second) << code.name;
  }
}

TEST(ExitCodes, CoverTheWholeContract) {
  // The numbers that the ecosystem defines, as ranges of the contract's list. -1, 126, 127, 137 and 255 are from the
  // original controller, the shell and Sunup.
  const std::pair<int, int> ranges[] = {{-1, 10},   {20, 39},   {41, 45},   {48, 53},   {60, 62},   {65, 65},
                                        {70, 71},   {80, 80},   {83, 87},   {90, 91},   {95, 96},   {98, 103},
                                        {111, 113}, {115, 131}, {137, 137}, {152, 154}, {160, 161}, {169, 170},
                                        {172, 178}, {200, 208}, {210, 220}, {223, 235}, {240, 243}, {255, 255}};
  std::set<int> expected;
  for (const auto& [from, to] : ranges) {
    for (int number = from; number <= to; ++number) expected.insert(number);
  }
  std::set<int> actual;
  for (const ExitCode& code : exit_codes()) actual.insert(code.number);
  EXPECT_EQ(actual, expected);
}

TEST(ExitCodes, EachHasAMeaningAndARemedyInWholeSentences) {
  for (const ExitCode& code : exit_codes()) {
    EXPECT_GE(code.meaning.size(), 20U) << code.number;
    EXPECT_GE(code.remedy.size(), 14U) << code.number;
    EXPECT_FALSE(code.area.empty()) << code.number;
    EXPECT_EQ(code.meaning.back(), '.') << code.number;
    EXPECT_TRUE(code.remedy.back() == '.' || code.remedy.ends_with(".)")) << code.number;
    EXPECT_NE(code.meaning, code.remedy) << code.number;
  }
}

TEST(ExitCodes, AreFoundByNumberAndByNameInAnyCase) {
  const ExitCode* code = find_exit_code(51);
  ASSERT_NE(code, nullptr);
  EXPECT_EQ(code->name, "ERR_K8S_API_SERVER_CONN_FAIL");
  EXPECT_EQ(find_exit_code("ERR_K8S_API_SERVER_CONN_FAIL"), code);
  EXPECT_EQ(find_exit_code("k8s_api_server_conn_fail"), code);
  EXPECT_EQ(find_exit_code(40), nullptr);
  EXPECT_EQ(find_exit_code(-2), nullptr);
  EXPECT_EQ(find_exit_code(256), nullptr);
  EXPECT_EQ(find_exit_code("ERR_"), nullptr);
  EXPECT_EQ(find_exit_code(""), nullptr);
  EXPECT_EQ(find_exit_code("ERR_NOBODY"), nullptr);
}

TEST(ExitCodes, ExplanationsNameTheCodeItsMeaningAndWhatToDo) {
  const std::string text = explain(*find_exit_code(50));
  EXPECT_THAT(text, HasSubstr("50  ERR_OUTBOUND_CONN_FAIL"));
  EXPECT_THAT(text, HasSubstr("meaning  The node cannot reach the internet"));
  EXPECT_THAT(text, HasSubstr("do       Check network security groups"));
  EXPECT_THAT(text, HasSubstr("retry    may help"));
}

TEST(ExitCodes, CoverWhatTheControllerItselfWritesForAKilledOrUnstartableProgram) {
  const ExitCode* code = find_exit_code(-1);
  ASSERT_NE(code, nullptr);
  EXPECT_THAT(explain(*code), HasSubstr("-1  (node controller)"));
  EXPECT_THAT(std::string(code->remedy), HasSubstr("argument list too long"));
}

TEST(ExitCodes, DocumentationIsUpToDate) {
  std::ifstream file(SUNUP_SOURCE_DIR "/docs/exit-codes.md");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), exit_codes_markdown())
      << "docs/exit-codes.md is stale: sunup exit-code --format markdown > docs/exit-codes.md";
}

}  // namespace
}  // namespace sunup::report
