// Hooks in a run of the engine, after kubelet's start: which failure ends it, what a deadline ends, when deferred ones
// run, and what the journal keeps of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/exit_code.h"
#include "base/node_paths.h"
#include "engine/run.h"
#include "plan/catalogue.h"
#include "plan/hook.h"
#include "plan/test_joined.h"
#include "plan/test_step.h"

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;
using engine::StepOutcome;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class HookRuns : public Steps {
 protected:
  HookRuns() {
    world.on_spawn = [this](const host::Command& command) { happened.push_back("starts " + command.argv[0]); };
  }

  // A hook whose program has the same name.
  host::sim::Program& hook(const std::string& name, const std::string& members) {
    const std::string program = "/usr/local/bin/" + name;
    put(std::string(paths::kHooks) + "/" + name + ".json", R"({"argv": [")" + program + R"("], )" + members + "}");
    put(program, "");
    world.disk[program].mode = 0755;
    return world.programs[program];
  }

  // The node has joined, and the API server answers a watch of it with this.
  void joined(const std::string& answer) {
    put(paths::kKubeconfig, kNodeKubeconfig);
    put(kNodePem, kNodeCertificate);
    world.endpoints[kNodeWatchUrl] = {.takes = 20s, .open = 24h};
    world.endpoints[kNodeWatchUrl].answer = [this, answer](const host::HttpRequest&) {
      happened.emplace_back("the API server answers");
      return host::HttpReply{.status = 200, .body = answer};
    };
  }

  // The step that starts kubelet, what hooks can wait for after it, and all hooks.
  void run() {
    happened.clear();
    host::sim::Machine machine(world);
    const auto about = std::make_shared<Subject>(subject());
    about->hooks = read_hooks(machine.host().files, false);
    std::vector<engine::Step> steps(1);
    steps[0].name = "kubelet.start";
    steps[0].purpose = "starts kubelet";
    steps[0].provides = {"kubelet.started"};
    steps[0].run = [](Context&) -> Task<Result<void>> { co_return Result<void>(); };
    for (const char* name : {"node.registered", "node.ready"}) {
      if (!applies(*find_step(name), *about)) continue;
      auto step = make_step(*find_step(name), about);
      ASSERT_TRUE(step) << step.error().what;
      steps.push_back(*std::move(step));
    }
    const auto added = add_hooks(*about, "kubelet.started", steps);
    ASSERT_TRUE(added) << added.error().what;
    auto graph = engine::Graph::make(std::move(steps), "kubelet.started");
    ASSERT_TRUE(graph) << graph.error().what;
    engine::Options options;
    options.on_complete = [this](const engine::Report& ended) -> Task<Result<void>> {
      happened.emplace_back(ended.ok ? "result: success" : "result: failure");
      co_return Result<void>();
    };
    std::optional<engine::Report> result;
    machine.loop().run(engine::run(machine.host(), *graph, std::move(options)), &result);
    ASSERT_TRUE(result);
    report = *std::move(result);
    reports.clear();
    for (size_t i = 0; i < graph->size(); ++i) reports[graph->steps()[i].name] = report.steps[i];
  }

  engine::Report report;
  std::map<std::string, engine::StepReport> reports;
  std::vector<std::string> happened;
};

TEST_F(HookRuns, FatalHookThatFailsEndsTheRun) {
  hook("site.fatal", R"("retries": 1)").failures = 5;
  hook("site.after", R"("needs": ["site.fatal"])");
  run();
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(report.failed_step, "site.fatal");
  EXPECT_THAT(report.error.what, HasSubstr("/usr/local/bin/site.fatal: exit code 1"));
  EXPECT_EQ(reports["site.fatal"].attempts, 2);
  EXPECT_EQ(reports["site.after"].outcome, StepOutcome::kNotRun);
  EXPECT_THAT(happened,
              ElementsAre("starts /usr/local/bin/site.fatal", "starts /usr/local/bin/site.fatal", "result: failure"));
}

TEST_F(HookRuns, HookThatIsNotFatalDoesNot) {
  hook("site.fails", R"("fatal": false)").failures = 5;
  hook("site.after", R"("after": ["site.fails"])");
  run();
  EXPECT_TRUE(report.ok);
  EXPECT_EQ(reports["site.fails"].outcome, StepOutcome::kFailed);
  EXPECT_EQ(reports["site.after"].outcome, StepOutcome::kDone);
}

TEST_F(HookRuns, DeadlineEndsAHookThatHangs) {
  host::sim::Program& program = hook("site.hangs", R"("deadline": "5s", "retries": 3)");
  program.takes = 24h;
  program.effect = [](const std::vector<std::string>&, host::Files& files) { return files.write("/done", ""); };
  run();
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(report.failed_step, "site.hangs");
  EXPECT_EQ(report.error.os_errno, ETIMEDOUT);
  const engine::StepReport& step = reports["site.hangs"];
  EXPECT_EQ(step.outcome, StepOutcome::kFailed);
  EXPECT_EQ(step.attempts, 1);
  EXPECT_GE(step.ended - step.started, 5s);
  EXPECT_LT(step.ended - step.started, 10s);
  EXPECT_FALSE(world.disk.contains("/done"));
}

