// The result of a native run is sent to the result service: once, as soon as it is published, and whatever the service
// does, the node is the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/node_paths.h"
#include "one_node.h"

namespace sunup::simulation {
namespace {

using namespace std::chrono_literals;
using host::HttpReply;
using host::HttpRequest;
using host::sim::EndOfRun;
using nlohmann::json;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

class ReportingNode : public OneNode {
 public:
  explicit ReportingNode(std::string_view name) : OneNode(name) {
    put("/proc/sys/kernel/hostname", "aks-pool1-0\n");
    put(paths::kResultService, R"({"url":"https://sunup.example"})");
    world.endpoints[kUrl].answer = [this](const HttpRequest& request) {
      received.push_back(request);
      published = world.disk.contains(paths::kResult) && world.disk.contains(paths::kComplete);
      owed = world.disk.contains(paths::kUnfinished);
      return HttpReply{.status = 202};
    };
  }

  static constexpr char kUrl[] = "https://sunup.example/v1/nodes/aks-pool1-0/result";
  std::vector<HttpRequest> received;
  bool published = false;  // when the result arrived
  bool owed = false;       // deferred steps, when the result arrived
};

TEST(SentResult, OfASuccessIsSentOnceWithItsMilestones) {
  ReportingNode node("azure");
  ASSERT_EQ(node.provision(), EndOfRun::kDone);
  ASSERT_TRUE(node.succeeded()) << node.said;
  ASSERT_THAT(node.received, SizeIs(1)) << node.said;
  EXPECT_TRUE(node.published);
  EXPECT_THAT(node.received[0].headers, Contains(Pair("Authorization", "Bearer g0lden.0123456789abcdef")));
  const json body = json::parse(node.received[0].body);
  EXPECT_EQ(body.at("node"), "aks-pool1-0");
  EXPECT_EQ(body.at("exitCode"), 0);
  EXPECT_EQ(body.at("run"), node.world.boot_id());
  EXPECT_THAT(body.at("timeline"), HasSubstr("kubelet started"));
  for (const char* milestone : {"controller.start", "containerd.ready", "kubelet.started", "provision.complete"})
    EXPECT_TRUE(body.at("milestones").contains(milestone)) << body;
  EXPECT_LE(body.at("milestones").at("kubelet.started"), body.at("milestones").at("provision.complete"));

  ASSERT_EQ(node.provision(), EndOfRun::kDone);
  EXPECT_TRUE(node.succeeded());
  EXPECT_THAT(node.received, SizeIs(1));
}

// kubelet gets no credential, so that a deferred step waits for it.
TEST(SentResult, DoesNotWaitForDeferredStepsNorTheyForIt) {
  ReportingNode node("azure");
  node.world.units["kubelet.service"].writes.clear();
  ASSERT_EQ(node.provision(), EndOfRun::kDone);
  ASSERT_TRUE(node.succeeded()) << node.said;
  ASSERT_THAT(node.received, SizeIs(1)) << node.said;
  EXPECT_TRUE(node.owed);
  const host::Duration without_delay = node.took;
  EXPECT_GT(without_delay, 10s);

  // A run that finishes deferred steps has no new result.
  ASSERT_TRUE(node.world.disk.contains(paths::kUnfinished));
  ASSERT_EQ(node.provision(), EndOfRun::kDone);
  EXPECT_THAT(node.received, SizeIs(1));

  ReportingNode hanging("azure");
  hanging.world.units["kubelet.service"].writes.clear();
  hanging.world.endpoints[ReportingNode::kUrl] = {.takes = 1h};
  ASSERT_EQ(hanging.provision(), EndOfRun::kDone);
  EXPECT_TRUE(hanging.succeeded());
  EXPECT_LT(hanging.took, without_delay + 1s);
}

TEST(SentResult, IsGivenUpByARunThatHasNothingElseToDo) {
  ReportingNode node("azure");
  node.world.endpoints[ReportingNode::kUrl] = {.takes = 1h};
  ASSERT_EQ(node.provision(), EndOfRun::kDone);
  EXPECT_TRUE(node.succeeded());
  EXPECT_THAT(node.said, HasSubstr("cannot send the result"));
  EXPECT_GE(node.took, 10s);
  EXPECT_LT(node.took, 20s);
}

TEST(SentResult, IsNotSentForAnImageThatIsPrepared) {
  ReportingNode node("pre-provision-only");
  ASSERT_EQ(node.provision(), EndOfRun::kDone);
  ASSERT_TRUE(node.succeeded()) << node.said;
  EXPECT_THAT(node.received, IsEmpty());
}

TEST(SentResult, OfANodeFromAPreparedImageIsSent) {
  ReportingNode node("from-prepared-image");
  ASSERT_EQ(node.provision(), EndOfRun::kDone);
  ASSERT_TRUE(node.succeeded()) << node.said;
  EXPECT_THAT(node.received, SizeIs(1));
}

TEST(SentResult, OfAFailureShowsHowFarTheRunCame) {
  ReportingNode node("azure");
  std::erase_if(node.world.names, [](const auto& one) { return one.first != "mcr.microsoft.com"; });
  ASSERT_EQ(node.provision(), EndOfRun::kDone);
  ASSERT_EQ(node.outcome->exit_code, 52) << node.said;
  ASSERT_THAT(node.received, SizeIs(1)) << node.said;
  EXPECT_TRUE(node.published);
  const json body = json::parse(node.received[0].body);
  EXPECT_EQ(body.at("exitCode"), 52);
  EXPECT_EQ(body.at("step"), node.outcome->result.failed_step);
  EXPECT_THAT(body.at("timeline"), HasSubstr("ended"));
  EXPECT_TRUE(body.at("milestones").contains("controller.start")) << body;
}

// The file says success, but cannot be written: the service hears only of the failure.
TEST(SentResult, OfASuccessThatCannotBePublishedIsTheFailure) {
  ReportingNode node("azure");
  node.world.faults.unwritable[paths::kComplete] = EIO;
  ASSERT_EQ(node.provision(), EndOfRun::kDone);
  ASSERT_FALSE(node.succeeded());
  ASSERT_THAT(node.received, SizeIs(1)) << node.said;
  EXPECT_NE(json::parse(node.received[0].body).at("exitCode"), 0);
}

}  // namespace
}  // namespace sunup::simulation
