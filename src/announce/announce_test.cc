#include "announce/announce.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/socket.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "host/real/files.h"
#include "host/real/loop.h"
#include "host/real/network.h"
#include "host/real/test_dir.h"
#include "report/test_kvp.h"

namespace sunup::announce {
namespace {

using host::Task;
using testing::HasSubstr;
using testing::Not;

// Records the requests.
class Network : public host::Network {
 public:
  explicit Network(int status) : status_(status) {}
  Task<Result<host::HttpReply>> request(host::HttpRequest request) override {
    sent.push_back(std::move(request));
    if (status_ == 0) co_return Error("GET https://hooks.example/secret-path: connection refused");
    co_return host::HttpReply{status_, {}, ""};
  }
  Task<Result<std::vector<std::string>>> lookup(std::string) override { co_return Error("no"); }
  Task<Result<void>> connects(std::string, uint16_t) override { co_return Error("no"); }
  Task<Result<host::TlsPeer>> handshakes(std::string, uint16_t, std::string) override { co_return Error("no"); }
  Task<Result<void>> send(std::string, std::string) override { co_return Error("no"); }

  std::vector<host::HttpRequest> sent;

 private:
  int status_;
};

// The kernel keeps every write as a record; an ordinary file would only show the last one.
class FilesWithKernelLog : public host::real::Files {
 public:
  using host::real::Files::Files;
  Result<void> write_in_place(const std::string& path, std::string_view content) override {
    if (path == kKernelLog && (content.size() > 976 || content.find(refused) != content.npos))
      return Error("the kernel takes no such record");
    if (path == kKernelLog) records.emplace_back(content);
    return host::real::Files::write_in_place(path, content);
  }
  std::vector<std::string> records;
  std::string refused = "\n\n";  // rejects a record that contains this text
};

struct AnnounceTest : testing::Test {
  host::real::TestingDir root;
  std::unique_ptr<host::real::Loop> loop = std::move(*host::real::Loop::open());
  FilesWithKernelLog files{*loop, root.path()};
  report::Failure failure{.exit_code = 50, .step = "network.outbound", .cause = "no way out"};

  void put(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(root.path() + path).parent_path());
    std::ofstream(root.path() + path) << text;
  }
  std::vector<Told> tell(host::Network* network) {
    return loop->run(announce_failure({.loop = *loop, .files = files, .network = network, .boot_id = "b"}, failure));
  }
};

TEST_F(AnnounceTest, MachineWithoutListenersIsToldNothing) {
  EXPECT_TRUE(tell(nullptr).empty());
}

TEST_F(AnnounceTest, PoolGetsOneWholeRecordAfterThoseThatAreThere) {
  put(report::kKvpPool, report::kvp_record("CLOUD_INIT|x", "y"));
  const auto told = tell(nullptr);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_TRUE(told[0].result.ok());
  const auto pairs = report::kvp_pairs(*files.read(report::kKvpPool));
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].key, "CLOUD_INIT|x");
  EXPECT_THAT(pairs[1].key, testing::StartsWith("AKS_NODE_PROVISION|failure|b|"));
  EXPECT_EQ(pairs[1].value, report::failure_text(failure));
}

TEST_F(AnnounceTest, EveryFailureOfABootHasAKeyOfItsOwn) {
  put(report::kKvpPool, "");
  for (int i = 0; i < 3; ++i) tell(nullptr);
  const auto pairs = report::kvp_pairs(*files.read(report::kKvpPool));
  ASSERT_EQ(pairs.size(), 3u);
  EXPECT_NE(pairs[0].key, pairs[1].key);
  EXPECT_NE(pairs[1].key, pairs[2].key);
  EXPECT_NE(pairs[0].key, pairs[2].key);
}

TEST_F(AnnounceTest, PoolThatSomebodyHoldsIsLeftAloneAfterAWhile) {
  put(report::kKvpPool, "");
  const int holder = ::open((root.path() + report::kKvpPool).c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(holder, LOCK_EX), 0);
  const auto told = tell(nullptr);
  ::close(holder);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_FALSE(told[0].result.ok());
  EXPECT_EQ(told[0].result.error().os_errno, EWOULDBLOCK);
  EXPECT_EQ(*files.read(report::kKvpPool), "");
}

