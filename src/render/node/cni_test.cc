#include "render/node/cni.h"

#include <gtest/gtest.h>

namespace sunup::render::node {
namespace {

Configuration azure(const char* url) {
  Configuration config;
  config.mutable_network_config()->set_network_plugin(aksnodeconfig::v1::NETWORK_PLUGIN_AZURE);
  config.mutable_network_config()->set_vnet_cni_plugins_url(url);
  return config;
}

constexpr const char* kUrl = "https://packages/azure-cni/azure-vnet-cni-linux-amd64-v1.6.21.tgz?sig=x";

NodeFacts having(std::vector<const char*> files) {
  NodeFacts facts;
  facts.distro = Distro::kUbuntu2204;
  for (const char* file : files) facts.paths.insert(file);
  return facts;
}

TEST(CniPlan, ACachedFolderIsBetterThanAnArchiveAndThatThanADownload) {
  const char* folder = "/opt/cni/downloads/azure-vnet-cni-linux-amd64-v1.6.21";
  const char* archive = "/opt/cni/downloads/azure-vnet-cni-linux-amd64-v1.6.21.tgz";
  EXPECT_EQ(cni_plan(azure(kUrl), having({folder, archive}))->azure, CniAction::kMoveFolder);
  EXPECT_EQ(cni_plan(azure(kUrl), having({folder, archive}))->azure_source, folder);
  EXPECT_EQ(cni_plan(azure(kUrl), having({archive}))->azure, CniAction::kExtractArchive);
  EXPECT_EQ(cni_plan(azure(kUrl), having({}))->azure, CniAction::kDownload);
  EXPECT_EQ(cni_plan(azure(kUrl), having({}))->azure_source, kUrl);
}

TEST(CniPlan, WhatAnEarlierRunInstalledIsNotFetchedAgain) {
  EXPECT_EQ(cni_plan(azure(kUrl), having({"/opt/cni/bin/azure-vnet", "/etc/cni/net.d/10-azure.conflist"}))->azure,
            CniAction::kNone);
}

TEST(CniPlan, OtherPluginsNeedTheReferenceOnes) {
  EXPECT_FALSE(cni_plan({}, having({"/opt/cni/bin/bridge"}))->reference_plugins_there);
  EXPECT_TRUE(cni_plan({}, having({"/opt/cni/bin/bridge", "/opt/cni/bin/host-local", "/opt/cni/bin/loopback"}))
                  ->reference_plugins_there);
}

TEST(CniPlan, NowhereToGetItFromIsAnErrorWithItsExitCode) {
  EXPECT_EQ(cni_plan(azure(""), having({})).error().code, 41);
  NodeFacts sealed = having({});
  sealed.distro = Distro::kOsGuard;
  EXPECT_TRUE(cni_plan(azure(""), sealed));
}

TEST(AzureConflist, CalicoNeedsTransparentMode) {
  Configuration config = azure(kUrl);
  EXPECT_EQ(azure_conflist(R"({"mode":"bridge"})", config), R"({"mode":"bridge"})");
  config.mutable_network_config()->set_network_policy(aksnodeconfig::v1::NETWORK_POLICY_CALICO);
  EXPECT_EQ(azure_conflist(R"({"mode":"bridge"})", config), R"({"mode":"transparent"})");
}

TEST(CniFiles, TheListIsForRootOnly) {
  NodeFacts facts = having({});
  EXPECT_TRUE(cni_files(azure(kUrl), facts)->empty());
  facts.texts["/opt/cni/bin/10-azure.conflist"] = "{}";
  EXPECT_EQ(cni_files(azure(kUrl), facts)->front().mode, 0600U);
  EXPECT_TRUE(cni_files({}, facts)->empty());
}

}  // namespace
}  // namespace sunup::render::node
