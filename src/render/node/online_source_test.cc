#include "render/node/online_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/node/component_list.h"
#include "render/node/package_tool.h"

namespace sunup::render::node {
namespace {

using testing::ElementsAre;

TEST(OnlineSource, IsKnownByTheEcosystemsExitCodes) {
  constexpr const char* kProvider = "azure-acr-credential-provider";
  EXPECT_EQ(failure_code(SourceKind::kUrl, "kubelet"), 31);
  EXPECT_EQ(failure_code(SourceKind::kUrl, kProvider), 205);
  EXPECT_EQ(failure_code(SourceKind::kRegistry, "kubectl"), 207);
  EXPECT_EQ(failure_code(SourceKind::kRegistry, kProvider), 208);
  EXPECT_EQ(failure_code(SourceKind::kOnlineSysext, "kubelet"), 231);
  EXPECT_EQ(failure_code(SourceKind::kOnlinePackage, "kubelet"), 121);
  EXPECT_EQ(failure_code(SourceKind::kOnlinePackage, "kubectl"), 122);
  EXPECT_EQ(failure_code(SourceKind::kOnlinePackage, kProvider), 205);
  EXPECT_EQ(failure_code(SourceKind::kCachedPackage, "kubelet"), 9);
}

TEST(OnlineSource, DownloadsOfDifferentVersionsNeverShareAFile) {
  const NodeFacts facts;
  const BinarySource one{SourceKind::kUrl, "https://p/v1.33.1/kubernetes-node-linux-amd64.tar.gz?sig=s", ""};
  const BinarySource two{SourceKind::kUrl, "https://p/v1.33.2/kubernetes-node-linux-amd64.tar.gz", ""};
  EXPECT_EQ(download_path(one, "kubelet", facts),
            "/opt/kubernetes/downloads/p_v1.33.1_kubernetes-node-linux-amd64.tar.gz");
  EXPECT_NE(download_path(one, "kubelet", facts), download_path(two, "kubelet", facts));
  const BinarySource long_one{SourceKind::kUrl, "https://p/" + std::string(400, 'x') + "/a.tgz", ""};
  EXPECT_LT(download_path(long_one, "kubelet", facts).size(), 240U);
}

TEST(OnlineSource, CredentialsOfAUrlAreNotInTheNameOfItsFile) {
  const NodeFacts facts;
  for (const char* url : {"https://user:Passw0rd@h.example/d/kube.tgz", "https://T0ken@h.example/d/kube.tgz",
                          "user:p@ss@h.example/d/kube.tgz"})
    EXPECT_EQ(download_path({SourceKind::kUrl, url, ""}, "kubelet", facts),
              "/opt/kubernetes/downloads/h.example_d_kube.tgz");
  EXPECT_EQ(download_path({SourceKind::kUrl, "https://h/a@b/kube.tgz", ""}, "kubelet", facts),
            "/opt/kubernetes/downloads/h_a_b_kube.tgz");
}

TEST(OnlineSource, AnExtensionIsKeptUnderANameThatCountsAsCached) {
  NodeFacts facts;
  facts.distro = Distro::kFlatcar;
  const BinarySource source{SourceKind::kOnlineSysext, "mcr.microsoft.com/x", "v1.34.1"};
  const std::string path = download_path(source, "kubelet", facts);
  EXPECT_EQ(path, "/opt/kubelet/downloads/kubelet-v1.34.1-online-x86-64.raw");
  facts.paths = {path, path + ".part"};
  Configuration config;
  config.set_kubernetes_version("1.34.1");
  EXPECT_EQ(kube_binary_sources("kubelet", config, facts)->front(),
            (BinarySource{SourceKind::kCachedSysext, path, ""}));
}

TEST(SysextTag, IsTheNewestForExactlyThisVersionAndArchitecture) {
  const std::vector<std::string> tags = {"v1.34.1-9-azlinux3-amd64",
                                         "v1.34.1-10-azlinux3-amd64",
                                         "v1.34.1-11-azlinux3-arm64",
                                         "v1.34.10-1-azlinux3-amd64",
                                         "v1.34.1",
                                         "v1.34.1-azlinux3-amd64"};
  EXPECT_EQ(newest_sysext_tag(tags, "v1.34.1", "amd64"), "v1.34.1-10-azlinux3-amd64");
  EXPECT_EQ(newest_sysext_tag(tags, "v1.34.2", "amd64"), "");
  EXPECT_EQ(newest_sysext_tag({}, "v1.34.1-1-azlinux3-amd64", "amd64"), "v1.34.1-1-azlinux3-amd64");
  EXPECT_EQ(newest_sysext_tag(tags, "v", "arm64"), "v1.34.1-11-azlinux3-arm64");
}

TEST(CredentialProvider, VersionFollowsTheClustersMinor) {
  const std::vector<std::string> versions = {"1.32.7-ubuntu22.04u1", "1.33.2-ubuntu22.04u3", "1.33.10-ubuntu22.04u1",
                                             "1.35.0-ubuntu22.04u1"};
  EXPECT_EQ(credential_provider_version(versions, "1.33.4"), "1.33.10");
  EXPECT_EQ(credential_provider_version(versions, "v1.32.0"), "1.32.7");
  EXPECT_EQ(credential_provider_version(versions, "1.31.0"), "1.35.0");
  EXPECT_EQ(credential_provider_version({}, "1.31.0"), "");
}

TEST(CredentialProvider, TheComponentListNamesVersionsByDistribution) {
  NodeFacts facts;
  facts.distro = Distro::kUbuntu2204;
  const char* list = R"({"Packages":[{"name":"other","downloadURIs":{"ubuntu":{"latestVersion":"9.9.9"}}},)"
                     R"({"name":"azure-acr-credential-provider-pmc","downloadURIs":{"ubuntu":{"r2204":{"versionsV2":[)"
                     R"({"latestVersion":"1.33.5-ubuntu22.04u1"},{"latestVersion":"<SKIP>"}]}},)"
                     R"("azurelinux":{"v3.0":{"versionsV2":[{"latestVersion":"1.34.2-1.azl3"}]}}}}]})";
  EXPECT_THAT(credential_provider_versions(list, facts), ElementsAre("1.33.5-ubuntu22.04u1"));
  facts.distro = Distro::kAzureLinux3;
  EXPECT_THAT(credential_provider_versions(list, facts), ElementsAre("1.34.2-1.azl3"));
  for (const char* none : {"", "{}", "[]", R"({"Packages":7})", R"({"Packages":[7]})"})
    EXPECT_TRUE(credential_provider_versions(none, facts).empty()) << none;
}

TEST(PackageTool, FindsTheNewestRevisionOfExactlyTheVersion) {
  EXPECT_EQ(newest_listed(PackageTool::kApt,
                          "   kubelet | 1.34.1-ubuntu22.04u9 | https://x Packages\n"
                          "   kubelet | 1.34.1-ubuntu22.04u10 | https://x Packages\n"
                          "   kubelet | 1.34.10-ubuntu22.04u1 | https://x Packages\n"
                          "   kubelet-extra | 1.34.1-ubuntu22.04u99 | https://x Packages\n",
                          "kubelet", "1.34.1"),
            "1.34.1-ubuntu22.04u10");
  EXPECT_EQ(newest_listed(PackageTool::kDnf,
                          "Available Packages\nkubelet.x86_64   0:1.34.1-3.azl3   repo\n"
                          "kubelet.src   0:1.34.1-1.azl3   repo\nkubectl.x86_64 0:1.34.1-9.azl3 repo\n",
                          "kubelet", "1.34.1"),
            "1.34.1-3.azl3");
  EXPECT_EQ(newest_listed(PackageTool::kApt, "N: Unable to locate package kubelet\n", "kubelet", "1.34.1"), "");
}

TEST(PackageTool, FetchesWithoutInstalling) {
  EXPECT_THAT(download_command(PackageTool::kApt, "kubelet", "1.34.1-u1", "/d"),
              ElementsAre("apt-get", "download", "kubelet=1.34.1-u1"));
  EXPECT_THAT(download_command(PackageTool::kTdnf, "kubelet", "1.34.1-1", "/d"),
              ElementsAre("tdnf", "-y", "install", "--downloadonly", "--downloaddir", "/d", "kubelet-1.34.1-1"));
  EXPECT_EQ(microsoft_sources("1.34.1").size(), 2U);
  EXPECT_EQ(microsoft_sources("1.34.1~rc1").size(), 4U);
}

}  // namespace
}  // namespace sunup::render::node
