#include "render/node/facts.h"

#include <gtest/gtest.h>

#include "render/node/component_list.h"

namespace sunup::render::node {
namespace {

TEST(Facts, WhatIsLeftOutIsAsInAGoldenImage) {
  const auto facts = facts_from_json(R"({"os": "azurelinux3", "hostname": "n1"})");
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->distro, Distro::kAzureLinux3);
  EXPECT_EQ(facts->os_version, "3.0");
  EXPECT_EQ(facts->hostname, "n1");
  EXPECT_TRUE(facts->has_unit("localdns.service"));
  EXPECT_FALSE(facts->tag("SkipGpuDriverInstall"));
  EXPECT_EQ(facts->primary_ipv4(), "");
}

TEST(Facts, AnEmptyListOfPathsMeansAnImageWithoutThem) {
  const auto facts = facts_from_json(R"({"paths": []})");
  EXPECT_FALSE(facts->has_unit("localdns.service"));
}

TEST(Facts, AUnitIsFoundWhereTheAdministratorOfTheImageHasPutIt) {
  const auto facts = facts_from_json(R"({"paths": ["/usr/local/lib/systemd/system/localdns.service"]})");
  EXPECT_TRUE(facts->has_unit("localdns.service"));
}

TEST(Facts, AWrongTypeIsNamed) {
  EXPECT_EQ(facts_from_json(R"({"os": "windows"})").error().what,
            "facts: \"os\" must be the name of a known distribution");
  EXPECT_EQ(facts_from_json(R"({"hostname": 1})").error().what, "facts: \"hostname\" must be a string");
  EXPECT_EQ(facts_from_json(R"({"texts": {"/a": 1}})").error().what, "facts: \"texts\" must be an object of strings");
  EXPECT_FALSE(facts_from_json("[]"));
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  EXPECT_EQ(facts_from_json("{\"imds\":" + deep + "}").error().what, "facts: nested too deeply");
  EXPECT_EQ(facts_from_json(R"({"version": "v1"})").error().what, "facts: unknown member \"version\"");
  EXPECT_FALSE(facts_from_json(R"({"modes": {"/a": "999"}})"));
  EXPECT_EQ(facts_from_json(R"({"modes": {"/a": "0640"}})")->mode("/a"), 0640U);
}

TEST(ComponentList, ThatIsNestedWithoutEndHasNoVersions) {
  const std::string before = R"({"Packages":[{"name":"azure-acr-credential-provider-pmc","downloadURIs":)";
  const std::string version = R"({"latestVersion":"1.32.3"})";
  const NodeFacts facts = golden_image(Distro::kUbuntu2204);
  EXPECT_EQ(credential_provider_versions(before + version + "}]}", facts).size(), 1u);
  std::string deep = version;
  for (int i = 0; i < 3; ++i) deep = std::string(100'000, '[') + deep + std::string(100'000, ']');
  EXPECT_TRUE(credential_provider_versions(before + deep + "}]}", facts).empty());
}

}  // namespace
}  // namespace sunup::render::node
