// The VM's side of Azure's provisioning, on a simulated machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.h"
#include "guest/agent_files.h"
#include "guest/azure_vm.h"
#include "guest/health.h"
#include "guest/identity.h"
#include "guest/provisioning_data.h"
#include "host/sim/machine.h"
#include "report/kvp.h"

namespace sunup::guest {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

constexpr char kId[] = "544cdfd0-cb4e-4b4a-9954-5bdf3ed5c3b8";
constexpr char kInstanceUrl[] = "http://169.254.169.254/metadata/instance?api-version=2021-08-01&extended=true";
constexpr char kOldInstanceUrl[] = "http://169.254.169.254/metadata/instance?api-version=2019-06-01";
constexpr char kGoalUrl[] = "http://168.63.129.16/machine/?comp=goalstate";
constexpr char kHealthUrl[] = "http://168.63.129.16/machine?comp=health";
constexpr char kJsonUrl[] = "http://168.63.129.16/provisioning/health";
constexpr char kOvfOnDisc[] = "/run/aks-node-controller/disc/ovf-env.xml";
constexpr char kGoal[] =
    "<GoalState><Incarnation>1</Incarnation><Container><ContainerId>c</ContainerId><RoleInstanceList><RoleInstance>"
    "<InstanceId>i</InstanceId></RoleInstance></RoleInstanceList></Container></GoalState>";

std::string ovf(const std::string& name, const std::string& custom_data) {
  return "<Environment><ProvisioningSection><LinuxProvisioningConfigurationSet><HostName>" + name +
         "</HostName><UserName>azureuser</UserName><CustomData>" + base64_encode(custom_data) +
         "</CustomData></LinuxProvisioningConfigurationSet></ProvisioningSection></Environment>";
}

std::string instance(const std::string& name, const std::string& id = kId, const char* more = "") {
  return R"({"compute":{"vmId":")" + id + R"(","osProfile":{"computerName":")" + name +
         R"(","adminUsername":"azureuser"},"publicKeys":[{"keyData":"ssh-rsa AAAA me"}],"userData":"dXNlcg=="},"extended":{"compute":{)" +
         more + "}}}";
}

class Guest : public testing::Test {
 protected:
  Guest() : world(1) {
    put("/sys/class/dmi/id/chassis_asset_tag", "7783-7084-3265-9085-8269-3286-77\n");
    put("/sys/class/dmi/id/product_uuid", std::string(kId) + "\n");
    put("/sys/firmware/efi/runtime", "");
    put("/etc/passwd", "root:x:0:0::/root:/bin/bash\n");
    put("/etc/group", "root:x:0:\nadm:x:4:\nsudo:x:27:\n");
    put("/etc/hosts", "127.0.0.1 localhost\n");
  }

  void put(const std::string& path, std::string content, mode_t mode = 0644) {
    for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
      world.disk[path.substr(0, slash)] = {host::FileKind::kDirectory, 0755, ""};
    world.disk[path] = {host::FileKind::kRegular, mode, std::move(content)};
    world.durable = world.disk;
  }
  void put_disc(const std::string& text) {
    put("/dev/sr0", "");
    put(kOvfOnDisc, text);
  }
  std::string text(const std::string& path) { return world.disk.contains(path) ? world.disk[path].content : "(none)"; }

  template <class T>
  Result<T> run(std::function<host::Task<Result<T>>(host::Host&)> what) {
    host::sim::Machine machine(world);
    std::optional<Result<T>> result;
    const host::TimePoint before = machine.loop().now();
    machine.loop().run(what(machine.host()), &result);
    took = machine.loop().now() - before;
    return result ? *std::move(result) : Result<T>(Error("the process has ended"));
  }
  Result<ProvisioningData> find(Patience patience = {}) {
    return run<ProvisioningData>([=, this](host::Host& host) {
      return find_provisioning_data(host, patience, [this](const std::string& note) { notes += note + "\n"; });
    });
  }
  Result<void> report(azure::ProvisioningReport what, host::Duration limit = 20min) {
    return run<void>([=, this](host::Host& host) {
      return report_health(host, what, {.limit = limit, .note = [this](const std::string& note) { notes += note; }});
    });
  }

  host::sim::World world;
  host::Duration took{};
  std::string notes;
};

