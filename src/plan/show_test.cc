#include "plan/show.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(Show, SaysWhatTheWordsOfItsTableMean) {
  EXPECT_THAT(plan_text(graph()), HasSubstr("critical: there waits for it; completion: "));
  EXPECT_THAT(plan_text(graph()), HasSubstr("deferred: "));
}

}  // namespace
}  // namespace sunup::plan
