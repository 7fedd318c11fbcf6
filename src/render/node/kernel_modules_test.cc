#include "render/node/kernel_modules.h"

#include <gtest/gtest.h>

namespace sunup::render::node {
namespace {

NodeFacts ubuntu(const char* version, const char* kernel) {
  NodeFacts facts;
  facts.distro = std::string(version) == "22.04" ? Distro::kUbuntu2204 : Distro::kUbuntuOther;
  facts.os_version = version;
  facts.kernel_release = kernel;
  return facts;
}

TEST(ModuleLoadFiles, HoldTheNameAndNoNewline) {
  const auto files = module_load_files({}, {});
  ASSERT_EQ(files->size(), 2U);
  EXPECT_EQ((*files)[0].content, "br_netfilter");
  EXPECT_EQ((*files)[1].path, "/etc/modules-load.d/nf_conntrack.conf");
}

TEST(ModulesToLoad, DualStackNeedsOneMore) {
  Configuration config;
  EXPECT_EQ(modules_to_load(config).size(), 3U);
  config.set_ipv6_dual_stack_enabled(true);
  EXPECT_EQ(modules_to_load(config).back(), "ip6_tables");
}

TEST(ModuleMitigation, FollowsTheUbuntuKernel) {
  const auto decided = [](const char* version, const char* kernel) {
    return module_mitigation(ubuntu(version, kernel));
  };
  EXPECT_EQ(decided("20.04", "5.15.0-9999-azure"), Mitigation::kApply);
  EXPECT_EQ(decided("22.04", "5.15.0-1115-azure"), Mitigation::kApply);
  EXPECT_EQ(decided("22.04", "5.15.0-1116-azure"), Mitigation::kRemove);
  EXPECT_EQ(decided("22.04", "5.15.0-1200-azure-fde"), Mitigation::kRemove);
  EXPECT_EQ(decided("22.04", "5.15.0-1100-azure-fips"), Mitigation::kApply);
  EXPECT_EQ(decided("22.04", "5.15.0-180-generic"), Mitigation::kApply);
  EXPECT_EQ(decided("22.04", "5.15.0-181-generic"), Mitigation::kRemove);
  EXPECT_EQ(decided("24.04", "6.8.0-1057-azure"), Mitigation::kApply);
  EXPECT_EQ(decided("24.04", "6.8.0-1058-azure"), Mitigation::kRemove);
  EXPECT_EQ(decided("24.04", "6.11.0-1001-azure"), Mitigation::kRemove);
  EXPECT_EQ(decided("24.04", "6.8.0-123-generic"), Mitigation::kApply);
  EXPECT_EQ(decided("24.04", "6.8.0-2000-nvidia"), Mitigation::kApply);
  EXPECT_EQ(decided("26.04", "7.0.0-1-azure"), Mitigation::kRemove);
  EXPECT_EQ(decided("", "5.15.0-1116-azure"), Mitigation::kApply);
  EXPECT_EQ(decided("22.04", ""), Mitigation::kApply);
}

TEST(ModuleMitigation, OtherDistrosDoNotLookAtTheKernel) {
  NodeFacts facts;
  facts.distro = Distro::kOsGuard;
  EXPECT_EQ(module_mitigation(facts), Mitigation::kApply);
  facts.distro = Distro::kMariner2;
  EXPECT_EQ(module_mitigation(facts), Mitigation::kApply);
  for (const Distro distro : {Distro::kAzureLinux3, Distro::kFlatcar, Distro::kAcl}) {
    facts.distro = distro;
    EXPECT_EQ(module_mitigation(facts), Mitigation::kNone);
  }
}

TEST(ModuleMitigation, ApplyingWritesAFileForEachModule) {
  const auto files = module_mitigation_files({}, ubuntu("22.04", "5.15.0-1000-azure"));
  ASSERT_EQ(files->size(), 4U);
  EXPECT_EQ((*files)[1].path, "/etc/modprobe.d/disable-esp4.conf");
  EXPECT_EQ((*files)[1].content, "install esp4 /bin/false\nblacklist esp4\n");
}

TEST(ModuleMitigation, RemovingEditsOnlyFilesThatDeny) {
  NodeFacts facts = ubuntu("22.04", "5.15.0-1116-azure");
  facts.texts = {{"/etc/modprobe.d/disable-esp4.conf", "install esp4 /bin/false\nblacklist esp4\n"},
                 {"/etc/modprobe.d/cis.conf", "install cramfs /bin/false\n"},
                 {"/etc/other.conf", "blacklist esp4\n"}};
  const auto files = module_mitigation_files({}, facts);
  ASSERT_EQ(files->size(), 1U);
  EXPECT_EQ(files->front().path, "/etc/modprobe.d/disable-esp4.conf");
  EXPECT_EQ(files->front().content, "");
}

TEST(WithoutDenyRules, RemovesRulesWithTrailingTextAndKeepsTheRest) {
  EXPECT_EQ(without_deny_rules("# why\ninstall esp4 /bin/false # CVE\nblacklist rxrpc   \n\tinstall  esp6\t/bin/false\n"
                               "blacklist esp44\ninstall esp4 /bin/true\nblacklist floppy\nblacklist algif_aead"),
            "# why\nblacklist esp44\ninstall esp4 /bin/true\nblacklist floppy\n");
  EXPECT_EQ(without_deny_rules("options esp4 x=1"), "options esp4 x=1");
  EXPECT_EQ(without_deny_rules(""), "");
}

}  // namespace
}  // namespace sunup::render::node
