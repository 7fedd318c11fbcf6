#include "report/sent_result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace sunup::report {
namespace {

using nlohmann::ordered_json;

TEST(SentResult, AFailureHasWhatAWebhookGetsAndTheRunWithItsMilestones) {
  const Failure failure{.exit_code = 52, .step = "apiserver.lookup", .cause = "no such name", .node = "AKS-Pool1-0"};
  const auto sent = ordered_json::parse(to_json({.node = "aks-pool1-0",
                                                 .failure = failure,
                                                 .timeline = "kubelet never started",
                                                 .run = "b",
                                                 .milestones = {{"controller.start", 0}, {"cse.done", 1.23456}}}));
  auto expected = ordered_json::parse(failure_json(failure));
  expected["node"] = "aks-pool1-0";
  expected["timeline"] = "kubelet never started";
  expected["run"] = "b";
  expected["milestones"] = {{"controller.start", 0.0}, {"cse.done", 1.235}};
  EXPECT_EQ(sent, expected);
}

TEST(SentResult, ASuccessHasNothingOfAFailure) {
  EXPECT_EQ(to_json({.node = "n", .timeline = "ended +1.000s", .run = "b", .milestones = {{"controller.start", 0}}}),
            R"({"node":"n","exitCode":0,"timeline":"ended +1.000s","run":"b","milestones":{"controller.start":0.0}})");
}

TEST(SentResult, OmitsMilestonesThatTheServiceWouldRefuse) {
  SentResult result{
      .node = "n", .milestones = {{std::string(kLongestMilestone + 1, 'x'), 1}, {"never", std::nan("")}, {"a\xff", 2}}};
  for (int i = 0; i < 100; ++i) result.milestones.emplace_back(std::to_string(i), i);
  const auto milestones = ordered_json::parse(to_json(result)).at("milestones");
  EXPECT_EQ(milestones.size(), kMostMilestones);
  EXPECT_TRUE(milestones.contains("0"));
  EXPECT_FALSE(milestones.contains("never"));
}

}  // namespace
}  // namespace sunup::report
