#include "fleet/sources/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "fleet/sources/connection.h"
#include "fleet/sources/http_pool.h"
#include "fleet/sources/patient_client.h"
#include "fleet/sources/test_tls_server.h"

namespace sunup::fleet {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(HttpClient, GivesUpAtItsTimeoutWhichTellsOfTheServer) {
  TestTlsServer server({}, true);
  server.silent = true;
  const HttpClient client({.timeout = milliseconds(50), .verify = false});
  const auto answer = client.get(*parse_http_url(server.url() + "/version"));
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().what, HasSubstr("no response in time"));
  EXPECT_NE(answer.error().os_errno, kOutOfTime);
}

TEST(HttpClient, GivesUpAtItsDeadlineWhichTellsNothingOfTheServer) {
  TestTlsServer server({}, true);
  server.silent = true;
  const HttpClient client({.deadline = Clock::now() - hours(1), .verify = false});
  const auto answer = client.get(*parse_http_url(server.url() + "/version"));
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().what, HasSubstr("no response in time"));
  EXPECT_EQ(answer.error().os_errno, kOutOfTime);
}

TEST(HttpClient, AnAddressNeedsNoTimeToBeLookedUp) {
  const TestRefusingPort port;
  const HttpClient client({.deadline = Clock::now() - hours(1)});
  const auto answer = client.get(*parse_http_url(port.url("http") + "/"));
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().what, AllOf(HasSubstr("connecting to 127.0.0.1"), Not(HasSubstr("looking up"))));
}

// tests/server has the one that keeps them.
TEST(HttpPool, ReplacesConnectionsThatTheServerCloses) {
  HttpPool pool;
  {
    TestTlsServer server({{"/version", {200, "{}"}}}, true);
    HttpOptions options{.ca_pem = server.ca.pem()};
    for (int i = 0; i < 3; ++i) {
      const auto answer = pool.send(*parse_http_url(server.url() + "/version"), options, {});
      ASSERT_TRUE(answer) << answer.error().what;
      EXPECT_EQ(answer->status, 200);
    }
    EXPECT_EQ(server.requests, 3);
    options.ca_pem = TestCertificate(nullptr).pem();  // a connection that others trusted is not used
    EXPECT_FALSE(pool.send(*parse_http_url(server.url() + "/version"), options, {}));
  }
  const TestRefusingPort port;
  EXPECT_FALSE(pool.send(*parse_http_url(port.url("https") + "/"), {}, {}));
}

TEST(PatientClient, TellsWhatTheServerDidAndNotThatTheDeadlineCame) {
  int tries = 0;
  const PatientClient client(Clock::now() + hours(1), [&](const HttpUrl&) -> Result<HttpAnswer> {
    if (++tries == 1) return Error("connecting: Connection refused");
    Error late("no response in time");
    late.os_errno = kOutOfTime;
    return late;
  });
  EXPECT_EQ(client.get({}).error().what, "connecting: Connection refused (asked 2 times)");
}

TEST(PatientClient, GivesTheRefusalThatCameBeforeTheDeadline) {
  int tries = 0;
  const PatientClient client(Clock::now() + hours(1), [&](const HttpUrl&) -> Result<HttpAnswer> {
    if (++tries == 1) return HttpAnswer{.status = 403, .body = "no", .chain_pem = {}};
    Error late("no response in time");
    late.os_errno = kOutOfTime;
    return late;
  });
  const auto answer = client.get({}, true);
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(answer->status, 403);
}

TEST(PatientClient, SaysThatTheDeadlineCameWhereNothingElseHappened) {
  const PatientClient client(Clock::now() + hours(1), [](const HttpUrl&) -> Result<HttpAnswer> {
    Error late("no response in time");
    late.os_errno = kOutOfTime;
    return late;
  });
  EXPECT_EQ(client.get({}).error().what, "no response in time (asked 1 time)");
}

// As in `sunup`: SIGPIPE ends the program.
TEST(Connection, ServerThatClosesBeforeTheRequestIsAnErrorAndNotOurEnd) {
  const auto earlier = std::signal(SIGPIPE, SIG_DFL);
  TestTlsServer server({}, true);
  server.leaves = true;
  const Clock::time_point deadline = Clock::now() + hours(1);
  auto connection = Connection::open(*parse_http_url(server.url()), {.verify = false}, deadline);
  ASSERT_TRUE(connection) << connection.error().what;
  server.wait_until_left();
  // The first write that fails may fail because of what the server sent before it closed; after that the pipe is
  // broken.
  while (connection->write("GET / HTTP/1.1\r\n", deadline)) {
  }
  EXPECT_FALSE(connection->write("GET / HTTP/1.1\r\n", deadline));
  std::signal(SIGPIPE, earlier);
}

}  // namespace
}  // namespace sunup::fleet
