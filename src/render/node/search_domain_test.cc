#include "render/node/search_domain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sunup::render::node {
namespace {

constexpr char kInterfaces[] = "/etc/network/interfaces.d/50-cloud-init.cfg";

Configuration joins(const std::string& domain) {
  Configuration config;
  config.mutable_custom_search_domain_config()->set_domain_name(domain);
  config.mutable_custom_search_domain_config()->set_realm_user("joiner");
  config.mutable_custom_search_domain_config()->set_realm_password("planted");
  return config;
}

TEST(SearchDomain, IsAddedToTheInterfacesOnce) {
  NodeFacts facts = golden_image(Distro::kUbuntu2204);
  facts.texts[kInterfaces] = "auto eth0\niface eth0 inet dhcp";
  const auto files = search_domain_files(joins("corp.example"), facts);
  ASSERT_TRUE(files);
  ASSERT_EQ(files->size(), 1U);
  EXPECT_EQ(files->front().content, "auto eth0\niface eth0 inet dhcp\n  dns-search corp.example\n");
  facts.texts[kInterfaces] = files->front().content;
  EXPECT_EQ(search_domain_files(joins("corp.example"), facts)->front().content, files->front().content);
}

TEST(SearchDomain, WithoutAllOfItsPartsIsNone) {
  Configuration config = joins("corp.example");
  config.mutable_custom_search_domain_config()->clear_realm_password();
  EXPECT_FALSE(has_search_domain(config));
  EXPECT_TRUE(search_domain_files(config, golden_image(Distro::kUbuntu2204))->empty());
}

TEST(SearchDomain, IsANameAndNoLineOfItsOwn) {
  const auto files = search_domain_files(joins("a\n  post-up reboot"), golden_image(Distro::kUbuntu2204));
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().code, 80);
}

TEST(SearchDomain, RealmsAreWrittenInCapitals) {
  EXPECT_EQ(realm_of(joins("corp.example")), "CORP.EXAMPLE");
}

}  // namespace
}  // namespace sunup::render::node
