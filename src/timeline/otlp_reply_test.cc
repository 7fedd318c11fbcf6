#include "timeline/otlp_reply.h"

#include <gtest/gtest.h>

namespace sunup::timeline {
namespace {

TEST(OtlpReply, TellsHowManySpansWereRefusedAndWhy) {
  for (const char* body : {R"({"partialSuccess":{"rejectedSpans":"5","errorMessage":"too many"}})",
                           R"({"partialSuccess":{"rejectedSpans":5,"errorMessage":"too many"}})"}) {
    const auto refusal = refusal_of(body);
    ASSERT_TRUE(refusal) << body;
    EXPECT_EQ(refusal->spans, 5);
    EXPECT_EQ(refusal->message, "too many");
  }
  EXPECT_EQ(refusal_of(R"({"partialSuccess":{"errorMessage":"soon deprecated"}})")->spans, 0);
}

TEST(OtlpReply, SaysNothingWhereAllWasTaken) {
  for (const char* body :
       {"", "{}", "ok", "[]", R"({"partialSuccess":{}})", R"({"partialSuccess":null})",
        R"({"partialSuccess":{"rejectedSpans":"0"}})", R"({"partialSuccess":{"rejectedSpans":[1]}})"})
    EXPECT_FALSE(refusal_of(body)) << body;
}

}  // namespace
}  // namespace sunup::timeline
