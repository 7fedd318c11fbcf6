// Which runs send their result to the service, and the content: scripts and failures on the simulated machine. The
// success of a native run is in tests/sim.
#include "controller/send_result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "announce/announce.h"
#include "base/node_paths.h"
#include "controller/provision.h"
#include "controller/test_machine.h"

namespace sunup::controller {
namespace {

using namespace std::chrono_literals;
using host::HttpReply;
using host::HttpRequest;
using host::sim::EndOfRun;
using nlohmann::json;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

constexpr char kUrl[] = "https://sunup.example:8443/v1/nodes/aks-pool1-0/result";
constexpr char kToken[] = "07401b.f395accd246ae52d";  // of bench/config.json
constexpr char kEnd[] = "/run/the-end";               // the script succeeds if it exists

struct Received {
  HttpRequest request;
  host::Duration at;  // since the start of provisioning
  json body() const { return json::parse(request.body); }
};

class SendResult : public testing::Test, public TestMachine {
 protected:
  SendResult() {
    put("/opt/azure/components.json", "{}");
    put("/opt/azure/vhd-install.complete", "");
    put(paths::kStartScript, "");
    put("/proc/sys/kernel/hostname", "AKS-pool1-0\n");
    put(paths::kResultService, R"({"url":"https://sunup.example:8443","ca":"-----BEGIN CERTIFICATE-----"})");
    put(kEnd, "");
    world.programs["/bin/bash"].effect = [](const std::vector<std::string>&, host::Files& files) -> Result<void> {
      if (const auto good = files.exists(kEnd); !good || !*good) return Error("no");
      return files.write(paths::kResult, R"({"ExitCode":"0"})");
    };
    world.endpoints[kUrl].answer = [this](const HttpRequest& request) {
      received.push_back({request, now ? now() - start_ : host::Duration::zero()});
      return HttpReply{.status = 202};
    };
    options.config = put_config(SUNUP_SOURCE_DIR "/bench/config.json");
  }

  void provision() {
    const auto verb = [this](Node& node) {
      now = [&node] { return node.loop.now(); };
      start_ = now();
      return controller::provision(node, options);
    };
    ASSERT_EQ(run(verb, &outcome), EndOfRun::kDone);
  }
  void config(const std::string& text) { put(kConfig, text); }
  // A native run of this config fails at once.
  void config_that_fails(const std::string& more = "") {
    options.mode = Mode::kNative;
    config(R"({"version": "v1", "custom_linux_os_config": {"transparent_hugepage_support": "bogus"})" + more + "}");
  }

  ProvisionOptions options;
  std::optional<Outcome> outcome;
  std::vector<Received> received;
  std::function<host::TimePoint()> now;

 private:
  host::TimePoint start_;
};

TEST_F(SendResult, OfScriptsThatSucceedOnceAndWithItsMilestones) {
  provision();
  ASSERT_TRUE(outcome->ok()) << said;
  ASSERT_EQ(received.size(), 1u) << said;
  EXPECT_THAT(received[0].request.headers, Contains(Pair("Authorization", std::string("Bearer ") + kToken)));
  EXPECT_EQ(received[0].request.ca_pem, "-----BEGIN CERTIFICATE-----");
  const json body = received[0].body();
  EXPECT_EQ(body.at("node"), "aks-pool1-0");
  EXPECT_EQ(body.at("exitCode"), 0);
  EXPECT_EQ(body.at("run"), world.boot_id());
  EXPECT_EQ(body.at("milestones").at("controller.start"), 0.0);
  EXPECT_FALSE(body.contains("cause"));

  provision();
  EXPECT_TRUE(outcome->ok());
  EXPECT_EQ(received.size(), 1u) << "the result was sent already";
}

TEST_F(SendResult, OfScriptsThatFail) {
  world.disk.erase(kEnd);
  provision();
  EXPECT_EQ(outcome->exit_code, 1);
  ASSERT_EQ(received.size(), 1u) << said;
  EXPECT_EQ(received[0].body().at("exitCode"), 1);
  EXPECT_EQ(received[0].body().at("cause"), "exit status 1");
  EXPECT_THAT(received[0].body().at("text"), HasSubstr("provisioning failed: exit code 1"));
}

TEST_F(SendResult, OfACommandWithItsToken) {
  options.config = "";
  options.nbc_command = "/nbc.sh";
  put("/nbc.sh", "TLS_BOOTSTRAP_TOKEN=abcdef.0123456789abcdef; /bin/bash /opt/azure/containers/provision_start.sh\n");
  options.mode = Mode::kScripts;
  provision();
  ASSERT_TRUE(outcome->ok()) << said;
  ASSERT_EQ(received.size(), 1u) << said;
  EXPECT_THAT(received[0].request.headers, Contains(Pair("Authorization", "Bearer abcdef.0123456789abcdef")));
}

TEST_F(SendResult, OfAConfigThatIsRefused) {
  config_that_fails(R"(, "bootstrapping_config": {"tls_bootstrapping_token": "abcdef.0123456789abcdef"})");
  provision();
  ASSERT_EQ(outcome->exit_code, 103) << said;
  ASSERT_EQ(received.size(), 1u) << said;
  EXPECT_THAT(received[0].request.headers, Contains(Pair("Authorization", "Bearer abcdef.0123456789abcdef")));
  const json body = received[0].body();
  EXPECT_EQ(body.at("node"), "aks-pool1-0");
  EXPECT_EQ(body.at("exitCode"), 103);
  EXPECT_EQ(body.at("step"), "kernel.huge_pages");
  EXPECT_THAT(body.at("cause"), HasSubstr("huge pages"));
  EXPECT_LT(received[0].at, 2s);
}

TEST_F(SendResult, IsNotDelayedByAWebhookThatHangs) {
  put(announce::kReportSettings, R"({"webhook": "https://hooks.example/"})");
  world.endpoints["https://hooks.example/"].takes = 1h;
  world.disk.erase(kEnd);
  provision();
  ASSERT_EQ(received.size(), 1u) << said;
  EXPECT_GE(took, 5s) << "the webhook hung";
  EXPECT_LT(received[0].at, 2s);
  EXPECT_THAT(said, HasSubstr(R"("to":"webhook")"));
}

TEST_F(SendResult, GoesNowhereWithoutTheFile) {
  world.disk.erase(paths::kResultService);
  provision();
  world.disk.erase(kEnd);
  world.disk.erase(paths::kResult);
  world.disk.erase(paths::kComplete);
  provision();
  EXPECT_FALSE(outcome->ok());
  EXPECT_THAT(received, IsEmpty());
  EXPECT_THAT(said, Not(HasSubstr("the result is not sent")));
}

TEST_F(SendResult, ABadFileIsLoggedAndChangesNothing) {
  for (const char* text : {"", "{", "[]", R"({"url":"http://sunup.example"})", R"({"url":"https://u:p@sunup.example"})",
                           R"({"url":7})", R"({"url":"https://sunup.example","ca":"no certificate"})"}) {
    SCOPED_TRACE(text);
    world.disk.erase(paths::kResult);
    world.disk.erase(paths::kComplete);
    put(paths::kResultService, text);
    said.clear();
    provision();
    EXPECT_TRUE(outcome->ok());
    EXPECT_THAT(said, HasSubstr("the result is not sent"));
    EXPECT_THAT(said, HasSubstr(paths::kResultService));
  }
  world.disk.erase(paths::kResult);
  world.disk.erase(paths::kComplete);
  world.faults.unreadable[paths::kResultService] = EIO;
  said.clear();
  provision();
  EXPECT_TRUE(outcome->ok());
  EXPECT_THAT(said, HasSubstr("the result is not sent"));
  EXPECT_THAT(received, IsEmpty());
}

TEST_F(SendResult, AServiceThatRefusesOrHangsChangesNothing) {
  world.endpoints[kUrl] = {.status = 403};
  provision();
  EXPECT_TRUE(outcome->ok());
  EXPECT_THAT(said, HasSubstr("cannot send the result"));
  EXPECT_THAT(said, HasSubstr("403"));
  EXPECT_THAT(said, Not(HasSubstr(kToken)));

  world.disk.erase(paths::kResult);
  world.disk.erase(paths::kComplete);
  world.endpoints[kUrl] = {.takes = 1h};
  said.clear();
  provision();
  EXPECT_TRUE(outcome->ok());
  EXPECT_TRUE(world.disk.contains(paths::kComplete));
  EXPECT_LT(took, 12s);
  EXPECT_THAT(said, HasSubstr("cannot send the result"));
}

TEST_F(SendResult, NeedsATokenOrACertificate) {
  config_that_fails();
  provision();
  EXPECT_THAT(received, IsEmpty());
  EXPECT_THAT(said, HasSubstr("neither a bootstrap token nor a client certificate"));

  put(paths::kClientCertificate, "");
  provision();
  ASSERT_EQ(received.size(), 1u) << said;
  EXPECT_EQ(received[0].request.client_certificate, paths::kClientCertificate);
  EXPECT_EQ(received[0].request.client_key, paths::kClientCertificate);
}

TEST_F(SendResult, OfAConfigThatCannotBeReadHasNoCredential) {
  config("{");
  provision();
  EXPECT_FALSE(outcome->ok());
  EXPECT_THAT(received, IsEmpty());
  EXPECT_THAT(said, HasSubstr("neither a bootstrap token nor a client certificate"));
}

TEST_F(SendResult, NeedsTheNameOfTheNode) {
  for (const char* name : {"localhost\n", "localhost.localdomain\n", "(none)\n", "\n", ""}) {
    SCOPED_TRACE(name);
    put("/proc/sys/kernel/hostname", name);
    world.disk.erase(paths::kResult);
    world.disk.erase(paths::kComplete);
    said.clear();
    provision();
    EXPECT_TRUE(outcome->ok());
    EXPECT_THAT(said, HasSubstr("this node has no host name yet"));
  }
}

TEST_F(SendResult, OfAnImageThatIsPreparedIsNotANodes) {
  config_that_fails(
      R"(, "pre_provision_only": true, "bootstrapping_config": {"tls_bootstrapping_token": "abcdef.0123456789abcdef"})");
  provision();
  EXPECT_EQ(outcome->exit_code, 103) << said;
  EXPECT_THAT(received, IsEmpty());
}

TEST_F(SendResult, OfATreeOfFilesIsNotANodes) {
  std::optional<bool> sends;
  const auto below = [](std::string root) {
    return [root](Node& node) -> host::Task<bool> {
      node.root = root;
      return host::ready(sends_result(node, Outcome()));
    };
  };
  run(below(""), &sends);
  EXPECT_EQ(sends, true);
  run(below("/tree"), &sends);
  EXPECT_EQ(sends, false);
}

// A failure before `provision` reads the config, for example because the node does not get its final name.
TEST_F(SendResult, OfARunThatCouldNotBeStarted) {
  std::optional<bool> done;
  const auto leave = [](Node& node) -> host::Task<bool> {
    co_await leave_without_provision(node, controller_failure("no final host name"));
    co_return true;
  };
  put(paths::kNbcCommand, "TLS_BOOTSTRAP_TOKEN=abcdef.0123456789abcdef; /bin/bash\n");
  run(leave, &done);
  ASSERT_TRUE(done);
  ASSERT_EQ(received.size(), 1u) << said;
  EXPECT_EQ(received[0].body().at("cause"), "no final host name");
  EXPECT_THAT(received[0].request.headers, Contains(Pair("Authorization", "Bearer abcdef.0123456789abcdef")));
}

}  // namespace
}  // namespace sunup::controller