// It starts when kubelet has started, but the result does not wait for its end, and it runs on after the result.
TEST_F(HookRuns, DeferredHookDelaysNoResultAndEndsAfterIt) {
  for (const bool fails : {false, true}) {
    host::sim::Program& later = hook("site.later", R"("deferred": true, "deadline": "1h")");
    later.takes = 30min;
    later.effect = [this, fails](const std::vector<std::string>&, host::Files&) -> Result<void> {
      happened.emplace_back("site.later ends");
      return fails ? Result<void>(Error("not this time")) : Result<void>();
    };
    hook("site.sooner", R"("purpose": "is part of the result")").takes = 1min;
    run();
    EXPECT_TRUE(report.ok);
    EXPECT_EQ(reports["site.later"].outcome, fails ? StepOutcome::kFailed : StepOutcome::kDone);
    EXPECT_EQ(reports["site.sooner"].outcome, StepOutcome::kDone);
    EXPECT_LT(report.completed - report.started, 2min);
    ASSERT_GE(happened.size(), 2u);
    EXPECT_EQ(happened[happened.size() - 2], "result: success");
    EXPECT_EQ(happened.back(), "site.later ends");
  }
}

TEST_F(HookRuns, ResultWaitsForReadyOnlyIfAHookDoesThatItWaitsFor) {
  joined(node_event("ADDED", world.boot_id(), "True"));
  hook("site.joined", R"("needs": ["node.ready"], "deferred": true)");
  run();
  EXPECT_TRUE(report.ok);
  EXPECT_THAT(happened, ElementsAre("result: success", "the API server answers", "starts /usr/local/bin/site.joined"));
  hook("site.joined", R"("needs": ["node.ready"])");
  run();
  EXPECT_TRUE(report.ok);
  EXPECT_THAT(happened, ElementsAre("the API server answers", "starts /usr/local/bin/site.joined", "result: success"));
}

// As with a network plugin that is installed by the cluster, or by this hook.
TEST_F(HookRuns, RegisteredComesBeforeReady) {
  joined(node_event("ADDED", world.boot_id(), "False"));
  hook("site.network", R"("needs": ["node.registered"])");
  hook("site.joined", R"("needs": ["node.ready"], "fatal": false)");
  run();
  EXPECT_TRUE(report.ok);
  EXPECT_EQ(reports["site.network"].outcome, StepOutcome::kDone);
  EXPECT_EQ(reports["site.joined"].outcome, StepOutcome::kNotRun);
  EXPECT_THAT(reports["site.joined"].why, HasSubstr("'node.ready', which failed"));
}

TEST_F(HookRuns, NodeThatDoesNotBecomeReadyFailsForAHookThatIsFatal) {
  joined(node_event("ADDED", world.boot_id(), "False"));
  hook("site.joined", R"("needs": ["node.ready"])");
  run();
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(report.failed_step, "node.ready");
  EXPECT_THAT(report.error.what, HasSubstr("the node is not Ready"));
  EXPECT_LT(report.completed - report.started, 11min);
  EXPECT_THAT(happened, Not(Contains("starts /usr/local/bin/site.joined")));

  // It comes "after", whether or not the node is Ready.
  hook("site.joined", R"("after": ["node.ready"])");
  run();
  EXPECT_TRUE(report.ok);
  EXPECT_EQ(happened.back(), "result: success");
  EXPECT_THAT(happened, Contains("starts /usr/local/bin/site.joined"));
}

TEST_F(HookRuns, DeferredHookWaitsLongerForReadyThanTheResultWould) {
  joined(node_event("ADDED", world.boot_id(), "True"));
  world.endpoints[kNodeWatchUrl].from = 30min;
  hook("site.joined", R"("needs": ["node.ready"], "deferred": true)");
  run();
  EXPECT_TRUE(report.ok);
  EXPECT_LT(report.completed - report.started, 1min);
  EXPECT_EQ(reports["site.joined"].outcome, StepOutcome::kDone);
}

// A hook that has ended is recorded, one that has failed is not. Each run repeats both.
TEST_F(HookRuns, JournalRecordsAHookAndEachRunRepeatsIt) {
  hook("site.done", R"("purpose": "ends")");
  hook("site.fails", R"("fatal": false)").failures = 5;
  for (int i = 0; i < 2; ++i) {
    run();
    ASSERT_TRUE(report.ok);
    EXPECT_EQ(reports["site.done"].outcome, StepOutcome::kDone);
    EXPECT_EQ(std::count(happened.begin(), happened.end(), "starts /usr/local/bin/site.done"), 1);
    EXPECT_EQ(std::count(happened.begin(), happened.end(), "starts /usr/local/bin/site.fails"), 1);
    const std::string& journal = world.disk.at(engine::Options().journal).content;
    EXPECT_THAT(journal, HasSubstr("\tsite.done\n"));
    EXPECT_THAT(journal, Not(HasSubstr("site.fails")));
  }
}

}  // namespace
}  // namespace sunup::plan
