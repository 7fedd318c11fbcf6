// The parts of the server that need no connection. tests/server has the tests with connections.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "server/access.h"
#include "server/core.h"
#include "server/listener.h"
#include "server/metrics.h"
#include "server/node_results.h"
#include "server/processors.h"
#include "server/request_reader.h"
#include "server/response_text.h"

namespace sunup::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Metrics, AreTextThatPrometheusReads) {
  Metrics metrics;
  metrics.request_ended("/v1/resolve", "POST", 200, std::chrono::milliseconds(3));
  metrics.request_ended("/v1/resolve", "BREW", 405, std::chrono::seconds(60));
  metrics.node_reported(52, "a\"b\\c\nd", "network");
  const std::string text = metrics.text(7);
  EXPECT_THAT(text, HasSubstr("sunup_http_requests_total{route=\"/v1/resolve\",method=\"other\",code=\"405\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("duration_seconds_bucket{route=\"/v1/resolve\",le=\"0.0025\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("duration_seconds_bucket{route=\"/v1/resolve\",le=\"0.005\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("duration_seconds_bucket{route=\"/v1/resolve\",le=\"+Inf\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("duration_seconds_sum{route=\"/v1/resolve\"} 60.003\n"));
  EXPECT_THAT(text, HasSubstr("step=\"a\\\"b\\\\c\\nd\",class=\"network\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("sunup_log_lines_dropped_total 7\n"));
}

TEST(Metrics, StepsThatNodesInventDoNotGrowWithoutLimit) {
  Metrics metrics;
  for (int i = 0; i < 5000; ++i) metrics.node_reported(1, "step" + std::to_string(i), "config");
  const std::string text = metrics.text(0);
  EXPECT_LT(std::ranges::count(text, '\n'), 1100);
  EXPECT_THAT(text, HasSubstr("step=\"other\",class=\"config\"} 4000\n"));
}

TEST(ReportLimit, LetsSomeThroughAndThenOneEveryTenSeconds) {
  ReportLimit limit;
  const auto start = ReportLimit::Clock::now();
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(limit.take("a", start)) << i;
  EXPECT_FALSE(limit.take("a", start));
  EXPECT_TRUE(limit.take("b", start));
  EXPECT_FALSE(limit.take("a", start + std::chrono::seconds(9)));
  EXPECT_TRUE(limit.take("a", start + std::chrono::seconds(11)));
  EXPECT_FALSE(limit.take("a", start + std::chrono::seconds(12)));
}

TEST(ReportLimit, NamesOfNodesThatDoNotExistTakeNoPlace) {
  ReportLimit limit;
  const auto start = ReportLimit::Clock::now();
  for (int i = 0; i < 20000; ++i) {
    const std::string name = "invented" + std::to_string(i);
    EXPECT_TRUE(limit.take(name, start));
    limit.give_back(name, start);
  }
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(limit.take("real", start)) << i;
  EXPECT_FALSE(limit.take("real", start));
  limit.give_back("real", start);
  EXPECT_TRUE(limit.take("real", start));
  EXPECT_FALSE(limit.take("real", start));
  limit.give_back("unknown", start);
}

TEST(NodeResults, ABootstrapTokenSpeaksForAReadyNodeOnlyAboutItsBoot) {
  const auto node = nlohmann::json::parse(R"({"status":{"nodeInfo":{"bootID":"ab-cd"},
    "conditions":[{"type":"MemoryPressure","status":"False"},{"type":"Ready","status":"True"}]}})");
  const service::NodeReport own{.node = "n", .run = "abcd"}, other{.node = "n", .run = "abce"}, none{.node = "n"};
  EXPECT_TRUE(report_is_believed(node, own, false));
  EXPECT_FALSE(report_is_believed(node, other, false));
  EXPECT_FALSE(report_is_believed(node, none, false));
  EXPECT_TRUE(report_is_believed(node, other, true));
  for (const char* text :
       {"null", "{}", R"({"status":{"conditions":3}})", R"({"status":{"conditions":[3,{"type":7}]}})",
        R"({"status":{"conditions":[{"type":"Ready","status":"Unknown"}]}})"})
    EXPECT_TRUE(report_is_believed(nlohmann::json::parse(text), other, false)) << text;
  auto without = node;
  without["status"]["nodeInfo"]["bootID"] = "";
  EXPECT_FALSE(report_is_believed(without, none, false));
}

TEST(NodeResults, AMessageHasTheLimitOfAnEvent) {
  const service::NodeReport report{.node = "n", .exit_code = 50, .cause = std::string(5000, 'x')};
  EXPECT_LE(result_message(report).size(), 1023u);
  EXPECT_THAT(result_message(report), HasSubstr("exit code 50 ERR_OUTBOUND_CONN_FAIL"));
  const auto annotation = nlohmann::json::parse(result_annotation(report));
  EXPECT_EQ(annotation["class"], "network");
  EXPECT_FALSE(annotation["hint"].get<std::string>().empty());
}

TEST(Access, ANodeIsItselfOrHasABootstrapToken) {
  EXPECT_TRUE(is_node("system:bootstrap:abcdef", "n"));
  EXPECT_TRUE(is_node("system:node:n", "n"));
  EXPECT_FALSE(is_node("system:node:n2", "n"));
  EXPECT_FALSE(is_node("system:node:", "n"));
  EXPECT_FALSE(is_node("admin", "n"));
  EXPECT_FALSE(is_node("system:bootstrapper", "n"));
}

TEST(Access, AReviewThatDoesNotSayWhoItIsLetsNobodyIn) {
  const auto reviewed = [](const char* text) { return reviewed_identity(nlohmann::json::parse(text)); };
  const auto known =
      reviewed(R"({"status":{"authenticated":true,"user":{"username":"u","groups":["a","b"],"uid":"1"}}})");
  ASSERT_TRUE(known && *known);
  EXPECT_EQ((*known)->user, "u");
  EXPECT_THAT((*known)->groups, testing::ElementsAre("a", "b"));
  EXPECT_EQ((*known)->uid, "1");
  for (const char* text : {"{}", R"({"status":7})", R"({"status":{"authenticated":false,"user":{"username":"u"}}})",
                           R"({"status":{"authenticated":"true","user":{"username":"u"}}})"}) {
    const auto denied = reviewed(text);
    EXPECT_TRUE(denied && !*denied) << text;
  }
  for (const char* text : {R"({"status":{"authenticated":true}})", R"({"status":{"authenticated":true,"user":"u"}})",
                           R"({"status":{"authenticated":true,"user":{"username":["u"]}}})",
                           R"({"status":{"authenticated":true,"user":{"username":"u","groups":"a"}}})",
                           R"({"status":{"authenticated":true,"user":{"username":"u","groups":["a",7]}}})"})
    EXPECT_FALSE(reviewed(text)) << text;
}

// The descriptors of this process that epoll uses.
std::set<int> epoll_descriptors() {
  std::set<int> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    if (std::filesystem::read_symlink(entry, gone) == "anon_inode:[eventpoll]")
      found.insert(std::stoi(entry.path().filename().string()));
  }
  return found;
}

TEST(Connections, ASocketThatCannotBeRegisteredIsClosed) {
  const std::set<int> before = epoll_descriptors();
  Core core(ServerOptions{});
  std::set<int> own = epoll_descriptors();
  std::erase_if(own, [&](int fd) { return before.contains(fd); });
  ASSERT_EQ(own.size(), 1u);
  // The kernel refuses to add an epoll instance to itself. A socket is refused if the user has too many watches.
  const int descriptor = dup(*own.begin());
  ASSERT_GE(descriptor, 0);
  asio::co_spawn(core.io, serve_connection(core, descriptor, AF_INET), asio::detached);
  core.io.run();
  EXPECT_EQ(fcntl(descriptor, F_GETFD), -1);
  EXPECT_EQ(errno, EBADF);
}

TEST(Exposure, LoopbackAndSocketsNeedNoFlag) {
  for (const char* address : {"127.0.0.1", "127.9.8.7", "::1", "[::1]"})
    EXPECT_TRUE(check_exposure({.address = address})) << address;
  EXPECT_TRUE(check_exposure({.address = "", .unix_socket = "/run/x"}));
  for (const char* address : {"0.0.0.0", "::", "10.0.0.1", "::ffff:127.0.0.1"})
    EXPECT_FALSE(check_exposure({.address = address})) << address;
  EXPECT_FALSE(check_exposure({.address = ""}));
  EXPECT_FALSE(check_exposure({.address = "127.0.0.1", .tls = {.certificate = "c"}}));
}

TEST(Exposure, TheClusterThatJudgesTokensHasACertificateThatIsVerified) {
  EXPECT_TRUE(check_exposure({.cluster = {.url = "https://c", .ca_file = "/ca"}}));
  for (const char* address : {"127.0.0.1", "0.0.0.0"}) {
    const auto checked = check_exposure({.address = address,
                                         .tls = {.certificate = "c", .key = "k"},
                                         .cluster = {.url = "https://c"},
                                         .insecure = true});
    ASSERT_FALSE(checked);
    EXPECT_THAT(checked.error().hint, HasSubstr("--cluster-ca"));
  }
  EXPECT_FALSE(ApiServer({.url = "https://127.0.0.1:1"}).send("GET", "/"));
}

TEST(Processors, AQuotaIsRoundedUp) {
  EXPECT_EQ(processors_of_quota("150000 100000\n"), 2u);
  EXPECT_EQ(processors_of_quota("200000 100000\n"), 2u);
  EXPECT_EQ(processors_of_quota("1000 100000"), 1u);
  for (const char* text : {"max 100000\n", "", "1", "0 100000", "1 0", "-5 100000", "a b"})
    EXPECT_FALSE(processors_of_quota(text)) << text;
  EXPECT_EQ(group_path("1:cpu:/a\n0::/kubepods.slice/b\n"), "/kubepods.slice/b");
  EXPECT_EQ(group_path("1:cpu:/a\n"), "");
  EXPECT_GE(usable_processors(), 1u);
}

TEST(Processors, TheAffinityIsALimit) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i)
    if (CPU_ISSET(i, &before)) CPU_SET(i, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(usable_processors(), 1u);
  sched_setaffinity(0, sizeof before, &before);
}

TEST(ResponseText, HasOneBodyOrNone) {
  const service::ApiResponse response{.body = "{}\n", .headers = {{"Allow", "GET"}}};
  const std::string text = response_text(response, {.connection = "close", .request_id = "1", .now = 784111777});
  EXPECT_EQ(text,
            "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Type: application/json\r\n"
            "Content-Length: 3\r\nAllow: GET\r\nX-Request-Id: 1\r\nConnection: close\r\n\r\n{}\n");
  EXPECT_THAT(response_text(response, {.without_body = true}), ::testing::EndsWith("\r\n\r\n"));
  EXPECT_THAT(response_text({.status = 204, .content_type = ""}, {}), Not(HasSubstr("Content-Length")));
}

TEST(RequestReader, TellsTheHeaderBeforeTheBody) {
  RequestReader reader;
  std::string bytes = "POST /x?y HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n";
  EXPECT_EQ(reader.feed(bytes), RequestReader::State::kNeedsMore);
  EXPECT_TRUE(reader.has_header());
  EXPECT_EQ(reader.expected_body(), 3u);
  EXPECT_TRUE(reader.take_expectation());
  EXPECT_FALSE(reader.take_expectation());
  bytes = "abcGET";
  EXPECT_EQ(reader.feed(bytes), RequestReader::State::kDone);
  EXPECT_EQ(reader.body(), "abc");
  EXPECT_EQ(reader.target(), "/x?y");
  EXPECT_EQ(bytes, "GET");
}

TEST(RequestReader, TheHeaderHasOneLimitAtOnceAndByteByByte) {
  for (const size_t size : {size_t{1024}, size_t{1025}}) {
    const std::string rest = " HTTP/1.1\r\nHost: h\r\n\r\n";
    const std::string header = "GET /" + std::string(size - rest.size() - 5, 'a') + rest;
    for (const size_t piece : {size, size_t{1}}) {
      RequestReader reader({.body = 2048, .header = 1024});
      std::string bytes;
      RequestReader::State state = RequestReader::State::kNeedsMore;
      for (size_t at = 0; at < size && state == RequestReader::State::kNeedsMore; at += piece)
        state = reader.feed(bytes += header.substr(at, piece));
      EXPECT_EQ(state, size > 1024 ? RequestReader::State::kRefused : RequestReader::State::kDone) << piece;
    }
  }
}

TEST(RequestReader, LimitsWhatPrecedesAChunkAndWhatFollowsTheLastOne) {
  constexpr char kHeader[] = "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string large(1100, 'a');
  for (const std::string& body : {"3;" + large, "3;" + large + "\r\nabc\r\n0\r\n\r\n", "0\r\nx: " + large,
                                  "3\r\nabc\r\n0\r\nx: " + large + "\r\n\r\n"}) {
    for (const size_t piece : {body.size(), size_t{1}, size_t{100}}) {
      RequestReader reader({.body = 2048, .header = 1024});
      std::string bytes = kHeader;
      RequestReader::State state = reader.feed(bytes);
      for (size_t at = 0; at < body.size() && state == RequestReader::State::kNeedsMore; at += piece) {
        bytes += body.substr(at, piece);
        state = reader.feed(bytes);
        if (state == RequestReader::State::kNeedsMore) {
          EXPECT_LT(bytes.size(), 1024u);
        }
      }
      ASSERT_EQ(state, RequestReader::State::kRefused) << body.substr(0, 20) << " in pieces of " << piece;
      EXPECT_EQ(reader.refusal().status, 431);
    }
  }
  // Many small chunks are not too large together.
  RequestReader reader({.body = 2048, .header = 64});
  std::string bytes = kHeader;
  for (int i = 0; i < 500; ++i) bytes += "1;a=b\r\nx\r\n";
  bytes += "0\r\n\r\n";
  EXPECT_EQ(reader.feed(bytes), RequestReader::State::kDone);
  EXPECT_EQ(reader.body(), std::string(500, 'x'));
}

}  // namespace
}  // namespace sunup::server
