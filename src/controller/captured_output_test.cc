#include "controller/captured_output.h"

#include <gtest/gtest.h>

namespace sunup::controller {
namespace {

constexpr size_t kLimit = CapturedOutput::kHead + CapturedOutput::kTail;

TEST(CapturedOutput, KeepsAllOfItUpToTheLimit) {
  std::string all;
  CapturedOutput output;
  for (int i = 0; all.size() + 10 < kLimit; ++i) {
    const std::string piece = std::to_string(i) + "\n";
    all += piece;
    output.add(piece);
  }
  EXPECT_EQ(output.text(), all);
}

TEST(CapturedOutput, KeepsBeginningAndEndOfMoreAndSaysHowMuchIsMissing) {
  for (const size_t piece_size : {size_t{1000}, 3 * kLimit}) {
    CapturedOutput output;
    output.add("first");
    size_t total = 5;
    for (; total < 10 * kLimit; total += piece_size) output.add(std::string(piece_size, 'x'));
    output.add("last");
    total += 4;
    const std::string text = output.text();
    EXPECT_TRUE(text.starts_with("firstx"));
    EXPECT_TRUE(text.ends_with("xlast"));
    EXPECT_NE(text.find("\n[... " + std::to_string(total - kLimit) + " bytes left out ...]\n"), std::string::npos);
    EXPECT_LT(text.size(), kLimit + 100);
  }
}

}  // namespace
}  // namespace sunup::controller
