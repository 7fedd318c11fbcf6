// A VM in a pool, on a simulated machine: one test for each type, and the failures that may occur.
#include "guest/preprovisioned.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.h"
#include "host/sim/machine.h"

namespace sunup::guest {
namespace {

using namespace std::chrono_literals;
using host::sim::EndOfRun;
using testing::HasSubstr;

constexpr char kId[] = "544cdfd0-cb4e-4b4a-9954-5bdf3ed5c3b8";
constexpr char kInstanceUrl[] = "http://169.254.169.254/metadata/instance?api-version=2021-08-01&extended=true";
constexpr char kDataUrl[] = "http://169.254.169.254/metadata/reprovisiondata?api-version=2019-06-01";
constexpr char kGoalUrl[] = "http://168.63.129.16/machine/?comp=goalstate";
constexpr char kHealthUrl[] = "http://168.63.129.16/machine?comp=health";

class InPool : public testing::Test {
 protected:
  InPool() : world(1) {
    put("/sys/class/dmi/id/product_uuid", std::string(kId) + "\n");
    put("/sys/firmware/efi/runtime", "");
    world.endpoints[kInstanceUrl] = {.body = R"({"compute":{"vmId":")" + std::string(kId) +
                                             R"(","osProfile":{"computerName":"node-7"}},)"
                                             R"("extended":{"compute":{"ppsType":"Running"}}})"};
    world.endpoints[kDataUrl] = {.answer = [this](const host::HttpRequest&) {
      ++asked;
      if (world_time() < given_away) return host::HttpReply{.status = asked % 2 == 0 ? 404 : 410};
      return host::HttpReply{.status = 200, .body = document};
    }};
    world.endpoints[kGoalUrl] = {
        .body =
            "<GoalState><Incarnation>1</Incarnation><Container><ContainerId>c</ContainerId><RoleInstanceList>"
            "<RoleInstance><InstanceId>i</InstanceId></RoleInstance></RoleInstanceList></Container></GoalState>"};
    world.endpoints[kHealthUrl] = {.answer = [this](const host::HttpRequest& request) {
      reports.push_back(request.body);
      return host::HttpReply{.status = 200};
    }};
  }

  static std::string ovf(const std::string& name) {
    return "<Environment><ProvisioningSection><LinuxProvisioningConfigurationSet><HostName>" + name +
           "</HostName><CustomData>" + base64_encode("custom") +
           "</CustomData></LinuxProvisioningConfigurationSet></ProvisioningSection><PlatformSettingsSection>"
           "<PlatformSettings><PreprovisionedVMType>Running</PreprovisionedVMType></PlatformSettings>"
           "</PlatformSettingsSection></Environment>";
  }
  void put(const std::string& path, std::string content) {
    for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
      world.disk[path.substr(0, slash)] = {host::FileKind::kDirectory, 0755, ""};
    world.disk[path] = {host::FileKind::kRegular, 0644, std::move(content)};
    world.durable = world.disk;
  }
  host::Duration world_time() const { return loop->now().time_since_epoch(); }

  EndOfRun wait(const std::string& type, bool has_reported = false) {
    host::sim::Machine machine(world);
    loop = &machine.loop();
    data.reset();
    Pool pool{.type = type,
              .has_reported = has_reported,
              .report = {.version = "1", .vm_id = kId, .preprovisioned = type},
              .report_limit = 1min,
              .metadata = 20s,
              .reported = [this] {
                ++marked;
                return Result<void>();
              }};
    return machine.loop().run(
        wait_until_given_away(machine.host(), std::move(pool), [this](const std::string& note) { notes += note; }),
        &data);
  }
  void expect_node_7() {
    ASSERT_TRUE(data.has_value());
    ASSERT_TRUE(*data) << data->error().what;
    EXPECT_EQ((*data)->environment.host_name, "node-7");
    EXPECT_EQ((*data)->environment.custom_data, "custom");
    EXPECT_EQ((*data)->environment.preprovisioned, "") << "it is an ordinary VM now";
    EXPECT_EQ((*data)->vm_id, kId);
  }

  host::sim::World world;
  host::sim::Loop* loop = nullptr;
  host::Duration given_away = 1h;
  std::string document = ovf("node-7");
  std::vector<std::string> reports;
  int asked = 0;
  int marked = 0;
  std::string notes;
  std::optional<Result<ProvisioningData>> data;
};

TEST_F(InPool, RunningWaitsUntilItsLinkGoesDownAndUp) {
  world.link_changes = {{10min, {.name = "eth0", .up = true}},   // it was up before: no effect
                        {20min, {.name = "enP1", .up = false}},  // another one, which stays down
                        {given_away, {.name = "eth0", .up = false}},
                        {given_away + 2s, {.name = "eth0", .up = true}}};
  ASSERT_EQ(wait("Running"), EndOfRun::kDone);
  expect_node_7();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_THAT(reports[0], HasSubstr("<State>Ready</State>"));
  EXPECT_EQ(marked, 1);
  EXPECT_LE(asked, 3) << "the service is not asked while this VM waits";
}

