// The login to the registry of a network-isolated cluster.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.h"
#include "plan/registry_login.h"
#include "plan/test_step.h"

namespace sunup::plan {
namespace {

using host::sim::Endpoint;
using testing::HasSubstr;
using testing::IsEmpty;

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

TEST_F(Login, AsksWithTheResourceManagersAudienceWhereTheOthersTokenIsNotExchanged) {
  const std::string arm =
      "http://169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01&resource="
      "https%3A%2F%2Fmanagement.azure.com%2F&client_id=id-1";
  world.endpoints[arm] = Endpoint{.body = R"({"access_token": "planted-arm"})"};
  world.endpoints[kExchange].answer = [](const host::HttpRequest& request) {
    return request.body.ends_with("planted-arm") ? host::HttpReply{.status = 200, .body = R"({"refresh_token": "arm"})"}
                                                 : host::HttpReply{.status = 401};
  };
  ASSERT_TRUE(run("registry.login"));
  EXPECT_THAT(world.disk.at(kRegistryLogin).content, HasSubstr("arm"));
  for (const std::string& note : notes) EXPECT_THAT(note, testing::Not(HasSubstr("planted")));
}

TEST_F(Login, RefusesATokenThatMayNotRead) {
  const auto token = [](std::string_view claims) { return "h." + base64_encode(claims) + ".s"; };
  EXPECT_TRUE(may_read(token(R"({"permissions":{"actions":["read","write"]}})")));
  EXPECT_FALSE(may_read(token(R"({"permissions":{"actions":["write"]}})")));
  EXPECT_FALSE(may_read(token(R"({"permissions":{}})")));
  EXPECT_TRUE(may_read(token(R"({"sub":"x"})")));
  EXPECT_TRUE(may_read("not a JWT"));
}

// --- single steps

}  // namespace
}  // namespace sunup::plan
