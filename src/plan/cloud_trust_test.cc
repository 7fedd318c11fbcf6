// The cloud's own certificate authorities: which endpoint is asked, and which hook does the work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/test_step.h"

namespace sunup::plan {
namespace {

using host::sim::Endpoint;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

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

}  // namespace
}  // namespace sunup::plan
