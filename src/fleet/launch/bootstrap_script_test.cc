#include "fleet/launch/bootstrap_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/launch/test_launch.h"

namespace sunup::fleet {
namespace {

using ::testing::HasSubstr;

TEST(BootstrapScript, AssignsEveryNameOfTheContractInOrder) {
  const std::vector<Assignment> lines = assignments(BootstrapVariables(CheckedNode().resolve()));
  ASSERT_EQ(lines.size(), 129u);  // of 131, one needs a custom cloud and one a certificate
  EXPECT_EQ(lines[0].name, "ADMINUSER");
  EXPECT_EQ(lines[5].name, "KUBE_BINARY_URL");
  EXPECT_EQ(lines[47].name, "KUBE_BINARY_URL");
  EXPECT_EQ(lines[48].name, "USER_ASSIGNED_IDENTITY_ID");
  EXPECT_EQ(lines[69].name, "CUSTOM_CA_TRUST_COUNT");
  EXPECT_EQ(lines[124].name, "IS_KATA");
  EXPECT_EQ(lines[128].name, "CSE_TIMEOUT");
}

TEST(BootstrapScript, CarriesCustomCertificates) {
  CheckedNode test;
  test.settings["custom-ca-certs"] = R"(["QUFB", "QkJC"])";
  const std::string script = bootstrap_script(BootstrapVariables(test.resolve()));
  EXPECT_THAT(script, HasSubstr("SHOULD_CONFIGURE_CUSTOM_CA_TRUST=\"true\"\nCUSTOM_CA_TRUST_COUNT=\"2\"\n"
                                "CUSTOM_CA_CERT_0=\"QUFB\"\nCUSTOM_CA_CERT_1=\"QkJC\"\n"));
}

}  // namespace
}  // namespace sunup::fleet
