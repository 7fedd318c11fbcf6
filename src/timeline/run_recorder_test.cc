#include "timeline/run_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/run.h"
#include "host/sim/machine.h"
#include "timeline/build.h"

namespace sunup::timeline {
namespace {

using namespace std::chrono_literals;
using engine::Context;
using engine::Graph;
using engine::Step;
using host::Task;
using testing::HasSubstr;
using testing::Not;

Step step(std::string name, std::vector<std::string> needs, host::Duration takes, int failures = 0) {
  Step made;
  made.name = std::move(name);
  made.needs = std::move(needs);
  made.purpose = "for the test";
  made.retry.attempts = failures + 1;
  made.retry.pause = 100ms;
  auto left = std::make_shared<int>(failures);
  made.run = [takes, left](Context& c) -> Task<Result<void>> {
    co_await c.host.loop.after(takes);
    c.note("the token is hunter2-hunter2");
    if ((*left)-- > 0) co_return Error("no luck with hunter2-hunter2");
    co_return Result<void>();
  };
  return made;
}

std::string hide(std::string_view text) {
  std::string out(text);
  for (size_t at = out.find("hunter2-hunter2"); at != std::string::npos; at = out.find("hunter2-hunter2"))
    out.replace(at, 15, "[redacted]");
  return out;
}

struct RunRecorderTest : testing::Test {
  host::sim::World world{7};

  void run(std::vector<Step> steps, host::Duration kill_after = {}) {
    auto graph = Graph::make(std::move(steps), "");
    ASSERT_TRUE(graph.ok());
    host::sim::Machine machine(world);
    RunRecorder recorder(machine.host().files, machine.loop(), *graph,
                         {.boot = machine.host().boot_id, .version = "0.1.0", .mode = "native", .pid = 1}, hide);
    engine::Options options;
    options.observers = {&recorder};
    world.faults.terminate_after = kill_after;
    std::optional<engine::Report> report;
    machine.loop().run(engine::run(machine.host(), *graph, options), &report);
  }
  std::string record(const std::string& path = kRunRecord) {
    host::sim::Machine machine(world);
    return machine.host().files.read(path).value_or("");
  }
};

TEST_F(RunRecorderTest, TimelineOfARunHasItsStepsWaitsAndRetries) {
  run({step("a", {}, 30ms), step("b", {"a"}, 50ms, 2), step("c", {}, 1ms)});
  Sources sources;
  sources.run_record = record();
  const auto built = build(sources);
  ASSERT_TRUE(built.ok()) << built.error().what;
  EXPECT_EQ(built->state, RunState::kSucceeded);
  ASSERT_EQ(built->spans.size(), 3u);
  const Span& b = built->spans[1];
  EXPECT_EQ(b.name, "b");
  EXPECT_EQ(b.retries.size(), 2u);
  EXPECT_TRUE(b.critical);
  EXPECT_TRUE(built->spans[0].critical) << "b waited for a";
  EXPECT_FALSE(built->spans[2].critical);
  EXPECT_EQ(built->end_of(built->spans[0]) - built->start_of(built->spans[0]), 30'000'000);
}

TEST_F(RunRecorderTest, HoldsNoSecret) {
  run({step("a", {}, 1ms, 1)});
  EXPECT_THAT(record(), Not(HasSubstr("hunter2")));
  EXPECT_THAT(record(), HasSubstr("[redacted]"));
}

TEST_F(RunRecorderTest, KeepsTheRecordsOfEarlierRuns) {
  for (const char* name : {"first", "second", "third", "fourth"}) run({step(name, {}, 1ms)});
  EXPECT_THAT(record(), HasSubstr("fourth"));
  EXPECT_THAT(record("/var/log/azure/aks-node-controller/trace.1.jsonl"), HasSubstr("third"));
  EXPECT_THAT(record("/var/log/azure/aks-node-controller/trace.2.jsonl"), HasSubstr("second"));
  EXPECT_EQ(record("/var/log/azure/aks-node-controller/trace.3.jsonl"), "");
}

TEST_F(RunRecorderTest, RunThatWasAskedToStopSaysWhatWasUnderWay) {
  run({step("quick", {}, 1ms), step("slow", {}, 10s)}, 50ms);
  const auto parsed = parse_run_record(record());
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->failed_step, "signal");
  EXPECT_EQ(parsed->steps[1].state, SpanState::kCancelled);
}

TEST_F(RunRecorderTest, DiskThatWasFullForAWhileCostsOnlyWhatWasToBeWrittenThen) {
  auto graph = Graph::make({step("a", {}, 1ms)}, "");
  host::sim::Machine machine(world);
  RunRecorder recorder(machine.host().files, machine.loop(), *graph, {}, hide);
  using enum engine::EventKind;
  const auto at = machine.loop().now();
  recorder.on({.kind = kRunStarted, .at = at});
  recorder.on({.kind = kStopping, .at = at});  // written at once
  world.faults.file_errors = 100;
  world.faults.errors = {ENOSPC};
  recorder.on({.kind = kStopping, .at = at, .step = {}, .text = "lost, perhaps half of it"});
  world.faults.file_errors = 0;
  recorder.on({.kind = kRunEnded, .at = at});
  const auto parsed = parse_run_record(*machine.host().files.read(kRunRecord));
  ASSERT_TRUE(parsed);
  EXPECT_TRUE(parsed->end);
}

TEST(RunRecord, LineThatWasCutOffIsNoTrouble) {
  const auto parsed = parse_run_record(
      "{\"sunup\":\"run record\",\"v\":1,\"boot\":\"b\",\"t\":5,\"wall\":1005}\n"
      "{\"t\":6,\"e\":\"started\",\"step\":\"a\",\"attempt\":1}\n{\"t\":7,\"e\":\"end");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->unreadable, 0u);
  EXPECT_FALSE(parsed->end);
  ASSERT_EQ(parsed->steps.size(), 1u);
  EXPECT_FALSE(parsed->steps[0].end);
}

TEST(RunRecord, TextThatIsNoneIsNone) {
  EXPECT_FALSE(parse_run_record(""));
  EXPECT_FALSE(parse_run_record("{\"t\":1,\"e\":\"started\",\"step\":\"a\"}\n"));
}

}  // namespace
}  // namespace sunup::timeline
