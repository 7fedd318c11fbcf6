#include "render/node/binary_source.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace sunup::render::node {
namespace {

Configuration version(const char* text) {
  Configuration config;
  config.set_kubernetes_version(text);
  config.mutable_kube_binary_config()->set_kube_binary_url("https://packages/k.tar.gz");
  config.mutable_kube_binary_config()->set_linux_credential_provider_url("https://packages/provider-1.30.tar.gz");
  return config;
}

NodeFacts image(Distro distro, std::vector<const char*> files) {
  NodeFacts facts;
  facts.distro = distro;
  for (const char* file : files) facts.paths.insert(file);
  return facts;
}

NodeFacts tagged(NodeFacts facts, const char* tag) {
  facts.imds.emplace();
  facts.imds->tags = {{tag, "true"}};
  return facts;
}

BinarySource first(const Configuration& config, const NodeFacts& facts, const char* tool = "kubelet") {
  return kube_binary_sources(tool, config, facts)->front();
}

TEST(NewestCached, OneDotThirtyFourDotOneIsNotInOneDotThirtyFourDotTen) {
  const NodeFacts facts = image(Distro::kUbuntu2204, {"/opt/kubelet/downloads/kubelet_1.34.10-ubuntu22.04u1_amd64.deb",
                                                      "/opt/kubelet/downloads/kubelet_11.34.1-x_amd64.deb"});
  EXPECT_EQ(newest_cached(facts, "/opt/kubelet/downloads", "kubelet", "1.34.1"), "");
}

TEST(NewestCached, TheHighestRevisionWins) {
  const NodeFacts facts =
      image(Distro::kUbuntu2204, {"/opt/kubelet/downloads/kubelet_1.34.1-ubuntu22.04u9_amd64.deb",
                                  "/opt/kubelet/downloads/kubelet_1.34.1-ubuntu22.04u10_amd64.deb",
                                  "/opt/kubelet/downloads/kubectl_1.34.1-ubuntu22.04u99_amd64.deb",
                                  "/opt/kubelet/downloads/old/kubelet_1.34.1-ubuntu22.04u99_amd64.deb"});
  EXPECT_EQ(newest_cached(facts, "/opt/kubelet/downloads", "kubelet", "1.34.1"),
            "/opt/kubelet/downloads/kubelet_1.34.1-ubuntu22.04u10_amd64.deb");
}

TEST(NewestCached, ASuffixAfterTheVersionIsFine) {
  for (const char* name : {"/d/kubelet-1.34.1+azure-1.rpm", "/d/kubelet-0:1.34.1.rpm", "/d/kubelet-1.34.1"})
    EXPECT_EQ(newest_cached(image(Distro::kAzureLinux3, {name}), "/d", "kubelet", "1.34.1"), name);
}

TEST(KubeBinary, UrlBelowOneThirtyFourAndPackagesFromThere) {
  EXPECT_EQ(first(version("1.33.9"), image(Distro::kUbuntu2204, {"/opt/bin/kubelet-1.33.9"})),
            (BinarySource{SourceKind::kCachedBinary, "/opt/bin/kubelet-1.33.9", ""}));
  EXPECT_EQ(first(version("1.33.9"), image(Distro::kUbuntu2204, {"/opt/bin/kubelet-1.33.10"})),
            (BinarySource{SourceKind::kUrl, "https://packages/k.tar.gz", ""}));
  const char* deb = "/opt/kubelet/downloads/kubelet_1.34.0-1_amd64.deb";
  EXPECT_EQ(first(version("1.34.0"), image(Distro::kUbuntu2204, {deb})),
            (BinarySource{SourceKind::kCachedPackage, deb, ""}));
  EXPECT_EQ(first(version("v1.34.0"), image(Distro::kUbuntu2204, {})),
            (BinarySource{SourceKind::kOnlinePackage, "kubelet", "1.34.0"}));
}

TEST(KubeBinary, ACachedBinaryIsCheaperThanACachedPackage) {
  const auto facts =
      image(Distro::kUbuntu2204, {"/opt/bin/kubelet-1.34.1", "/opt/kubelet/downloads/kubelet_1.34.1-1_amd64.deb"});
  EXPECT_EQ(first(version("1.34.1"), facts).kind, SourceKind::kCachedBinary);
  EXPECT_EQ(first(version("1.34.1"), tagged(facts, "ShouldEnforceKubePMCInstall")).kind, SourceKind::kCachedPackage);
}

TEST(KubeBinary, OsGuardPrefersItsPackage) {
  const auto facts =
      image(Distro::kOsGuard, {"/opt/bin/kubelet-1.34.1", "/opt/kubelet/downloads/kubelet-1.34.1-1.rpm"});
  EXPECT_EQ(first(version("1.34.1"), facts).kind, SourceKind::kCachedPackage);
}

TEST(KubeBinary, TheEnforcementTagOverridesTheVersion) {
  EXPECT_EQ(first(version("1.30.0"), tagged(image(Distro::kUbuntu2204, {}), "ShouldEnforceKubePMCInstall")).kind,
            SourceKind::kOnlinePackage);
}

TEST(KubeBinary, MarinerHasOnlyUrls) {
  EXPECT_EQ(first(version("1.34.1"), image(Distro::kMariner2, {})).kind, SourceKind::kUrl);
}

TEST(KubeBinary, ACustomUrlIsHonouredForEveryVersion) {
  Configuration config = version("1.35.0");
  config.mutable_kube_binary_config()->set_custom_kube_binary_url("https://mine/k.tar.gz");
  const auto sources = kube_binary_sources("kubelet", config, image(Distro::kUbuntu2404, {"/opt/bin/kubelet-1.35.0"}));
  EXPECT_EQ(*sources, (BinarySources{{SourceKind::kUrl, "https://mine/k.tar.gz", ""}}));
}

TEST(KubeBinary, APrivateUrlMeansTheCopyInTheImage) {
  Configuration config = version("1.30.0");
  config.mutable_kube_binary_config()->set_private_kube_binary_url("https://x/v1.30.0-hotfix.tar.gz");
  const char* archive = "/opt/kubernetes/downloads/private-packages/v1.30.0-hotfix.tar.gz";
  EXPECT_EQ(first(config, image(Distro::kUbuntu2204, {archive})).where, archive);
}

TEST(KubeBinary, AnIsolatedClusterPullsPackagesAndFallsBackToArchives) {
  Configuration config = version("1.34.1~rc1");
  config.set_bootstrap_profile_container_registry_server("r.azurecr.io");
  const auto sources = kube_binary_sources("kubectl", config, image(Distro::kUbuntu2204, {}));
  EXPECT_EQ((*sources)[0],
            (BinarySource{SourceKind::kRegistry, "r.azurecr.io/aks/packages/kubernetes/kubectl:v1.34.1-rc1", ""}));
  EXPECT_EQ((*sources)[1].where, "r.azurecr.io/oss/binaries/kubernetes/kubernetes-node:v1.34.1-rc1-linux-amd64");
  EXPECT_EQ(
      kube_binary_sources("kubectl", config, tagged(image(Distro::kUbuntu2204, {}), "ShouldEnforceKubePMCInstall"))
          ->size(),
      1U);
}

TEST(KubeBinary, FlatcarMergesASysextWhateverTheVersion) {
  const char* raw = "/opt/kubelet/downloads/kubelet-v1.32.4-1-azlinux3-x86-64.raw";
  EXPECT_EQ(
      first(version("1.32.4"), image(Distro::kFlatcar, {raw, "/opt/kubelet/downloads/kubelet-v1.32.40-1-x86-64.raw"})),
      (BinarySource{SourceKind::kCachedSysext, raw, ""}));
  EXPECT_EQ(first(version("1.32.4"), image(Distro::kFlatcar, {})),
            (BinarySource{SourceKind::kOnlineSysext, "mcr.microsoft.com/oss/v2/kubernetes/kubelet-sysext", "v1.32.4"}));
}

TEST(KubeBinary, OneThatStandsInPlaceIsBetterThanADownloadIfItIsKnownToBeTheVersion) {
  for (const char* wanted : {"1.33.2", "v1.34.1"}) {
    NodeFacts facts = image(Distro::kUbuntu2204, {"/opt/bin/kubelet"});
    EXPECT_EQ(first(version(wanted), facts).kind, SourceKind::kUnmarked) << "nobody wrote down what it is";
    facts.in_place["kubelet"] = "1.30.0";
    const SourceKind kind = first(version(wanted), facts).kind;
    EXPECT_TRUE(kind != SourceKind::kInPlace && kind != SourceKind::kUnmarked);
    facts.in_place["kubelet"] = wanted[0] == 'v' ? wanted + 1 : wanted;
    EXPECT_EQ(first(version(wanted), facts).kind, SourceKind::kInPlace);
  }
}

TEST(VersionMark, SpeaksForTheProgramItWasWrittenFor) {
  EXPECT_EQ(marked_version(version_mark("v1.34.1", 58), 58), "1.34.1");
  EXPECT_EQ(marked_version(version_mark("1.34.1", 58), 57), "") << "the program has been exchanged, or cut short";
  EXPECT_EQ(marked_version("v1.34.1\n", 12345), "1.34.1") << "as the builder of an image writes it";
  EXPECT_EQ(marked_version("", 0), "");
  EXPECT_EQ(marked_version("1.34.1 5 8", 5), "");
}

TEST(KubeBinary, NowhereToGetItFromIsAnError) {
  Configuration config;
  config.set_kubernetes_version("1.30.0");
  const auto nowhere = kube_binary_sources("kubelet", config, image(Distro::kUbuntu2204, {}));
  EXPECT_EQ(nowhere.error().code, 121);
  EXPECT_EQ(nowhere.error().os_errno, ENODATA) << "what no attempt can change is not tried again";
}

TEST(CredentialProvider, UrlBelowOneThirtyThreeAndPackagesFromThere) {
  const char* archive = "/opt/credentialprovider/downloads/provider-1.30.tar.gz";
  EXPECT_EQ(credential_provider_sources(version("1.32.9"), image(Distro::kUbuntu2204, {archive}), "")->front(),
            (BinarySource{SourceKind::kCachedArchive, archive, ""}));
  EXPECT_EQ(credential_provider_sources(version("1.32.9"), image(Distro::kUbuntu2204, {}), "")->front().kind,
            SourceKind::kUrl);
  const char* deb = "/opt/azure-acr-credential-provider/downloads/azure-acr-credential-provider_1.33.2-1_amd64.deb";
  EXPECT_EQ(credential_provider_sources(version("1.33.0"), image(Distro::kUbuntu2204, {deb}), "1.33.2")->front(),
            (BinarySource{SourceKind::kCachedPackage, deb, ""}));
  EXPECT_EQ(credential_provider_sources(version("1.33.0"), image(Distro::kOsGuard, {}), "1.33.2")->front(),
            (BinarySource{SourceKind::kOnlinePackage, "azure-acr-credential-provider", "1.33.2"}));
}

TEST(CredentialProvider, AMirrorsExtensionIsWhereSealedSystemsGetIt) {
  Configuration config = version("1.34.1");
  config.set_bootstrap_profile_container_registry_server("r.azurecr.io");
  EXPECT_EQ(
      credential_provider_sources(config, image(Distro::kFlatcar, {}), "1.34.2")->front(),
      (BinarySource{SourceKind::kOnlineSysext, "r.azurecr.io/oss/v2/kubernetes/azure-acr-credential-provider-sysext",
                    "v1.34.2-1-azlinux3-amd64"}));
  // Without a version the tag is unknown.
  EXPECT_EQ(credential_provider_sources(config, image(Distro::kUbuntu2204, {}), "")->front().kind, SourceKind::kUrl);
}

TEST(CredentialProvider, WhatTheImageHasGoesBeforeTheNetwork) {
  const char* there = "/var/lib/kubelet/credential-provider/acr-credential-provider";
  EXPECT_EQ(credential_provider_sources(version("1.32.9"), image(Distro::kUbuntu2204, {there}), "")->front().kind,
            SourceKind::kInPlace);
  const char* deb = "/opt/azure-acr-credential-provider/downloads/azure-acr-credential-provider_1.33.1-1_amd64.deb";
  EXPECT_EQ(credential_provider_sources(version("1.33.0"), image(Distro::kUbuntu2204, {deb}), "1.33.2")->front().kind,
            SourceKind::kCachedPackage);
}

TEST(KubeBinary, ACachedProgramGoesBeforeAnExtensionFromTheNetwork) {
  EXPECT_EQ(first(version("1.32.4"), image(Distro::kFlatcar, {"/opt/bin/kubelet-1.32.4"})).kind,
            SourceKind::kCachedBinary);
}

}  // namespace
}  // namespace sunup::render::node
