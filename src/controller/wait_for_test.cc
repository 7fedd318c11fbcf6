// provision-wait --for on the simulated machine: the events that it waits for, and those that end it.
#include "controller/wait_for.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/node_paths.h"
#include "controller/test_machine.h"
#include "host/running.h"
#include "plan/kubelet_health.h"
#include "plan/test_joined.h"

namespace sunup::controller {
namespace {

using namespace std::chrono_literals;
using plan::kNodeCertificate;
using plan::kNodeKubeconfig;
using plan::kNodeWatchUrl;
using plan::node_event;
using testing::HasSubstr;

TEST(WaitFor, KubeletIsReachedByItsSocket) {
  for (const bool comes : {true, false}) {
    TestMachine machine;
    std::optional<int> exit_code;
    if (comes) machine.put(plan::kKubeletStarted, "");
    if (comes) machine.world.disk[plan::kKubeletStarted].kind = host::FileKind::kSocket;
    machine.run([&](Node& node) { return wait_for(node, Awaited::kKubelet, 10s); }, &exit_code);
    EXPECT_EQ(exit_code, comes ? 0 : 1);
  }
}

TEST(WaitFor, FailedProvisioningEndsIt) {
  TestMachine machine;
  std::optional<int> exit_code;
  machine.put(paths::kResult, R"({"ExitCode":"51","Error":"no way"})");
  machine.put(paths::kComplete, "");
  machine.run([&](Node& node) { return wait_for(node, Awaited::kReady, 10min); }, &exit_code);
  EXPECT_EQ(exit_code, 1);
  EXPECT_LT(machine.took, 1min);
}

TEST(WaitFor, ReadyNeedsMoreThanASuccess) {
  TestMachine machine;
  std::optional<int> exit_code;
  machine.put(paths::kResult, R"({"ExitCode":"0"})");
  machine.put(paths::kComplete, "");
  machine.run([&](Node& node) { return wait_for(node, Awaited::kReady, 10s); }, &exit_code);
  EXPECT_EQ(exit_code, 1);
  EXPECT_GE(machine.took, 10s);
}

constexpr char kPods[] =
    "https://api.example:443/api/v1/pods?fieldSelector=spec.nodeName%3Daks-1&watch=true&timeoutSeconds=240";

std::string pod_event(const char* type, const char* phase) {
  return std::string(R"({"type":")") + type + R"(","object":{"metadata":{"name":"p"},"status":{"phase":")" + phase +
         "\"}}}\n";
}

class WaitForApiServer : public testing::Test {
 protected:
  void give_credentials() {
    machine.put(paths::kKubeconfig, kNodeKubeconfig, 0600);
    machine.put(plan::kNodePem, kNodeCertificate, 0600);
  }
  // The API server answers the requests with these replies in order, and repeats the last one.
  void answer(const char* url, std::vector<host::HttpReply> replies) {
    machine.world.endpoints[url].answer = [this, replies = std::move(replies)](const host::HttpRequest& request) {
      asked.push_back(request);
      return replies[std::min(asked.size(), replies.size()) - 1];
    };
  }
  std::optional<int> wait(Awaited what, host::Duration limit) {
    std::optional<int> exit_code;
    testing::internal::CaptureStdout();
    machine.run([&](Node& node) { return wait_for(node, what, limit); }, &exit_code);
    printed = testing::internal::GetCapturedStdout();
    return exit_code;
  }

  TestMachine machine;
  const std::string boot = machine.world.boot_id();
  std::vector<host::HttpRequest> asked;
  std::string printed;
};

TEST_F(WaitForApiServer, ReadyIsReachedWhenTheNodeBecomesReady) {
  give_credentials();
  answer(kNodeWatchUrl,
         {{.status = 200, .body = node_event("ADDED", boot, "False") + node_event("MODIFIED", boot, "True")}});
  EXPECT_EQ(wait(Awaited::kReady, 1min), 0);
  EXPECT_EQ(printed, "ready: reached\n");
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].ca_file, "/etc/kubernetes/certs/ca.crt");
  EXPECT_EQ(asked[0].client_certificate, plan::kNodePem);
  EXPECT_EQ(asked[0].client_key, plan::kNodePem);
}

TEST_F(WaitForApiServer, ReadyOfTheBootBeforeIsNotEnough) {
  give_credentials();
  answer(kNodeWatchUrl, {{.status = 200, .body = node_event("ADDED", "another-boot", "True")}});
  EXPECT_EQ(wait(Awaited::kReady, 1min), 1);
  EXPECT_THAT(printed, HasSubstr("kubelet has not reported the node's state since this boot"));
}