TEST_F(Guest, DiscAndMetadataServiceTogether) {
  put_disc(ovf("node-1", "custom"));
  world.endpoints[kInstanceUrl] = {.body = instance("node-1")};
  const auto data = find();
  ASSERT_TRUE(data) << data.error().what;
  EXPECT_EQ(data->environment.host_name, "node-1");
  EXPECT_EQ(data->environment.custom_data, "custom");
  EXPECT_THAT(data->environment.public_keys, testing::ElementsAre("ssh-rsa AAAA me"));
  EXPECT_EQ(data->vm_id, kId);
  EXPECT_TRUE(world.mounts.empty()) << "the disc is not left mounted";
}

TEST_F(Guest, MetadataServiceAloneWithUserData) {
  world.endpoints[kInstanceUrl] = {.body = instance("node-1")};
  const auto data = find();
  ASSERT_TRUE(data) << data.error().what;
  EXPECT_EQ(data->environment.host_name, "node-1");
  EXPECT_EQ(data->environment.custom_data, "user");
  EXPECT_EQ(data->from, "metadata service");
}

TEST_F(Guest, AServiceOfAnOlderVersionIsAskedInItsWords) {
  world.endpoints[kInstanceUrl] = {.status = 400};
  world.endpoints[kOldInstanceUrl] = {.body = instance("node-1")};
  EXPECT_TRUE(find());
}

TEST_F(Guest, WaitsForTheNetworkAndAServiceThatIsLate) {
  world.address_from = 30s;
  world.endpoints[kInstanceUrl] = {.body = instance("node-1"), .from = 40s, .failures = 3};
  const auto data = find();
  ASSERT_TRUE(data) << data.error().what;
  EXPECT_GE(took, 39s);
  EXPECT_LT(took, 60s);
}

TEST_F(Guest, WithoutMetadataServiceTheDiscIsEnough) {
  put_disc(ovf("node-1", "custom"));
  const auto data = find();
  ASSERT_TRUE(data) << data.error().what;
  EXPECT_EQ(data->from, "disc");
  EXPECT_THAT(notes, HasSubstr("continuing with the disc alone"));
  EXPECT_LT(took, 30s);
}

TEST_F(Guest, AnotherVmsDiscOrAnswerIsRefused) {
  put_disc(ovf("other", "custom"));
  world.endpoints[kInstanceUrl] = {.body = instance("node-1")};
  EXPECT_THAT(find().error().what,
              HasSubstr("the provisioning disc is for other, but the metadata service calls this VM node-1"));
  put_disc(ovf("node-1", "custom"));
  world.endpoints[kInstanceUrl] = {.body = instance("node-1", "00000000-0000-0000-0000-000000000001")};
  EXPECT_THAT(find().error().what,
              HasSubstr("the metadata service answers for VM 00000000-0000-0000-0000-000000000001"));
  world.endpoints[kInstanceUrl] = {.body = "<html>lies</html>"};
  EXPECT_THAT(find().error().what, HasSubstr("not a JSON object"));
}

TEST_F(Guest, ADiscThatIsDamagedIsNotGuessedAbout) {
  put_disc("<Environment><Provisioning");
  world.endpoints[kInstanceUrl] = {.body = instance("node-1")};
  EXPECT_THAT(find().error().what, HasSubstr("ovf-env.xml"));
}

TEST_F(Guest, ADriveThatAppearsLateIsRead) {
  world.address_from = 5s;
  world.endpoints[kInstanceUrl] = {.status = 400};
  world.endpoints[kOldInstanceUrl] = {.body = instance("node-1")};
  world.on_operation = [this](host::TimePoint now, std::string_view, const std::string&) {
    if (now.time_since_epoch() >= 4s && !world.disk.contains("/dev/sr0")) put_disc(ovf("node-1", "custom"));
  };
  const auto data = find();
  ASSERT_TRUE(data) << data.error().what;
  EXPECT_EQ(data->environment.custom_data, "custom");
}

TEST_F(Guest, TagsAreNotTakenFromADocumentThatDoesNotListThem) {
  world.endpoints[kInstanceUrl] = {.status = 400};
  world.endpoints[kOldInstanceUrl] = {.body = instance("node-1")};
  EXPECT_EQ(find()->instance_document, "");
  world.endpoints[kInstanceUrl] = {.body = instance("node-1")};
  EXPECT_NE(find()->instance_document, "");
}

TEST_F(Guest, CustomDataWithoutADiscIsAnError) {
  world.endpoints[kInstanceUrl] = {.body = instance("node-1", kId, "\"hasCustomData\":true")};
  EXPECT_THAT(find().error().what, HasSubstr("no provisioning disc"));
}

