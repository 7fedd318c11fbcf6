#include "fleet/sources/azure_cloud.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/resolve/test_node.h"

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
  TestNode test;
  test.settings["cloud"] = "azureusgovernment";
  test.settings["location"] = "usgovvirginia";
  const Resolution node = test.resolve();
  for (const Var var : {Var::kTargetCloud, Var::kTargetEnvironment}) {
    EXPECT_EQ(node.variables.text(var), "AzureUSGovernmentCloud");
    EXPECT_EQ(node.variables.at(var).origin().source, Source::kSettings);
  }
}

TEST(AzureCloud, IsTheLocationsWhereNobodyNamesOne) {
  TestNode test;
  test.settings["location"] = "chinaeast2";
  EXPECT_EQ(test.resolve().variables.text(Var::kTargetCloud), "AzureChinaCloud");
}

TEST(AzureCloud, ThatALocationIsNotInIsWarnedOf) {
  TestNode test;
  test.settings["cloud"] = "AzureChinaCloud";
  test.resolve();
  EXPECT_THAT(describe(test.findings, Severity::kWarning),
              HasSubstr("cloud: is AzureChinaCloud, but location eastus is in AzurePublicCloud"));
}

}  // namespace
}  // namespace sunup::fleet