TEST_F(InPool, TheVirtualFunctionOfTheCardMayComeAndGo) {
  put("/proc/net/route",
      "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\n"
      "eth0\t0000000A\t00000000\t0001\t0\t0\t0\t00FFFFFF\n"
      "eth0\t00000000\t0100000A\t0003\t0\t0\t0\t00000000\n");
  world.link_changes = {{1500ms, {.name = "enP1", .up = false}},
                        {1600ms, {.name = "enP1", .up = true}},
                        {given_away, {.name = "eth0", .up = false}},
                        {given_away + 2s, {.name = "eth0", .up = true}}};
  world.endpoints[kHealthUrl].takes = 3s;
  ASSERT_EQ(wait("Running"), EndOfRun::kDone);
  expect_node_7();
  EXPECT_EQ(reports.size(), 1u) << "the report is not given up";
  EXPECT_LE(asked, 3);
}

TEST_F(InPool, SavableWaitsUntilItsCardIsRemovedAndAnotherOneIsThere) {
  world.link_changes = {{10min, {.name = "eth0", .up = false}},  // its card is still there
                        {11min, {.name = "eth0", .up = true}},
                        {given_away, {.name = "eth0", .there = false}},
                        {given_away + 1s, {.name = "eth1", .up = false}},
                        {given_away + 2s, {.name = "eth1", .up = true}}};
  ASSERT_EQ(wait("Savable"), EndOfRun::kDone);
  expect_node_7();
  EXPECT_EQ(reports.size(), 1u);
  EXPECT_LE(asked, 3);
}

TEST_F(InPool, AReportWhoseAnswerIsLostWithTheCardIsNotRepeatedIfTheDataComes) {
  given_away = 10s;
  world.endpoints[kHealthUrl].takes = 1h;
  world.link_changes = {{4s, {.name = "eth0", .there = false}}, {5s, {.name = "eth1", .up = true}}};
  ASSERT_EQ(wait("Savable"), EndOfRun::kDone);
  expect_node_7();
  EXPECT_EQ(reports.size(), 0u) << "its answer never came";
  EXPECT_EQ(marked, 0);
}

TEST_F(InPool, AReportThatAFlappingLinkInterruptsIsSentAgain) {
  world.endpoints[kGoalUrl].from = 20s;  // the wire server refuses connections at first
  world.link_changes = {{4s, {.name = "eth0", .up = false}}, {5s, {.name = "eth0", .up = true}}};
  given_away = 10min;
  ASSERT_EQ(wait("Running"), EndOfRun::kDone);
  expect_node_7();
  EXPECT_EQ(reports.size(), 1u);
  EXPECT_EQ(marked, 1);
}

TEST_F(InPool, ADiskForAnotherVmWaitsForTheShutdown) {
  world.link_changes = {{1min, {.name = "eth0", .up = false}}, {2min, {.name = "eth0", .up = true}}};
  given_away = 1min;
  EXPECT_NE(wait("PreprovisionedOSDisk"), EndOfRun::kDone);
  EXPECT_FALSE(data.has_value());
  EXPECT_EQ(reports.size(), 1u);
  EXPECT_EQ(asked, 0);
}

TEST_F(InPool, OneThatWasGivenAwayBeforeItCouldReportGoesOnAtOnce) {
  given_away = 0s;
  ASSERT_EQ(wait("Running"), EndOfRun::kDone);
  expect_node_7();
  EXPECT_TRUE(reports.empty()) << "this Ready would be that of the new VM";
}

TEST_F(InPool, AfterAReportOfAnEarlierProcessTheChangeMayHaveBeenMissed) {
  ASSERT_EQ(wait("Savable", true), EndOfRun::kDone);
  expect_node_7();
  EXPECT_TRUE(reports.empty());
}

TEST_F(InPool, AServiceThatIsNotThereYetIsAskedAgain) {
  given_away = 10s;
  world.link_changes = {{10s, {.name = "eth0", .up = false}}, {11s, {.name = "eth0", .up = true}}};
  world.endpoints[kDataUrl].from = 30s;
  world.endpoints[kDataUrl].failures = 2;
  ASSERT_EQ(wait("Running"), EndOfRun::kDone);
  expect_node_7();
  EXPECT_THAT(notes, HasSubstr("trying again"));
}

TEST_F(InPool, DataThatIsDamagedOrOfAnotherVmIsAnError) {
  for (const auto& [text, why] : {std::pair(std::string("<Environment>"), "data of a pre-provisioned VM"),
                                  std::pair(ovf("other"), "the provisioning disc is for other")}) {
    document = text;
    given_away = 0s;
    ASSERT_EQ(wait("Running"), EndOfRun::kDone);
    ASSERT_TRUE(data && !*data);
    EXPECT_THAT(data->error().what, HasSubstr(why));
  }
}

TEST_F(InPool, AReportThatIsNotAcceptedIsAnError) {
  world.endpoints.erase(kGoalUrl);
  ASSERT_EQ(wait("Running"), EndOfRun::kDone);
  ASSERT_TRUE(data && !*data);
  EXPECT_EQ(marked, 0);
}

}  // namespace
}  // namespace sunup::guest
