#include "render/node/motd.h"

#include <gtest/gtest.h>

namespace sunup::render::node {
namespace {

Configuration greeting(const char* text) {
  Configuration config;
  config.set_message_of_the_day(text);
  return config;
}

TEST(Motd, IsDecodedIntoItsFile) {
  EXPECT_TRUE(motd_files({}, {})->empty());
  const auto files = motd_files(greeting("Zm9vYmFyDQo="), {});
  ASSERT_EQ(files->size(), 1U);
  EXPECT_EQ(files->front().path, "/etc/motd");
  EXPECT_EQ(files->front().content, "foobar\r\n");
}

TEST(Motd, UbuntuNeedsAProgramThatPrintsIt) {
  NodeFacts facts = golden_image(Distro::kUbuntu2204);
  facts.paths.insert("/etc/update-motd.d");
  const auto files = motd_files(greeting("eA=="), facts);
  ASSERT_EQ(files->size(), 2U);
  EXPECT_EQ((*files)[1].path, "/etc/update-motd.d/99-aks-custom-motd");
  EXPECT_EQ((*files)[1].mode, 0755U);
}

TEST(Motd, DnfsAutomaticUpdatesDoNotOverwriteIt) {
  NodeFacts facts = golden_image(Distro::kAzureLinux3);
  facts.texts["/etc/dnf/automatic.conf"] = "[emitters]\nemit_via = motd\n";
  const auto files = motd_files(greeting("eA=="), facts);
  ASSERT_EQ(files->size(), 2U);
  EXPECT_EQ((*files)[1].content, "[emitters]\nemit_via = stdio\n");
  EXPECT_EQ(without_motd_emitter("emit_via = stdio\n"), "emit_via = stdio\n");
}

}  // namespace
}  // namespace sunup::render::node