TEST_F(Guest, NoAnswerAtAllEndsInTime) {
  world.endpoints[kInstanceUrl] = {.body = instance("n"), .takes = 1h};
  const auto data = find({.metadata = 1min});
  EXPECT_FALSE(data);
  EXPECT_LT(took, 2min);
}

TEST_F(Guest, RecognisesAzureAndOnlyAzure) {
  host::sim::Machine machine(world);
  EXPECT_TRUE(*is_azure(machine.host().files));
  put("/sys/class/dmi/id/chassis_asset_tag", "No Asset Tag\n");
  EXPECT_FALSE(*is_azure(machine.host().files));
  put(kSeed, ovf("a", ""));
  EXPECT_TRUE(*is_azure(machine.host().files));
}

TEST_F(Guest, SetsTheHostNameEverywhere) {
  const auto set = [](host::Host& host) -> host::Task<Result<void>> {
    co_return set_host_name(host, "node-1.internal");
  };
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(run<void>(set));
    EXPECT_EQ(text("/etc/hostname"), "node-1.internal\n");
    EXPECT_EQ(world.sysctls["kernel.hostname"], "node-1.internal");
    EXPECT_EQ(text("/etc/hosts"), "127.0.0.1 localhost\n127.0.1.1 node-1.internal node-1\n");
  }
  EXPECT_EQ(hosts_with("127.0.1.1 old\n::1 localhost", "new"), "127.0.1.1 new\n::1 localhost\n");
}

TEST_F(Guest, MakesTheUserOnceAndKeepsKeysThatAreThere) {
  int made = 0;
  std::vector<std::string> seen;
  world.programs["useradd"] = {.effect = [&](const std::vector<std::string>& argv, host::Files& files) -> Result<void> {
    ++made;
    seen = argv;
    (void)files.make_directories("/home/azureuser");
    return files.write("/etc/passwd",
                       "root:x:0:0::/root:/bin/bash\nazureuser:x:1000:1000::/home/azureuser:/bin/bash\n");
  }};
  world.programs["usermod"] = {};
  azure::OvfEnvironment wanted;
  wanted.user_name = "azureuser";
  wanted.public_keys = {"ssh-rsa AA\r\nAA me"};
  const auto make = [&](host::Host& host) { return make_user(host, wanted); };
  ASSERT_TRUE(run<void>(make)) << run<void>(make).error().what;
  EXPECT_THAT(seen, testing::ElementsAre("useradd", "--create-home", "--shell", "/bin/bash", "--groups", "adm,sudo",
                                         "--", "azureuser"));
  EXPECT_EQ(text("/home/azureuser/.ssh/authorized_keys"), "ssh-rsa AAAA me\n");
  EXPECT_EQ(world.disk["/home/azureuser/.ssh/authorized_keys"].mode, 0600u);
  EXPECT_EQ(world.disk["/home/azureuser/.ssh"].mode, 0700u);
  EXPECT_EQ(text("/etc/sudoers.d/90-aks-node-controller"), "azureuser ALL=(ALL) NOPASSWD:ALL\n");
  EXPECT_EQ(world.disk["/etc/sudoers.d/90-aks-node-controller"].mode, 0440u);
  put("/home/azureuser/.ssh/authorized_keys", "ssh-rsa BBBB added", 0600);
  ASSERT_TRUE(run<void>(make));
  EXPECT_EQ(text("/home/azureuser/.ssh/authorized_keys"), "ssh-rsa BBBB added\nssh-rsa AAAA me\n");
  EXPECT_EQ(made, 1);
}

// The run is killed, or the power fails, at each of its operations. The next run leaves keys that sshd accepts, and no
// other process ever reads keys that belong to another user.
TEST_F(Guest, KeysBelongToTheUserWhereverARunWasCutOff) {
  put("/etc/passwd", "azureuser:x:1000:1001::/home/azureuser:/bin/bash\n");
  put("/home/azureuser", "");
  world.disk["/home/azureuser"] = {host::FileKind::kDirectory, 0755, ""};
  world.durable = world.disk;
  world.programs["usermod"] = {};
  azure::OvfEnvironment wanted;
  wanted.user_name = "azureuser";
  wanted.public_keys = {"ssh-rsa AAAA"};
  const auto make = [&](host::Host& host) { return make_user(host, wanted); };
  const std::string directory = "/home/azureuser/.ssh";
  const std::string keys = directory + "/authorized_keys";
  const host::FileOwner user{1000, 1001};
  const host::sim::World image = world;
  for (const bool power : {false, true}) {
    bool crashed = true;
    for (uint64_t at = 1; crashed; ++at) {
      world = image;
      world.faults = {.crash_at = at, .cut_power = power};
      world.on_operation = [&](host::TimePoint, std::string_view, const std::string&) {
        const auto found = world.disk.find(keys);
        EXPECT_TRUE(found == world.disk.end() || found->second.owner == user) << "operation " << at;
      };
      crashed = !run<void>(make);
      world.on_operation = nullptr;
      if (crashed && power) world.power_cut();
      world.faults = {};
      ASSERT_TRUE(run<void>(make)) << "operation " << at;
      EXPECT_EQ(text(keys), "ssh-rsa AAAA\n") << "operation " << at;
      EXPECT_EQ(world.disk[keys].mode, 0600u);
      EXPECT_EQ(world.disk[keys].owner, user) << "operation " << at;
      EXPECT_EQ(world.disk[directory].owner, user) << "operation " << at;
      ASSERT_LT(at, 1000u);
    }
  }
}