TEST_F(WaitForApiServer, PodIsReachedWhenOneRuns) {
  give_credentials();
  answer(kPods, {{.status = 200, .body = pod_event("ADDED", "Pending") + pod_event("MODIFIED", "Running")}});
  EXPECT_EQ(wait(Awaited::kPod, 1min), 0);
  EXPECT_EQ(printed, "pod: reached\n");
  answer(kPods, {{.status = 200, .body = pod_event("ADDED", "Pending")}});
  EXPECT_EQ(wait(Awaited::kPod, 1min), 1);
  EXPECT_THAT(printed, HasSubstr("the pod p is Pending"));
}

TEST_F(WaitForApiServer, AWatchThatEndsIsBegunAgain) {
  give_credentials();
  answer(kNodeWatchUrl, {{.status = 200, .body = node_event("ADDED", boot, "False")},
                         {.status = 200, .body = "{\"type\":\"ERROR\",\"object\":{\"message\":\"expired\"}}\n"},
                         {.status = 503, .body = "busy"},
                         {.status = 200, .body = node_event("ADDED", boot, "True")}});
  EXPECT_EQ(wait(Awaited::kReady, 1min), 0);
  EXPECT_EQ(asked.size(), 4u);
}

// The limit passes while a watch is under way.
TEST_F(WaitForApiServer, LastAnswerIsShownEvenIfTheWatchGoesOn) {
  give_credentials();
  answer(kNodeWatchUrl, {{.status = 200, .body = node_event("ADDED", boot, "False")}});
  machine.world.endpoints[kNodeWatchUrl].open = 24h;
  EXPECT_EQ(wait(Awaited::kReady, 1min), 1);
  EXPECT_THAT(printed, HasSubstr("the node is not Ready"));
  EXPECT_EQ(asked.size(), 1u);
}

// A connection that is lost without a message: nothing arrives, not even its end.
TEST_F(WaitForApiServer, AWatchThatFallsSilentIsBegunAgain) {
  give_credentials();
  answer(kNodeWatchUrl, {{.status = 200, .body = node_event("ADDED", boot, "True")}});
  machine.world.endpoints[kNodeWatchUrl].takes = 24h;
  machine.world.on_operation = [this, requests = 0](host::TimePoint, std::string_view what,
                                                    const std::string& on) mutable {
    if (what == "GET" && on == kNodeWatchUrl && ++requests == 1) machine.world.endpoints[kNodeWatchUrl].takes = 1ms;
  };
  EXPECT_EQ(wait(Awaited::kReady, 10min), 0);
  EXPECT_LT(machine.took, 5min);
}

TEST_F(WaitForApiServer, ARefusalIsTriedAgainAndShownAtTheEnd) {
  give_credentials();
  for (const int status : {401, 403}) {
    asked.clear();
    answer(kNodeWatchUrl, {{.status = status, .body = "{\"kind\":\"Status\"}"}});
    EXPECT_EQ(wait(Awaited::kReady, 1min), 1);
    EXPECT_THAT(printed, HasSubstr("the API server answers with HTTP status " + std::to_string(status)));
    EXPECT_GT(asked.size(), 5u);
    EXPECT_LT(asked.size(), 30u) << "the pauses must grow";
    asked.clear();
    answer(kNodeWatchUrl, {{.status = status}, {.status = 200, .body = node_event("ADDED", boot, "True")}});
    EXPECT_EQ(wait(Awaited::kReady, 1min), 0);
  }
}

TEST_F(WaitForApiServer, CredentialsMayComeLater) {
  answer(kNodeWatchUrl, {{.status = 200, .body = node_event("ADDED", boot, "True")}});
  EXPECT_EQ(wait(Awaited::kReady, 1min), 1);
  EXPECT_THAT(printed, HasSubstr("kubelet has no credentials yet"));
  EXPECT_TRUE(asked.empty());

  // In kubelet's order: the kubeconfig first, then the certificate.
  const auto kubelet = [](Node& node) -> host::Task<int> {
    co_await node.loop.after(20s);
    EXPECT_TRUE(node.files.write(paths::kKubeconfig, kNodeKubeconfig, 0600));
    co_await node.loop.after(10s);
    EXPECT_TRUE(node.files.write(plan::kNodePem, kNodeCertificate, 0600));
    const host::Slot<int> never(node.loop);
    co_return co_await never;
  };
  std::optional<int> exit_code;
  machine.run(
      [&](Node& node) -> host::Task<int> {
        auto first = co_await host::first_of(node.loop, wait_for(node, Awaited::kReady, 2min), kubelet(node));
        co_return first.index() == 0 ? std::get<0>(first) : -1;
      },
      &exit_code);
  EXPECT_EQ(exit_code, 0);
  EXPECT_GE(machine.took, 30s);
  EXPECT_LT(machine.took, 31s);
}

}  // namespace
}  // namespace sunup::controller
