// Single steps on the simulated machine: what they ask, what they start, what they leave.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/base64.h"
#include "host/sim/machine.h"
#include "plan/catalogue.h"
#include "plan/gather.h"
#include "plan/registry_login.h"

namespace sunup::plan {
namespace {

using host::FileKind;
using host::sim::Endpoint;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Steps : public testing::Test {
 protected:
  Steps() : world(1) {
    world.on_spawn = [this](const host::Command& command) { spawned.push_back(command); };
    config.mutable_api_server_config()->set_api_server_name("api.example");
    config.mutable_bootstrapping_config()->set_tls_bootstrapping_token("abcdef.0123456789abcdef");
  }

  void put(const std::string& path, std::string content, FileKind kind = FileKind::kRegular) {
    for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
      world.disk.try_emplace(path.substr(0, slash), host::sim::Node{FileKind::kDirectory, 0755, ""});
    world.disk[path] = host::sim::Node{kind, 0644, std::move(content)};
  }

  Result<void> run(std::string_view name) {
    host::sim::Machine machine(world);
    auto subject = std::make_shared<Subject>();
    subject->config = config;
    subject->facts = facts;
    const auto step = make_step(*find_step(name), subject);
    if (!step) return step.error();
    std::map<std::string, std::string> learned;
    Context context(machine.host(), *step, learned, [this](const std::string& text) { notes.push_back(text); });
    std::optional<Result<void>> result;
    machine.loop().run(step->run(context), &result);
    return result ? *std::move(result) : Result<void>(Error("it never ended"));
  }

  std::string journal() const {
    std::string text;
    for (const host::Command& command : spawned) text += command.input.value_or("");
    return text;
  }

  host::sim::World world;
  aksnodeconfig::v1::Configuration config;
  NodeFacts facts = node::golden_image(node::Distro::kUbuntu2204);
  std::vector<host::Command> spawned;
  std::vector<std::string> notes;
};

constexpr char kVersion[] = "https://api.example:443/version?timeout=5s";

TEST_F(Steps, SayInKubeletsJournalThatTheTokenIsValid) {
  world.programs["logger"] = {};
  world.endpoints[kVersion] = {};
  ASSERT_TRUE(run("bootstrap.token"));
  EXPECT_THAT(journal(), HasSubstr("MESSAGE=kubelet bootstrap token credential is valid\n"));
  EXPECT_THAT(journal(), HasSubstr("OBJECT_SYSTEMD_UNIT=kubelet.service\n"));
}

TEST_F(Steps, LeaveTheTokenAloneWhenKubeletHasItsCredentials) {
  world.programs["logger"] = {};
  put("/var/lib/kubelet/kubeconfig", "");
  ASSERT_TRUE(run("bootstrap.token"));  // nobody would have answered
  EXPECT_THAT(journal(), HasSubstr("MESSAGE=client credential already exists within kubeconfig\n"));
}

TEST_F(Steps, SayThatATokenIsRefusedWithoutShowingIt) {
  world.programs["logger"] = {};
  world.endpoints[kVersion] = Endpoint{.status = 401};
  ASSERT_TRUE(run("bootstrap.token"));
  EXPECT_THAT(journal(), HasSubstr("MESSAGE=unable to validate bootstrap credentials: HTTP status 401\n"));
  EXPECT_THAT(journal(), testing::Not(HasSubstr("0123456789abcdef")));
}

class Login : public Steps {
 protected:
  Login() {
    config.set_bootstrap_profile_container_registry_server("own.azurecr.io/mirror");
    config.mutable_auth_config()->set_assigned_identity_id("id-1");
    config.mutable_auth_config()->set_tenant_id("tenant-1");
    world.endpoints["https://own.azurecr.io/v2/_catalog"] = Endpoint{.status = 401};
    world.endpoints[kIdentity] = Endpoint{.body = R"({"access_token": "planted-identity"})"};
    world.endpoints[kExchange] = Endpoint{.body = R"({"refresh_token": "planted-refresh"})"};
  }
  static constexpr char kExchange[] = "https://own.azurecr.io/oauth2/exchange";
  static constexpr char kIdentity[] =
      "http://169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01&resource="
      "https%3A%2F%2Fcontainerregistry.azure.net&client_id=id-1";
};

TEST_F(Login, LeavesAFileOfRootAloneAndNothingElse) {
  ASSERT_TRUE(run("registry.login"));
  const auto& file = world.disk.at(kRegistryLogin);
  EXPECT_EQ(file.content, "{\"auths\":{\"own.azurecr.io\":{\"identitytoken\":\"planted-refresh\"}}}\n");
  EXPECT_EQ(file.mode, 0600U);
  EXPECT_THAT(notes, IsEmpty());
  EXPECT_THAT(spawned, IsEmpty());
}

TEST_F(Login, IsNotNeededWhereTheRegistryIsOpen) {
  world.endpoints["https://own.azurecr.io/v2/_catalog"] = {};
  ASSERT_TRUE(run("registry.login"));
  EXPECT_FALSE(world.disk.contains(kRegistryLogin));
}

TEST_F(Login, FailsWithTheCodesTheEcosystemKnows) {
  world.endpoints[kExchange] = Endpoint{.body = "{}", .status = 401};
  EXPECT_EQ(run("registry.login").error().code, 212);
  world.endpoints.erase(kIdentity);
  EXPECT_EQ(run("registry.login").error().code, 210);
  world.endpoints["https://own.azurecr.io/v2/_catalog"] = Endpoint{.status = 500};
  EXPECT_EQ(run("registry.login").error().code, 211);
}

TEST_F(Login, RefusesATokenThatMayNotRead) {
  const auto token = [](std::string_view claims) { return "h." + base64_encode(claims) + ".s"; };
  EXPECT_TRUE(may_read(token(R"({"permissions":{"actions":["read","write"]}})")));
  EXPECT_FALSE(may_read(token(R"({"permissions":{"actions":["write"]}})")));
  EXPECT_FALSE(may_read(token(R"({"permissions":{}})")));
  EXPECT_TRUE(may_read(token(R"({"sub":"x"})")));
  EXPECT_TRUE(may_read("not a JWT"));
}

class CloudTrust : public Steps {
 protected:
  CloudTrust() {
    config.mutable_cluster_config()->set_location("West Europe");
    config.mutable_custom_cloud_config()->set_repo_depot_endpoint("https://depot.example");
    world.programs[kHook] = {};
  }
  static constexpr char kHook[] = "/opt/azure/containers/init-aks-cloud.sh";
  static constexpr char kQuestion[] = "http://168.63.129.16/acms/isOptedInForRootCerts";
};

TEST_F(CloudTrust, CostsOneQuestionWhereNobodyOptedIn) {
  for (const char* answer : {R"({"IsOptedInForRootCerts":false})", "{}", "rubbish"}) {
    world.endpoints[kQuestion] = Endpoint{.body = answer};
    EXPECT_TRUE(run("trust.cloud"));
  }
  EXPECT_THAT(spawned, IsEmpty());
}

TEST_F(CloudTrust, HasTheHookDoTheWorkWhereWanted) {
  world.endpoints[kQuestion] = Endpoint{.body = R"({"IsOptedInForRootCerts":true})"};
  ASSERT_TRUE(run("trust.cloud"));
  ASSERT_EQ(spawned.size(), 1U);
  EXPECT_THAT(spawned[0].argv, ElementsAre(kHook));
  EXPECT_THAT(spawned[0].env, Contains("LOCATION=West Europe"));
  EXPECT_THAT(spawned[0].env, Contains("REPO_DEPOT_ENDPOINT=https://depot.example"));
}

TEST_F(CloudTrust, AsksNobodyInCloudsThatAreOlderThanTheQuestion) {
  config.mutable_cluster_config()->set_location("USSec East");
  ASSERT_TRUE(run("trust.cloud"));
  EXPECT_EQ(spawned.size(), 1U);
}

TEST_F(CloudTrust, FailsWhenTheQuestionIsNotAnswered) {
  EXPECT_FALSE(run("trust.cloud"));
}

class Swap : public Steps {
 protected:
  Swap() {
    config.mutable_custom_linux_os_config()->set_enable_swap_config(true);
    config.mutable_custom_linux_os_config()->set_swap_file_size(1000);
    put("/dev/disk/azure/resource-part1", "../../sdb1", FileKind::kSymlink);
    put("/proc/mounts", "/dev/sda1 / ext4 rw 0 0\n/dev/sdb1 /mnt/the\\040disk ext4 rw 0 0\n");
  }
  std::string where() {
    host::sim::Machine machine(world);
    auto subject = std::make_shared<Subject>();
    subject->config = config;
    subject->facts = gather_facts(machine.host().files, config);
    const auto step = make_step(*find_step("kernel.swap"), subject);
    for (const FileEffect& file : step->files)
      if (file.path.ends_with("/swapfile")) return file.path;
    return "";
  }
};

TEST_F(Swap, GoesToTheTemporaryDiskWhereThereIsRoom) {
  EXPECT_EQ(where(), "/mnt/the disk/swapfile");
  world.free_kib["/mnt/the disk"] = 1'000'000;  // exactly its size is not enough
  EXPECT_EQ(where(), "/swapfile");
}

TEST_F(Swap, StaysWhereItIsWhenItHasFilledTheDisk) {
  world.free_kib["/mnt/the disk"] = 10;
  put("/mnt/the disk/swapfile", std::string(1 << 20, '\0'));
  config.mutable_custom_linux_os_config()->set_swap_file_size(1);
  EXPECT_EQ(where(), "/mnt/the disk/swapfile");
}

TEST_F(Swap, GoesToTheOsDiskWhereTheOtherIsNotMounted) {
  put("/proc/mounts", "/dev/sda1 / ext4 rw 0 0\n");
  EXPECT_EQ(where(), "/swapfile");
}

TEST_F(Swap, UnitIsReadWithKubelets) {
  host::sim::Machine machine(world);
  auto subject = std::make_shared<Subject>();
  subject->config = config;
  subject->facts = gather_facts(machine.host().files, config);
  const auto graph = derive(subject);
  ASSERT_TRUE(graph) << graph.error().what;
  const auto& steps = graph->steps();
  const auto load =
      std::find_if(steps.begin(), steps.end(), [](const engine::Step& step) { return step.name == kUnitsLoaded; });
  ASSERT_NE(load, steps.end());
  EXPECT_THAT(load->after, ElementsAre("kernel.swap"));
}

}  // namespace
}  // namespace sunup::plan
