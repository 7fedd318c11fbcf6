// Programs from container registries: packages, archives and system extensions.
#include "plan/test_install.h"

namespace sunup::plan {
namespace {

using testing::Contains;
using testing::HasSubstr;

struct FromRegistry : Installs {
  fetch::test_server::Registry<World> server{world, "mirror.azurecr.io"};
  const std::string repository = "aks/packages/kubernetes/kubelet";
  FromRegistry() { subject->config.set_bootstrap_profile_container_registry_server("mirror.azurecr.io"); }
  void add() {
    server.add(repository, "v1.34.1",
               {{"Packages.gz", "index"},
                {"kubectl_1.34.1_amd64.deb", deb({{"usr/bin/kubectl", "x"}}, xz)},
                {"kubelet_1.34.1_amd64.deb", deb({{"usr/bin/kubelet", kProgram}}, xz)}});
  }
};

TEST_F(FromRegistry, ThePackageIsPulledVerifiedAndUnpacked) {
  add();
  expect_installed(provision());
  EXPECT_THAT(notes, Contains(HasSubstr("SHA-256 verified")));
}

TEST_F(FromRegistry, ThePlainArchiveServesOlderVersions) {
  subject->config.set_kubernetes_version("1.33.2");
  server.add("oss/binaries/kubernetes/kubernetes-node", "v1.33.2-linux-amd64",
             {{"kubernetes-node-linux-amd64.tar.gz", gzip(tar({{"kubernetes/node/bin/kubelet", kProgram}}))}});
  expect_installed(provision());
}

TEST_F(FromRegistry, AWrongDigestIsNeverInstalled) {
  add();
  server.last_stored().answer = [](const HttpRequest&) {
    return HttpReply{.status = 200,
                     .headers = {},
                     .body =
                         "\x7f"
                         "ELF trojan"};
  };
  expect_failed(provision(), 207);
}

TEST_F(FromRegistry, ABrokenConnectionGoesOnAndABusyRegistryIsAskedAgain) {
  add();
  server.last_stored().cuts = 1;
  server.at("/v2/" + repository + "/manifests/v1.34.1").failures = 2;
  expect_installed(provision());
}

TEST_F(FromRegistry, MissingAndForbiddenHaveTheirOwnExitCodes) {
  server.at("/v2/" + repository + "/manifests/v1.34.1") = {.status = 404};
  expect_failed(provision(), 207);
  server.at("/v2/" + repository + "/manifests/v1.34.1") = {.status = 403};
  expect_failed(provision(), 212);
}

TEST_F(FromRegistry, TheUrlIsTheWayOutWhereThatIsAllowed) {
  server.at("/v2/" + repository + "/manifests/v1.34.1") = {.status = 404};
  subject->config.mutable_kube_binary_config()->set_custom_kube_binary_url("");
  server.add("oss/binaries/kubernetes/kubernetes-node", "v1.34.1-linux-amd64",
             {{"kubernetes-node-linux-amd64.tar.gz", gzip(tar({{"kubernetes/node/bin/kubelet", kProgram}}))}});
  expect_installed(provision());
}

// --- system extensions

struct FromExtension : Installs {
  fetch::test_server::Registry<World> server{world, "mcr.microsoft.com"};
  FromExtension() {
    subject->facts.distro = render::Distro::kFlatcar;
    server.add_tags("oss/v2/kubernetes/kubelet-sysext",
                    R"({"tags":["v1.34.1-1-azlinux3-amd64","v1.34.1-2-azlinux3-amd64","v1.34.1-3-azlinux3-arm64",)"
                    R"("v1.34.10-1-azlinux3-amd64"]})");
    server.add("oss/v2/kubernetes/kubelet-sysext", "v1.34.1-2-azlinux3-amd64", {{"kubelet.raw", "squashed"}});
    world.programs["systemd-sysext"] = {};
  }
  const std::string raw = "/opt/kubelet/downloads/kubelet-v1.34.1-online-x86-64.raw";
};

TEST_F(FromExtension, TheNewestThatFitsIsPulledMergedAndLinked) {
  const auto report = provision();
  EXPECT_TRUE(report.ok) << report.error.what;
  EXPECT_EQ(content(raw), "squashed");
  EXPECT_EQ(content("/etc/extensions/kubelet.raw"), raw);
  EXPECT_EQ(content(kTo), "/usr/bin/kubelet");
  EXPECT_EQ(world.disk[kTo].kind, host::FileKind::kSymlink);
}

TEST_F(FromExtension, WhatWasPulledCountsAsCachedTheNextTime) {
  EXPECT_TRUE(provision().ok);
  gather();
  subject->facts.paths.erase(kTo);
  world.endpoints.clear();
  EXPECT_TRUE(provision().ok);
}

TEST_F(FromExtension, KubeletMustNotBeStartedByItsExtensionWhereThatWould) {
  subject->facts.distro = render::Distro::kAcl;
  bool masked = false;
  world.programs["systemd-sysext"].effect = [&](const std::vector<std::string>&, host::Files& files) {
    masked =
        files.read_link("/etc/systemd/system/multi-user.target.d/10-kubelet-kubelet.conf").value_or("") == "/dev/null";
    return Result<void>();
  };
  EXPECT_TRUE(provision().ok);
  EXPECT_TRUE(masked);
}

TEST_F(FromExtension, NoTagThatFitsAndAnImageThatDoesNotMergeAreFailures) {
  world.programs["systemd-sysext"].failures = 1000;
  expect_failed(provision(), 231);
  EXPECT_FALSE(world.disk.contains("/etc/extensions/kubelet.raw"));
  server.add_tags("oss/v2/kubernetes/kubelet-sysext", R"({"tags":["v1.34.10-1-azlinux3-amd64"]})");
  world.disk.erase(raw);
  expect_failed(provision(), 231);
}

TEST_F(FromExtension, AMirrorIsAskedForItsFixedTag) {
  subject->config.set_bootstrap_profile_container_registry_server("mirror.azurecr.io/x");
  fetch::test_server::Registry<World> mirror(world, "mirror.azurecr.io");
  mirror.add("x/oss/v2/kubernetes/kubelet-sysext", "v1.34.1-1-azlinux3-amd64", {{"kubelet.raw", "mirrored"}});
  const auto report = provision();
  EXPECT_TRUE(report.ok) << report.error.what;
  EXPECT_EQ(content(raw), "mirrored");
}

// --- their position in the plan

}  // namespace
}  // namespace sunup::plan
