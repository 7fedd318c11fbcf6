#include "fleet/sources/join_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/sources/test_tls_server.h"

namespace sunup::fleet {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using About = JoinProblem::About;

constexpr char kToken[] = "abcdef.0123456789abcdef";

JoinQuestion question(const TestTlsServer& server) {
  return {.url = server.url(), .ca_pem = server.ca.pem(), .token = Secret(kToken), .timeout = std::chrono::seconds(30)};
}

TEST(JoinCheck, AcceptsAClusterThatKnowsTheToken) {
  std::vector<std::string> sent;
  {
    TestTlsServer server({{"/version", {200, R"({"gitVersion": "v1.34.1"})"}}}, false);
    EXPECT_FALSE(check_join(question(server)));
    sent = server.authorizations;
  }
  EXPECT_THAT(sent, Each("Bearer " + std::string(kToken)));
  EXPECT_EQ(sent.size(), 1u);
}

TEST(JoinCheck, NamesATokenThatTheClusterDoesNotKnowAndDoesNotShowIt) {
  TestTlsServer server({{"/version", {401, "{}"}}}, false);
  const auto problem = check_join(question(server));
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->about, About::kToken);
  EXPECT_THAT(problem->message, AllOf(HasSubstr("does not know the bootstrap token"), HasSubstr("has expired")));
  EXPECT_THAT(problem->message + problem->hint, Not(HasSubstr("abcdef")));
}

TEST(JoinCheck, NamesTheClockAndNotTheAuthority) {
  for (const long shift : {86400L * 30, -86400L * 30}) {
    TestTlsServer server({{"/version", {200, "{}"}}}, false, shift);
    const auto problem = check_join(question(server));
    ASSERT_TRUE(problem);
    EXPECT_EQ(problem->about, About::kClock) << problem->message;
    EXPECT_THAT(problem->message, HasSubstr(shift > 0 ? "not valid before 20" : "valid only until 20"));
    EXPECT_TRUE(server.authorizations.empty());
  }
}

TEST(JoinCheck, NamesAnotherAuthority) {
  TestTlsServer server({{"/version", {200, "{}"}}}, false);
  const TestCertificate other(nullptr);
  JoinQuestion wrong = question(server);
  wrong.ca_pem = other.pem();
  const auto problem = check_join(wrong);
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->about, About::kCertificate);
}

TEST(JoinCheck, NamesAServerThatIsNotThere) {
  JoinQuestion nobody{.url = "https://127.0.0.1:1", .ca_pem = TestCertificate(nullptr).pem(), .token = Secret(kToken)};
  nobody.timeout = std::chrono::milliseconds(300);
  const auto problem = check_join(nobody);
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->about, About::kServer);
}

}  // namespace
}  // namespace sunup::fleet