TEST_F(Guest, KeysThatAnotherProgramAddsMeanwhileStay) {
  put("/etc/passwd", "azureuser:x:1000:1000::/home/azureuser:/bin/bash\n");
  const std::string keys = "/home/azureuser/.ssh/authorized_keys";
  put(keys, "ssh-rsa BBBB\n", 0600);
  world.programs["usermod"] = {};
  azure::OvfEnvironment wanted;
  wanted.user_name = "azureuser";
  wanted.public_keys = {"ssh-rsa AAAA"};
  const host::sim::World image = world;
  uint64_t operations = 0;
  for (uint64_t at = 1; at == 1 || at <= operations; ++at) {
    world = image;
    operations = 0;
    world.on_operation = [&](host::TimePoint, std::string_view, const std::string&) { ++operations; };
    world.faults.others = {{.at = at, .path = keys, .line = "ssh-rsa CCCC agent\n"}};
    ASSERT_TRUE(run<void>([&](host::Host& host) { return make_user(host, wanted); }));
    for (const char* line : {"ssh-rsa AAAA\n", "ssh-rsa BBBB\n", "ssh-rsa CCCC agent\n"})
      EXPECT_THAT(text(keys), HasSubstr(line)) << "written before operation " << at;
  }
}

TEST_F(Guest, APasswordIsInNoArgument) {
  put("/etc/passwd", "azureuser:x:1000:1000::/home/azureuser:/bin/bash\n");
  world.programs["usermod"] = {};
  world.programs["chpasswd"] = {};
  std::string input;
  world.on_spawn = [&](const host::Command& command) {
    for (const std::string& word : command.argv) EXPECT_THAT(word, Not(HasSubstr("hunter2")));
    if (command.argv[0] == "chpasswd") input = command.input.value_or("");
  };
  azure::OvfEnvironment wanted;
  wanted.user_name = "azureuser";
  wanted.password = Secret("hunter2");
  ASSERT_TRUE(run<void>([&](host::Host& host) { return make_user(host, wanted); }));
  EXPECT_EQ(input, "azureuser:hunter2\n");
}

TEST_F(Guest, ABadKeyMakesNoUser) {
  azure::OvfEnvironment wanted;
  wanted.user_name = "azureuser";
  wanted.public_keys = {"ssh-rsa AAAA", "-----BEGIN CERTIFICATE-----"};
  EXPECT_FALSE(run<void>([&](host::Host& host) { return make_user(host, wanted); }));
  EXPECT_EQ(text("/etc/sudoers.d/90-aks-node-controller"), "(none)");
}

TEST_F(Guest, ALinkInTheHomeIsNotFollowed) {
  put("/etc/passwd", "azureuser:x:1000:1000::/home/azureuser:/bin/bash\n");
  put("/home/azureuser/x", "");
  world.disk["/home/azureuser/.ssh"] = {host::FileKind::kSymlink, 0777, "/root/.ssh"};
  world.programs["usermod"] = {};
  azure::OvfEnvironment wanted;
  wanted.user_name = "azureuser";
  wanted.public_keys = {"ssh-rsa AAAA"};
  EXPECT_THAT(run<void>([&](host::Host& host) { return make_user(host, wanted); }).error().what,
              HasSubstr("is a link"));
}

