#include "announce/result_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "host/sim/machine.h"

namespace sunup::announce {
namespace {

using namespace std::chrono_literals;
using host::HttpReply;
using host::HttpRequest;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

constexpr char kToken[] = "07401b.f395accd246ae52d";
constexpr char kUrl[] = "https://sunup.example:8443/v1/nodes/aks-pool1-0/result";

struct ResultServiceTest : testing::Test {
  host::sim::World world{1};
  ResultService service{.url = "https://sunup.example:8443", .ca = "PEM", .token = Secret(kToken)};
  std::deque<HttpReply> answers;  // the last one is repeated
  std::vector<HttpRequest> received;
  std::vector<host::Duration> at;  // since the start of sending
  host::Duration took{};

  Result<void> send(const std::string& node = "aks-pool1-0", const std::string& url = kUrl) {
    host::sim::Machine machine(world);
    const host::TimePoint start = machine.loop().now();
    if (!answers.empty())
      world.endpoints[url].answer = [&, start](const HttpRequest& request) {
        received.push_back(request);
        at.push_back(machine.loop().now() - start);
        HttpReply reply = answers.front();
        if (answers.size() > 1) answers.pop_front();
        return reply;
      };
    std::optional<Result<void>> sent;
    auto sending = send_result(machine.host().loop, machine.host().network, service, node, R"({"exitCode":0})");
    EXPECT_EQ(machine.loop().run(std::move(sending), &sent), host::sim::EndOfRun::kDone);
    took = machine.loop().now() - start;
    return sent ? *sent : Error("it did not end");
  }
  void answer_with(std::initializer_list<int> statuses) {
    received.clear();
    answers.clear();
    for (const int status : statuses) answers.push_back({.status = status});
  }
};

TEST_F(ResultServiceTest, PostsTheResultWithTheToken) {
  answer_with({202});
  ASSERT_TRUE(send());
  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(received[0].method, "POST");
  EXPECT_EQ(received[0].body, R"({"exitCode":0})");
  EXPECT_EQ(received[0].ca_pem, "PEM");
  EXPECT_THAT(received[0].headers, Contains(Pair("Authorization", std::string("Bearer ") + kToken)));
  EXPECT_THAT(received[0].headers, Contains(Pair("Content-Type", "application/json")));
  EXPECT_EQ(received[0].client_certificate, "");
  EXPECT_LT(took, 1s);
}

TEST_F(ResultServiceTest, UsesTheClientCertificateWithoutAToken) {
  service.token = {};
  service.client_certificate = "/var/lib/kubelet/pki/kubelet-client-current.pem";
  answer_with({202});
  ASSERT_TRUE(send());
  EXPECT_EQ(received.at(0).client_certificate, service.client_certificate);
  EXPECT_EQ(received.at(0).client_key, service.client_certificate);
  for (const auto& [name, value] : received[0].headers) EXPECT_NE(name, "Authorization");
}

TEST_F(ResultServiceTest, AddsThePathToAPrefixAndEncodesTheName) {
  service.url = "https://sunup.example/sunup";
  answer_with({202});
  EXPECT_TRUE(send("a/../b?c", "https://sunup.example/sunup/v1/nodes/a%2F..%2Fb%3Fc/result"));
}

TEST_F(ResultServiceTest, TriesAgainWhileTheFailureMayPass) {
  for (const auto& statuses : {std::initializer_list<int>{503, 202},
                               {429, 202},
                               {502, 500, 504, 202},
                               {401, 401, 202},
                               {404, 404, 202},
                               {404, 401, 503, 202}}) {
    answer_with(statuses);
    EXPECT_TRUE(send());
    EXPECT_EQ(received.size(), statuses.size());
  }
}

TEST_F(ResultServiceTest, GivesUpWhatDoesNotPass) {
  const std::pair<int, size_t> refusals[] = {{400, 1}, {403, 1}, {413, 1}, {422, 1}, {302, 1},
                                             {401, 3}, {404, 3}, {429, 4}, {503, 4}};
  for (const auto& [status, attempts] : refusals) {
    SCOPED_TRACE(status);
    answer_with({status});
    const auto sent = send();
    ASSERT_FALSE(sent);
    EXPECT_THAT(sent.error().what, HasSubstr(std::to_string(status)));
    EXPECT_EQ(received.size(), attempts);
  }
}

TEST_F(ResultServiceTest, DoesNotTakeTheTokenToAnotherPlace) {
  answers.push_back({.status = 307, .headers = {{"Location", "https://elsewhere.example/"}}});
  bool elsewhere = false;
  world.endpoints["https://elsewhere.example/"].answer = [&](const HttpRequest&) {
    elsewhere = true;
    return HttpReply{.status = 202};
  };
  EXPECT_FALSE(send());
  EXPECT_FALSE(elsewhere);
}

TEST_F(ResultServiceTest, WaitsAsLongAsTheServiceAsksWithinLimits) {
  const std::pair<std::string, host::Duration> pauses[] = {
      {"2", 2s}, {"10", 3s}, {"0", 1s}, {"999999999999", 1s}, {"-5", 1s}, {"tomorrow", 1s}, {"", 1s}};
  for (const auto& [asked, pause] : pauses) {
    SCOPED_TRACE(asked);
    answer_with({});
    at.clear();
    answers = {{.status = 429, .headers = {{"Retry-After", asked}}}, {.status = 202}};
    EXPECT_TRUE(send());
    ASSERT_EQ(at.size(), 2u);
    EXPECT_GE(at[1] - at[0], pause);
    EXPECT_LT(at[1] - at[0], pause + 1s);
  }
}

// kubelet registers its Node some seconds after the success is published.
TEST_F(ResultServiceTest, GivesTheClusterSomeSecondsToKnowTheNode) {
  for (const int status : {401, 404}) {
    answer_with({status});
    EXPECT_FALSE(send());
    EXPECT_GE(took, 6s);
    EXPECT_LT(took, 7s);
  }
}

TEST_F(ResultServiceTest, AServiceThatIsNotThereOrHangsCostsTenSecondsAtMost) {
  auto sent = send();
  ASSERT_FALSE(sent);
  EXPECT_THAT(sent.error().what, HasSubstr("Connection refused"));
  EXPECT_GE(took, 3s) << "it is tried four times";
  EXPECT_LT(took, 4s);

  world.endpoints[kUrl].takes = 1h;
  sent = send();
  ASSERT_FALSE(sent);
  EXPECT_THAT(sent.error().what, HasSubstr("no response within"));
  EXPECT_LE(took, 10s);
}

TEST_F(ResultServiceTest, NoErrorContainsTheToken) {
  for (const int status : {302, 400, 401, 403, 404, 422, 429, 503}) {
    answers = {{.status = status, .headers = {{"Location", kToken}}, .body = kToken}};
    const auto sent = send();
    ASSERT_FALSE(sent);
    EXPECT_THAT(sent.error().what, Not(HasSubstr(kToken)));
  }
}

}  // namespace
}  // namespace sunup::announce
