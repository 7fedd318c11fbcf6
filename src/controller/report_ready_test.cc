// report-ready as a verb of its own: on images that keep cloud-init, together with the guest agent.
#include "controller/report_ready.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/node_paths.h"
#include "controller/test_machine.h"
#include "host/running.h"

namespace sunup::controller {
namespace {

using host::sim::EndOfRun;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::chrono_literals;

constexpr char kId[] = "544cdfd0-cb4e-4b4a-9954-5bdf3ed5c3b8";
constexpr char kOtherId[] = "544cdfd0-cb4e-4b4a-9954-5bdf3ed5c3b9";
constexpr char kProvisioned[] = "/var/lib/waagent/provisioned";

class Vm : public TestMachine {
 public:
  Vm() {
    put("/sys/firmware/efi/runtime", "");
    set_id(kId);
    world.endpoints["http://168.63.129.16/machine/?comp=goalstate"] = {
        .body =
            "<GoalState><Incarnation>1</Incarnation><Container><ContainerId>c</ContainerId><RoleInstanceList>"
            "<RoleInstance><InstanceId>i</InstanceId></RoleInstance></RoleInstanceList></Container></GoalState>"};
    world.endpoints["http://168.63.129.16/machine?comp=health"] = {.answer = [this](const host::HttpRequest& request) {
      reports.push_back(request.body);
      return host::HttpReply{.status = 200};
    }};
  }
  void set_id(const char* id) { put("/sys/class/dmi/id/product_uuid", std::string(id) + "\n"); }
  void result(const char* text) {
    put(paths::kResult, text);
    put(paths::kComplete, "");
  }
  bool report(ReportOptions options) {
    options.limit = 1min;
    const EndOfRun end = run([&](Node& node) { return report_ready(node, options); }, &reported);
    return end == EndOfRun::kDone && reported->ok();
  }

  std::vector<std::string> reports;
  std::optional<Result<void>> reported;
};

host::Task<void> provision_later(Node& node, host::Duration pause, std::string* agent_found) {
  co_await node.loop.after(pause);
  const auto text = node.files.read_if_there(kProvisioned);
  *agent_found = text && *text ? **text : "(none)";
  (void)node.files.write(paths::kResult, R"({"ExitCode":"0"})");
  (void)node.files.write(paths::kComplete, "");
}

TEST(ReportReady, TheAgentFindsTheVmProvisionedWhileThereIsNoResult) {
  Vm vm;
  std::string agent_found;
  std::optional<Result<void>> done;
  const auto wait = [&](Node& node) -> host::Task<Result<void>> {
    const host::Running provision(node.loop, provision_later(node, 10s, &agent_found));
    co_return co_await report_ready(node, {.wait = true, .limit = 1min});
  };
  ASSERT_EQ(vm.run(wait, &done), EndOfRun::kDone);
  EXPECT_TRUE(done->ok());
  EXPECT_EQ(agent_found, std::string(kId) + "\n");
  EXPECT_THAT(vm.reports, ElementsAre(HasSubstr("<State>Ready</State>")));
}

TEST(ReportReady, AVmIsReportedAsReadyOnceAndACapturedDiskAgain) {
  Vm vm;
  vm.result(R"({"ExitCode":"0"})");
  EXPECT_TRUE(vm.report({.wait = true}));
  EXPECT_TRUE(vm.report({.wait = true}));
  EXPECT_EQ(vm.reports.size(), 1u);
  vm.set_id(kOtherId);
  EXPECT_TRUE(vm.report({.wait = true}));
  EXPECT_EQ(vm.reports.size(), 2u);
  EXPECT_EQ(vm.world.disk[kProvisioned].content, std::string(kOtherId) + "\n");
  EXPECT_TRUE(vm.report({})) << "by hand it is repeated";
  EXPECT_EQ(vm.reports.size(), 3u);
}

TEST(ReportReady, AVmWithoutAResultIsNotReadyBeforeThePlatformGivesItUpAndItsLateResultIsReported) {
  Vm vm;
  std::string agent_found;
  std::optional<Result<void>> done;
  size_t reports_in_time = 0;
  const auto wait = [&](Node& node) -> host::Task<Result<void>> {
    const host::Running provision(node.loop, provision_later(node, 2h, &agent_found));
    auto count = [](Node& of, Vm& counted, size_t* into) -> host::Task<void> {
      co_await of.loop.after(20min);
      *into = counted.reports.size();
    };
    const host::Running counting(node.loop, count(node, vm, &reports_in_time));
    co_return co_await report_ready(node, {.wait = true, .limit = 1min});
  };
  ASSERT_EQ(vm.run(wait, &done), EndOfRun::kDone);
  EXPECT_TRUE(done->ok());
  EXPECT_EQ(reports_in_time, 1u);
  EXPECT_THAT(vm.reports, ElementsAre(HasSubstr("<State>NotReady</State>"), HasSubstr("<State>Ready</State>")));
}

TEST(ReportReady, TheAgentFindsTheVmProvisionedAlsoIfTheRecordCannotBeRead) {
  Vm vm;
  vm.put("/var/lib/sunup/reported-ready", "");
  vm.world.faults.unreadable = {{"/var/lib/sunup/reported-ready", EIO}};
  vm.result(R"({"ExitCode":"50"})");
  EXPECT_TRUE(vm.report({.wait = true}));
  EXPECT_EQ(vm.world.disk[kProvisioned].content, std::string(kId) + "\n");
  EXPECT_THAT(vm.reports, ElementsAre(HasSubstr("<State>NotReady</State>")));
}

TEST(ReportReady, TheUnitIsStartedWhenTheMarkExists) {
  Vm vm;
  ::setenv("NOTIFY_SOCKET", "/run/notify", 1);
  vm.world.on_operation = [&vm](host::TimePoint, std::string_view what, const std::string& on) {
    if (what == "end of send to" && on == "/run/notify") EXPECT_TRUE(vm.world.disk.contains(kProvisioned));
  };
  vm.result(R"({"ExitCode":"0"})");
  EXPECT_TRUE(vm.report({.wait = true}));
  EXPECT_EQ(vm.world.datagrams.size(), 1u);
  EXPECT_TRUE(vm.report({.wait = true})) << "it is reported already";
  EXPECT_EQ(vm.world.datagrams.size(), 2u);
  ::unsetenv("NOTIFY_SOCKET");
}

TEST(ReportReady, AFailureIsNotTheLastWord) {
  Vm vm;
  vm.result(R"({"ExitCode":"50","Error":"no network"})");
  EXPECT_TRUE(vm.report({.wait = true}));
  vm.result(R"({"ExitCode":"0"})");
  EXPECT_TRUE(vm.report({.wait = true}));
  EXPECT_THAT(vm.reports, ElementsAre(HasSubstr("<State>NotReady</State>"), HasSubstr("<State>Ready</State>")));
}

TEST(ReportReady, WithoutAResultAndWithoutWaitingNothingIsReportedOrSet) {
  Vm vm;
  EXPECT_FALSE(vm.report({}));
  EXPECT_THAT(vm.reports, IsEmpty());
  EXPECT_FALSE(vm.world.disk.contains(kProvisioned)) << "the agent would keep silent as well";
}

}  // namespace
}  // namespace sunup::controller