TEST_F(Guest, HostKeysAreNewAndTheServerKnows) {
  put("/etc/ssh/ssh_host_rsa_key", "old");
  put("/etc/ssh/sshd_config", "x");
  world.programs["ssh-keygen"].effect = [](const std::vector<std::string>& argv, host::Files& files) -> Result<void> {
    const std::string& path = argv.back();
    EXPECT_FALSE(*files.exists("/etc/ssh/ssh_host_rsa_key") && path.find("rsa") != std::string::npos);
    EXPECT_EQ(argv[std::ranges::find(argv, "-C") - argv.begin() + 1], "") << "no host name";
    if (path.find("ed25519") != std::string::npos) return Error("not allowed here");
    return files.write(path, "new", 0600);
  };
  ASSERT_TRUE(run<void>([](host::Host& host) { return make_host_keys(host); }));
  EXPECT_EQ(text("/etc/ssh/ssh_host_rsa_key"), "new");
  EXPECT_EQ(text("/etc/ssh/ssh_host_ecdsa_key"), "new");
  EXPECT_EQ(text("/etc/ssh/sshd_config"), "x");
}

TEST_F(Guest, WithoutAnyHostKeyIsAnError) {
  put("/etc/ssh/sshd_config", "x");
  world.programs["ssh-keygen"] = {.failures = 3};
  EXPECT_FALSE(run<void>([](host::Host& host) { return make_host_keys(host); }));
}

TEST_F(Guest, AgentFindsTheVmProvisioned) {
  host::sim::Machine machine(world);
  ASSERT_TRUE(tell_agent_provisioned(machine.host().files, kId));
  EXPECT_EQ(text("/var/lib/waagent/provisioned"), std::string(kId) + "\n");
  azure::OvfEnvironment environment;
  environment.host_name = "n";
  environment.custom_data = "secret token";
  ASSERT_TRUE(leave_agent_files(machine.host().files, environment));
  EXPECT_THAT(text("/var/lib/waagent/ovf-env.xml"), HasSubstr("<ns1:HostName>n<"));
  EXPECT_EQ(world.disk["/var/lib/waagent/ovf-env.xml"].mode, 0600u);
}

TEST_F(Guest, ReadyGoesOutAfterTheRecordInThePool) {
  put(report::kKvpPool, "");
  std::string pool_at_report;
  std::string body;
  world.endpoints[kGoalUrl] = {.body = kGoal};
  world.endpoints[kHealthUrl] = {.answer = [&](const host::HttpRequest& request) {
    pool_at_report = text(report::kKvpPool);
    body = request.body;
    return host::HttpReply{.status = 200};
  }};
  ASSERT_TRUE(report({.version = "1", .vm_id = kId}));
  EXPECT_THAT(pool_at_report, HasSubstr("PROVISIONING_REPORT"));
  EXPECT_THAT(pool_at_report, HasSubstr("result=success"));
  EXPECT_THAT(body, HasSubstr("<State>Ready</State>"));
}

TEST_F(Guest, NotReadyHasStepCodeAndHint) {
  std::string body;
  world.endpoints[kGoalUrl] = {.body = kGoal};
  world.endpoints[kHealthUrl] = {.answer = [&](const host::HttpRequest& request) {
    body = request.body;
    return host::HttpReply{.status = 200};
  }};
  ASSERT_TRUE(
      report({.reason = "it broke", .exit_code = "50", .step = "network.outbound", .hint = "look", .version = "1"}));
  EXPECT_THAT(body, HasSubstr("<State>NotReady</State>"));
  EXPECT_THAT(body, HasSubstr("result=error|reason=it broke|exit_code=50|step=network.outbound|hint=look|"));
  EXPECT_LT(took, 1s);
}

TEST_F(Guest, AWireServerThatRefusesOrDripsIsTriedAgain) {
  world.endpoints[kGoalUrl] = {.body = kGoal, .from = 10s, .failures = 2};
  world.endpoints[kHealthUrl] = {.failures = 2, .cuts = 1};
  EXPECT_TRUE(report({.version = "1"}));
  EXPECT_THAT(notes, HasSubstr("trying again"));
  world.endpoints[kGoalUrl] = {.takes = 1h};
  EXPECT_FALSE(report({.version = "1"}, 1min));
  EXPECT_LT(took, 2min);
}

TEST_F(Guest, WithoutAGoalStateTheReportThatNeedsNoneIsUsed) {
  std::string body;
  world.endpoints[kGoalUrl] = {.body = "<GoalState/>"};
  world.endpoints[kJsonUrl] = {.answer = [&](const host::HttpRequest& request) {
    body = request.body;
    return host::HttpReply{.status = 201};
  }};
  ASSERT_TRUE(report({.version = "1"}));
  EXPECT_EQ(body, R"({"state":"Ready"})");
}

}  // namespace
}  // namespace sunup::guest
