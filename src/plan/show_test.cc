#include "plan/show.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>

namespace sunup::plan {
namespace {

using testing::HasSubstr;
using testing::Not;

engine::Graph graph() {
  engine::Step step{.name = "program", .purpose = "a program and a link to it", .provides = {"there"}};
  step.files = {{"/opt/bin/program", 0755}, {"/etc/program", 0777}, {"/opt/program.tar.gz.part", 0644, true}};
  step.run = [](engine::Context&) -> host::Task<Result<void>> { co_return Result<void>(); };
  auto made = engine::Graph::make({step}, "there");
  EXPECT_TRUE(made.ok());
  return *std::move(made);
}

TEST(Show, LinksAreCalledLinks) {
  EXPECT_THAT(plan_text(graph()), HasSubstr("      link /etc/program\n"));
  const auto files = nlohmann::json::parse(plan_json(graph()))["steps"][0]["files"];
  EXPECT_EQ(files[1], (nlohmann::json{{"path", "/etc/program"}, {"mode", "0777"}, {"link", true}}));
  EXPECT_EQ(files[0], (nlohmann::json{{"path", "/opt/bin/program"}, {"mode", "0755"}}));
}

TEST(Show, WhatAStepTakesAwayAgainIsNoResultOfIt) {
  EXPECT_THAT(plan_text(graph()), Not(HasSubstr(".part")));
  EXPECT_THAT(plan_json(graph()), Not(HasSubstr(".part")));
}

TEST(Show, JsonSaysWhatAFailureDoesAndHowLongAStepIsTried) {
  engine::Step step{.name = "program", .provides = {"there"}};
  step.deadline = std::chrono::milliseconds(2500);
  step.retry.attempts = 4;
  step.run = [](engine::Context&) -> host::Task<Result<void>> { co_return Result<void>(); };
  const auto shown = [&step] {
    return nlohmann::json::parse(plan_json(*engine::Graph::make({step}, "there")))["steps"][0];
  };
  EXPECT_EQ(shown()["deadline"], 2.5);
  EXPECT_EQ(shown()["retries"], 3);
  EXPECT_EQ(shown()["exit_code"], 1);  // the result's code if a step does not define one
  step.exit_code = 34;
  EXPECT_EQ(shown()["exit_code"], 34);
  step.fatal = false;
  EXPECT_TRUE(shown()["exit_code"].is_null());
}

TEST(Show, SaysWhatTheWordsOfItsTableMean) {
  EXPECT_THAT(plan_text(graph()), HasSubstr("critical: there waits for it; completion: "));
  EXPECT_THAT(plan_text(graph()), HasSubstr("deferred: "));
}

}  // namespace
}  // namespace sunup::plan
