#include "fleet/sources/azure_cloud.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/launch/test_launch.h"

namespace sunup::fleet {
namespace {

using ::testing::HasSubstr;

TEST(AzureCloud, IsKnownByEitherNameInAnyLetterCase) {
  EXPECT_EQ(cloud_name("AzurePublicCloud"), "AzurePublicCloud");
  EXPECT_EQ(cloud_name("AZUREUSGOVERNMENT"), "AzureUSGovernmentCloud");
  EXPECT_EQ(cloud_name("azurechinacloud"), "AzureChinaCloud");
  EXPECT_EQ(cloud_name("azuregerman"), "AzureGermanCloud");
  EXPECT_EQ(cloud_name("Foo"), "");
  EXPECT_EQ(cloud_name(""), "");
}

TEST(AzureCloud, ReachesTheNode) {
  CheckedNode test;
  test.settings["cloud"] = "azureusgovernment";
  test.settings["location"] = "usgovvirginia";
  const BootstrapVariables variables(test.resolve());
  for (const Var var : {Var("TargetCloud"), Var("TargetEnvironment")}) {
    EXPECT_EQ(variables.text(var), "AzureUSGovernmentCloud");
    EXPECT_EQ(variables.at(var).origin().source, Source::kSettings);
  }
}

TEST(AzureCloud, IsTheLocationsWhereNobodyNamesOne) {
  CheckedNode test;
  test.settings["location"] = "chinaeast2";
  EXPECT_EQ(BootstrapVariables(test.resolve()).text("TargetCloud"), "AzureChinaCloud");
}

TEST(AzureCloud, ThatALocationIsNotInIsWarnedOf) {
  CheckedNode test;
  test.settings["cloud"] = "AzureChinaCloud";
  test.resolve();
  EXPECT_THAT(describe(test.findings, Severity::kWarning),
              HasSubstr("cloud: is AzureChinaCloud, but location eastus is in AzurePublicCloud"));
}

}  // namespace
}  // namespace sunup::fleet
