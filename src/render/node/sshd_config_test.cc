#include "render/node/sshd_config.h"

#include <gtest/gtest.h>

namespace sunup::render::node {
namespace {

TEST(SshdConfig, AGlobalSettingIsReplacedAndAMatchBlockIsNot) {
  EXPECT_EQ(without_pubkey_auth("Port 22\nPubkeyAuthentication yes\nMatch User a\n  PubkeyAuthentication yes\n"),
            "Port 22\nPubkeyAuthentication no\nMatch User a\n  PubkeyAuthentication yes\n");
}

TEST(SshdConfig, WithoutASettingItGoesBeforeTheFirstMatch) {
  EXPECT_EQ(without_pubkey_auth("Port 22\nMatch User a\n  PubkeyAuthentication yes\nMatch all\n"),
            "Port 22\nPubkeyAuthentication no\nMatch User a\n  PubkeyAuthentication yes\nMatch all\n");
}

TEST(SshdConfig, WithoutAnyMatchItGoesToTheEnd) {
  EXPECT_EQ(without_pubkey_auth("Port 22"), "Port 22\nPubkeyAuthentication no\n");
  EXPECT_EQ(without_pubkey_auth(""), "PubkeyAuthentication no\n");
}

TEST(SshdConfig, EverySpellingOfTheSettingCounts) {
  EXPECT_EQ(without_pubkey_auth("  pubkeyauthentication=yes\nPUBKEYAUTHENTICATION\tyes\n"),
            "PubkeyAuthentication no\nPubkeyAuthentication no\n");
}

TEST(SshdConfig, CommentsAndLongerNamesAreLeftAlone) {
  EXPECT_EQ(without_pubkey_auth("#PubkeyAuthentication yes\nPubkeyAuthOptions none\nMatchless x\n"),
            "#PubkeyAuthentication yes\nPubkeyAuthOptions none\nMatchless x\nPubkeyAuthentication no\n");
}

TEST(SshdConfig, EditingTwiceChangesNothingMore) {
  const std::string once = without_pubkey_auth("Port 22\nMatch User a\n");
  EXPECT_EQ(without_pubkey_auth(once), once);
}

TEST(SshdConfigFiles, OnlyWhenAskedForAndSshStaysOn) {
  Configuration config;
  EXPECT_TRUE(sshd_config_files(config, {})->empty());
  config.set_disable_pubkey_auth(true);
  const auto files = sshd_config_files(config, {});
  ASSERT_EQ(files->size(), 1U);
  EXPECT_EQ(files->front().mode, 0600U);
  config.set_enable_ssh(false);
  EXPECT_TRUE(sshd_config_files(config, {})->empty());
}

}  // namespace
}  // namespace sunup::render::node
