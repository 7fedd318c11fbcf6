#include "render/node/imds.h"

#include <gtest/gtest.h>

namespace sunup::render::node {
namespace {

constexpr const char* kAnswer = R"({
  "compute": {"vmSize": "Standard_D4s_v5", "tagsList": [
    {"name": "aks-managed-orchestrator", "value": "Kubernetes:1.34.1"},
    {"name": "SkipGpuDriverInstall", "value": "TRUE"},
    {"name": "my-shouldenforcekubepmcinstall-tag", "value": "no"}]},
  "network": {"interface": [
    {"ipv4": {"ipAddress": [{"privateIpAddress": "10.224.0.4", "publicIpAddress": ""}, {"privateIpAddress": "10.224.0.5"}],
              "subnet": [{"address": "10.224.0.0", "prefix": "16"}]},
     "ipv6": {"ipAddress": []}, "macAddress": "0022480A1B2C"},
    {"ipv4": {"ipAddress": [{"privateIpAddress": "10.225.0.4"}]},
     "ipv6": {"ipAddress": [{"privateIpAddress": "fd00::5"}]}, "macAddress": "00-22-48-0a-1b-2d"}]}})";

TEST(Imds, ReadsAddressesInterfacesSizeAndTags) {
  const auto facts = parse_imds(kAnswer);
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->vm_size, "Standard_D4s_v5");
  EXPECT_EQ(facts->primary_ipv4(), "10.224.0.4");
  EXPECT_EQ(facts->primary_ipv6(), "");
  ASSERT_EQ(facts->interfaces.size(), 2U);
  EXPECT_EQ(facts->interfaces[0].mac, "00:22:48:0a:1b:2c");
  EXPECT_EQ(facts->interfaces[1].mac, "00:22:48:0a:1b:2d");
  EXPECT_EQ(facts->interfaces[1].ipv6, std::vector<std::string>{"fd00::5"});
}

TEST(Imds, ATagIsFoundByPartOfItsNameWhateverTheCase) {
  const auto facts = parse_imds(kAnswer);
  EXPECT_EQ(facts->tag("skipgpudriverinstall"), true);
  EXPECT_EQ(facts->tag("ShouldEnforceKubePMCInstall"), false);
  EXPECT_EQ(facts->tag("EnableManagedGPUExperience"), std::nullopt);
}

TEST(Imds, TheFirstOfTwoMatchingTagsDecides) {
  const auto facts =
      parse_imds(R"({"compute":{"tagsList":[{"name":"a-x","value":"false"},{"name":"x","value":"true"}]}})");
  EXPECT_EQ(facts->tag("x"), false);
}

// VM sizes without IPv6 omit the member, set it to null, or give it another type. The other members must still be read.
class ImdsShape : public testing::TestWithParam<const char*> {};

TEST_P(ImdsShape, OddShapesLoseOnlyThemselves) {
  const auto facts = parse_imds(GetParam());
  ASSERT_TRUE(facts) << facts.error().what;
  EXPECT_EQ(facts->vm_size, "S");
  EXPECT_EQ(facts->primary_ipv6(), "");
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, ImdsShape,
    testing::Values(R"({"compute":{"vmSize":"S"}})", R"({"compute":{"vmSize":"S","tagsList":null},"network":null})",
                    R"({"compute":{"vmSize":"S","tagsList":{}},"network":{"interface":{}}})",
                    R"({"compute":{"vmSize":"S","tagsList":["x",1,{"name":1,"value":2}]},"network":{"interface":[1]}})",
                    R"({"compute":{"vmSize":"S"},"network":{"interface":[{"ipv4":[],"ipv6":null,"macAddress":7}]}})",
                    R"({"compute":{"vmSize":"S"},"network":{"interface":[{"ipv6":{"ipAddress":[{}]}}]}})"));

TEST(Imds, AMacAddressThatIsNoneIsNotKnown) {
  const auto facts =
      parse_imds(R"({"network":{"interface":[{"macAddress":"0022480A1B"},{"macAddress":"zz22480A1B2C"}]}})");
  ASSERT_EQ(facts->interfaces.size(), 2U);
  EXPECT_EQ(facts->interfaces[0].mac, "");
  EXPECT_EQ(facts->interfaces[1].mac, "");
}

TEST(Imds, WhatIsNotAnObjectIsAnErrorWithItsExitCode) {
  for (const char* body : {"", "<html>busy</html>", "[]", "null", "{\"compute\":"}) {
    const auto facts = parse_imds(body);
    ASSERT_FALSE(facts) << body;
    EXPECT_EQ(facts.error().code, 234);
  }
}

}  // namespace
}  // namespace sunup::render::node