TEST_F(AnnounceTest, ConsoleGetsEveryLineAsAnError) {
  put(kKernelLog, "");
  const auto told = tell(nullptr);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].listener, "serial console");
  std::string expected;
  for (const char c : "\n" + report::failure_text(failure))
    expected += c == '\n' ? std::string("\n<3>aks-node-controller: ") : std::string(1, c);
  std::string got;
  for (const std::string& record : files.records) got += "\n" + record.substr(0, record.find('\n'));
  EXPECT_GT(files.records.size(), 1u);
  EXPECT_EQ(got, expected) << "one record for each line, and all of them";
}

TEST_F(AnnounceTest, ConsoleGetsLongLinesCutAndTheRestAfterOneThatWasRefused) {
  put(kKernelLog, "");
  for (int i = 0; i < 600; ++i) failure.cause += "é";
  const std::string text = report::failure_text(failure);
  auto told = tell(nullptr);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_TRUE(told[0].result.ok()) << "nothing is longer than the kernel takes";
  const auto lines = static_cast<size_t>(std::ranges::count(text, '\n')) + (text.ends_with('\n') ? 0 : 1);
  EXPECT_EQ(files.records.size(), lines);
  const auto cause =
      std::ranges::find_if(files.records, [](const auto& one) { return one.find("cause: ") != one.npos; });
  ASSERT_NE(cause, files.records.end());
  EXPECT_LE(cause->size(), 901u);

  files.records.clear();
  files.refused = "cause: ";
  told = tell(nullptr);
  EXPECT_FALSE(told[0].result.ok());
  EXPECT_EQ(files.records.size(), lines - 1) << "what comes after it is told all the same";
}

TEST_F(AnnounceTest, WebhookGetsThePostAndItsAddressStaysPrivate) {
  put(kReportSettings, R"({"webhook": "https://hooks.example/secret-path"})");
  Network good(204);
  auto told = tell(&good);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_TRUE(told[0].result.ok());
  ASSERT_EQ(good.sent.size(), 1u);
  EXPECT_EQ(good.sent[0].method, "POST");
  EXPECT_EQ(good.sent[0].url, "https://hooks.example/secret-path");
  EXPECT_EQ(good.sent[0].body, report::failure_json(failure));
  EXPECT_LE(good.sent[0].limit, std::chrono::seconds(5));

  Network dead(0);
  told = tell(&dead);
  ASSERT_FALSE(told[0].result.ok());
  EXPECT_THAT(told[0].result.error().what, Not(HasSubstr("secret-path")));
}

// Accepts connections, as the kernel does for every listening socket, but never responds.
TEST_F(AnnounceTest, WebhookThatHangsIsGivenUpAndTheOthersHaveHeard) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  ASSERT_EQ(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  put(kReportSettings, R"({"webhook": "https://127.0.0.1:)" + std::to_string(ntohs(address.sin_port)) + "/\"}");
  put(report::kKvpPool, "");
  host::real::Network network(*loop);
  const auto told = loop->run(announce_failure({.loop = *loop,
                                                .files = files,
                                                .network = &network,
                                                .boot_id = "b",
                                                .webhook_limit = std::chrono::milliseconds(20)},
                                               failure));
  ::close(listener);
  ASSERT_EQ(told.size(), 2u);
  EXPECT_TRUE(told[0].result.ok());
  EXPECT_EQ(report::kvp_pairs(*files.read(report::kKvpPool)).size(), 1u);
  ASSERT_FALSE(told[1].result.ok());
  EXPECT_EQ(told[1].result.error().what, "no answer");
}

TEST_F(AnnounceTest, WebhookMustBeHttps) {
  put(kReportSettings, R"({"webhook": "http://hooks.example/secret-path"})");
  Network network(200);
  const auto told = tell(&network);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_FALSE(told[0].result.ok());
  EXPECT_THAT(told[0].result.error().what, Not(HasSubstr("secret-path")));
  EXPECT_TRUE(network.sent.empty());
}

}  // namespace
}  // namespace sunup::announce
