// Installing programs that are not installed in the image: packages, archives at a URL, and their failures.
#include "plan/test_install.h"

namespace sunup::plan {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST_F(Installs, ACachedDebIsUnpackedWithoutAProgram) {
  put("/opt/kubelet/downloads/kubelet_1.34.1-ubuntu22.04u1_amd64.deb", deb({{"usr/bin/kubelet", kProgram}}, xz));
  expect_installed(provision());
  EXPECT_THAT(spawned, ElementsAre());
}

TEST_F(Installs, ACachedRpmIsUnpackedWithoutAProgram) {
  subject->facts.distro = render::Distro::kAzureLinux3;
  put("/opt/kubelet/downloads/kubelet-1.34.1-1.azl3.x86_64.rpm", rpm({{"usr/bin/kubelet", kProgram}}, zstd));
  expect_installed(provision());
  EXPECT_THAT(spawned, ElementsAre());
}

TEST_F(Installs, ADamagedPackageIsReplacedByOneFromTheRepository) {
  const std::string package = "/opt/kubelet/downloads/kubelet_1.34.1-ubuntu22.04u1_amd64.deb";
  put(package, deb({{"usr/bin/kubelet", kProgram}}, xz).substr(0, 300));
  put("/etc/apt/sources.list.d/microsoft-prod.list", "deb ...");
  world.programs["apt-cache"].output =
      "   kubelet | 1.34.10-ubuntu22.04u1 | https://packages.microsoft.com jammy/main amd64 Packages\n"
      "   kubelet | 1.34.1-ubuntu22.04u1 | https://packages.microsoft.com jammy/main amd64 Packages\n";
  std::vector<std::vector<std::string>> said;
  world.programs["apt-get"].effect = [&](const std::vector<std::string>& argv, host::Files& files) {
    said.push_back(argv);
    if (argv[1] != "download") return Result<void>();
    return files.write(package, deb({{"usr/bin/kubelet", kProgram}}, zstd), 0644);
  };
  expect_installed(provision());
  ASSERT_EQ(said.size(), 2U);
  EXPECT_THAT(said[0], Contains("Dir::Etc::sourcelist=/etc/apt/sources.list.d/microsoft-prod.list"));
  EXPECT_THAT(said[1], ElementsAre("apt-get", "download", "kubelet=1.34.1-ubuntu22.04u1"));
}

// --- programs that are installed already

TEST_F(Installs, AProgramOfAnUnknownVersionIsNotTakenForTheRightOne) {
  put(kTo, "an old kubelet", 0755);
  world.programs["apt-get"].failures = 1000;
  const auto report = provision();
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(report.error.code, 99);
  put("/opt/bin/kubelet-1.34.1", kProgram, 0755);
  expect_installed(provision());
}

TEST_F(Installs, AProgramOfAnUnknownVersionIsAskedForIt) {
  put(kTo, kProgram, 0755);
  world.programs[kTo].output = "Kubernetes v1.34.1\n";
  expect_installed(provision());
  EXPECT_THAT(spawned, ElementsAre(kTo));
  EXPECT_EQ(content("/opt/bin/kubelet.version"), "1.34.1 " + std::to_string(kProgram.size()) + "\n");
  gather();
  expect_installed(provision());
  EXPECT_EQ(spawned.size(), 1U) << "once";
}

TEST_F(Installs, AProgramThatSaysAnotherVersionIsReplaced) {
  put(kTo, kProgram, 0755);
  world.programs[kTo].output = "Kubernetes v1.34.10\n";
  world.programs["apt-get"].failures = 1000;
  EXPECT_FALSE(provision().ok);
}

TEST_F(Installs, ARunKnowsItsOwnProgramAgainWhenTheCachesAreGone) {
  put("/opt/bin/kubelet-1.34.1", kProgram, 0700);
  expect_installed(provision());
  EXPECT_EQ(content("/opt/bin/kubelet.version"), "1.34.1 " + std::to_string(kProgram.size()) + "\n");
  gather();
  expect_installed(provision());
  EXPECT_THAT(spawned, ElementsAre());
  world.disk[kTo].content = "another kubelet";
  gather();
  EXPECT_FALSE(provision().ok) << "somebody has exchanged it";
}

TEST_F(Installs, APowerCutAfterTheRenameLeavesAProgramThatIsKnown) {
  put("/opt/bin/kubelet-1.34.1", kProgram, 0755);
  world.durable = world.disk;
  world.dirty.clear();
  expect_installed(provision());
  world.made_durable({{kTo, world.disk[kTo]}, {"/opt/bin/kubelet-1.34.1", std::nullopt}});
  world.power_cut();
  gather();
  expect_installed(provision());
}

TEST_F(Installs, AnImageBuilderMaySayWhichVersionStandsInPlace) {
  put(kTo, kProgram, 0700);
  put("/opt/bin/kubelet.version", "1.34.1\n");
  gather();
  expect_installed(provision());
}

// Otherwise such a file would be installed, and kubelet would exit without a message.
TEST_F(Installs, AnEmptyProgramIsNoProgram) {
  put("/opt/bin/kubelet-1.34.1", "", 0755);
  EXPECT_FALSE(provision().ok);
  EXPECT_FALSE(world.disk.contains(kTo));
  put("/opt/kubelet/downloads/kubelet_1.34.1-ubuntu22.04u1_amd64.deb", deb({{"usr/bin/kubelet", ""}}, xz));
  EXPECT_FALSE(provision().ok);
  EXPECT_FALSE(world.disk.contains(kTo));
}

TEST_F(Installs, AnEmptyProgramGivesWayToAPackage) {
  put(kTo, "", 0755);
  put("/opt/bin/kubelet.version", "1.34.1\n");
  put("/opt/kubelet/downloads/kubelet_1.34.1-ubuntu22.04u1_amd64.deb", deb({{"usr/bin/kubelet", kProgram}}, xz));
  gather();
  expect_installed(provision());
}

TEST_F(Installs, ALinkGivesWayToACopyAndItsTargetStaysAsItIs) {
  put("/usr/local/bin/kk", kProgram, 0700);
  put("/opt/bin/kubelet.version", "1.34.1\n");
  {
    Machine machine(world);
    ASSERT_TRUE(machine.host().files.symlink("/usr/local/bin/kk", kTo));
  }
  gather();
  expect_installed(provision());
  EXPECT_EQ(world.disk[kTo].kind, host::FileKind::kRegular);
  EXPECT_EQ(world.disk["/usr/local/bin/kk"].mode, 0700U);
}

// --- --root

TEST_F(Installs, BelowARootADamagedPackageIsAFailureAndAMissingProgramIsReported) {
  subject->files_only = true;
  auto report = provision();
  EXPECT_TRUE(report.ok) << report.error.what;
  EXPECT_THAT(left_out, ElementsAre("fetch kubelet from kubelet"));
  put("/opt/kubelet/downloads/kubelet_1.34.1-ubuntu22.04u1_amd64.deb", "garbage");
  report = provision();
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(report.error.code, 9);
  EXPECT_THAT(report.error.what, HasSubstr("kubelet_1.34.1"));
}

TEST_F(Installs, BelowARootAProgramOfAnUnknownVersionIsTakenForGood) {
  subject->files_only = true;
  subject->config.set_kubernetes_version("1.33.2");
  put(kTo, kProgram, 0755);
  const auto report = provision();
  EXPECT_TRUE(report.ok) << report.error.what;
  EXPECT_THAT(left_out, ElementsAre("query the version of /opt/bin/kubelet"));
}

TEST_F(Installs, WhatAProgramCouldStillBeMadeFromIsKept) {
  put("/opt/bin/kubelet-1.34.1", kProgram, 0755);
  put("/opt/kubelet/downloads/kubelet_1.34.1-1_amd64.deb", "a package");
  put("/opt/bin/kubectl-1.34.1", "kubectl", 0755);
  put("/opt/bin/kubectl", "kubectl", 0755);
  subject->facts.imds.emplace();
  EXPECT_TRUE(clean_up().ok);
  EXPECT_TRUE(world.disk.contains("/opt/bin/kubelet-1.34.1"));
  EXPECT_TRUE(world.disk.contains("/opt/kubelet/downloads/kubelet_1.34.1-1_amd64.deb"));
  EXPECT_FALSE(world.disk.contains("/opt/bin/kubectl-1.34.1"));
  put(kTo, kProgram, 0755);
  EXPECT_TRUE(clean_up().ok);
  EXPECT_FALSE(world.disk.contains("/opt/bin/kubelet-1.34.1"));
}

// --- the distribution's repository

TEST_F(Installs, ARepositoryThatCannotBeReachedHasItsOwnExitCode) {
  world.programs["apt-get"].failures = 1000;
  expect_failed(provision(), 99);
}

TEST_F(Installs, ARepositoryWithoutTheVersionIsNotAskedAgain) {
  world.programs["apt-get"] = {};
  world.programs["apt-cache"].output = "   kubelet | 1.34.10-1 | https://x Packages\n";
  expect_failed(provision(), 121);
  EXPECT_THAT(spawned, ElementsAre("apt-get", "apt-cache"));
}

TEST_F(Installs, AzureLinuxFetchesItsPackageWithoutInstallingIt) {
  subject->facts.distro = render::Distro::kAzureLinux3;
  world.programs["dnf"] = {.effect =
                               [&](const std::vector<std::string>& argv, host::Files& files) {
                                 if (argv[2] != "install") return Result<void>();
                                 EXPECT_THAT(argv, Contains("--downloadonly"));
                                 EXPECT_EQ(argv.back(), "kubelet-1.34.1-2.azl3");
                                 return files.write("/opt/kubelet/downloads/kubelet-1.34.1-2.azl3.x86_64.rpm",
                                                    rpm({{"usr/bin/kubelet", kProgram}}, zstd), 0644);
                               },
                           .output =
                               "Available Packages\nkubelet.x86_64  0:1.34.1-1.azl3  repo\n"
                               "kubelet.x86_64  0:1.34.1-2.azl3  repo\nkubelet.x86_64  0:1.34.12-1.azl3  repo\n"};
  expect_installed(provision());
}

// --- URLs

struct FromUrl : Installs {
  const std::string url = "https://packages.example/v1.33.2/kubernetes-node-linux-amd64.tar.gz?sig=s3cret";
  const std::string archive = gzip(tar({{"kubernetes/node/bin/kubelet", kProgram},
                                        {"kubernetes/node/bin/kubectl",
                                         "\x7f"
                                         "ELF kubectl"}}));
  FromUrl() {
    subject->config.set_kubernetes_version("1.33.2");
    subject->config.mutable_kube_binary_config()->set_kube_binary_url(url);
  }
  int requests = 0;
  void serve() {
    world.endpoints[url].answer = [this](const HttpRequest& request) {
      ++requests;
      return fetch::test_server::file(request, archive, "\"1\"");
    };
  }
};

TEST_F(FromUrl, OneDownloadServesBothPrograms) {
  serve();
  expect_installed(provision());
  EXPECT_TRUE(provision("kubectl.binary").ok);
  EXPECT_EQ(content("/opt/bin/kubectl"),
            "\x7f"
            "ELF kubectl");
  EXPECT_EQ(requests, 1);
  for (const std::string& note : notes) EXPECT_THAT(note, Not(HasSubstr("s3cret")));
}

TEST_F(FromUrl, AServerInTroubleIsAskedAgain) {
  serve();
  world.endpoints[url].failures = 3;
  world.endpoints[url].cuts = 2;
  expect_installed(provision());
}

TEST_F(FromUrl, AServerThatDoesNotHaveItIsAskedOnce) {
  world.endpoints[url].answer = [this](const HttpRequest&) {
    ++requests;
    return HttpReply{.status = 404};
  };
  const auto report = provision();
  expect_failed(report, 31);
  EXPECT_EQ(requests, 1);
  EXPECT_THAT(report.error.what, HasSubstr("404"));
  EXPECT_THAT(report.error.what, Not(HasSubstr("s3cret")));
}

TEST_F(FromUrl, ASignatureThatIsNotGoodAnyMoreIsADownloadThatFailed) {
  world.endpoints[url] = {.status = 403};
  expect_failed(provision(), 31);
}

TEST_F(FromUrl, AnArchiveWithoutTheProgramHasItsOwnExitCode) {
  world.endpoints[url] = {.body = gzip(tar({{"README", "wrong one"}}))};
  expect_failed(provision(), 204);
}

TEST_F(FromUrl, AFullDiskLeavesNoHalfProgram) {
  serve();
  world.faults.file_errors = 100;
  world.faults.errors = {ENOSPC};
  expect_failed(provision(), 31);
  world.faults = {};
  expect_installed(provision());
}

TEST_F(FromUrl, WhatAPowerCutLeftOfTheArchiveIsFetchedAgain) {
  serve();
  expect_installed(provision());
  for (auto& [path, node] : world.disk)
    if (path.starts_with("/opt/kubernetes/downloads/") && !node.content.empty()) node.content.resize(50);
  world.disk.erase(kTo);
  expect_installed(provision());
  EXPECT_EQ(requests, 2);
}

TEST_F(FromUrl, AProxyIsUsedExceptWhereItIsNot) {
  auto& proxy = *subject->config.mutable_http_proxy_config();
  proxy.set_https_proxy("http://proxy.example:3128");
  std::vector<std::string> proxies;
  world.endpoints[url].answer = [&](const HttpRequest& request) {
    proxies.push_back(request.proxy);
    return HttpReply{.status = 404};
  };
  provision();
  proxy.add_no_proxy_entries(".packages.example");
  provision();
  EXPECT_THAT(proxies, ElementsAre("http://proxy.example:3128", ""));
}

// --- registries

TEST_F(FromUrl, ADownloadWaitsForTheAuthoritiesAndTheProxyThatItNeedsAndACachedProgramDoesNot) {
  const auto needs = [this] { return make_step(binary_steps().front(), subject)->needs; };
  ASSERT_EQ(binary_steps().front().name, "kubelet.binary");
  subject->config.mutable_http_proxy_config()->set_proxy_trusted_ca("bm8gcHJveHk=");
  EXPECT_THAT(needs(), ElementsAre(kMetadata));
  subject->config.mutable_http_proxy_config()->set_https_proxy("http://proxy:3128");
  EXPECT_THAT(needs(), ElementsAre(kMetadata, "trust.update", "proxy.files"));
  subject->facts.paths.insert("/opt/bin/kubelet-1.33.2");
  EXPECT_THAT(needs(), ElementsAre(kMetadata));
}

TEST_F(FromUrl, APackageOfTheImageIsUnpackedWithoutTheMetadataServiceUnlessATagDecides) {
  const auto needs = [this] { return make_step(binary_steps().front(), subject)->needs; };
  subject->config.mutable_kube_binary_config()->Clear();
  subject->config.set_kubernetes_version("1.34.1");
  subject->facts.distro = render::Distro::kUbuntu2204;
  EXPECT_THAT(needs(), Contains(kMetadata)) << "it is fetched: a tag may name the cloud";
  subject->facts.paths.insert("/opt/kubelet/downloads/kubelet_1.34.1-ubuntu22.04u1_amd64.deb");
  EXPECT_THAT(needs(), IsEmpty());
  subject->facts.paths.insert("/opt/bin/kubelet-1.34.1");
  EXPECT_THAT(needs(), ElementsAre(kMetadata)) << "with the tag the package is preferred to the program";
}

TEST_F(FromUrl, ThePlanAnnouncesTheDownloadAndItsRemoval) {
  std::map<std::string, std::set<std::string>> files;
  for (const Declarations& chapter : {binary_steps(), leftover_steps()})
    for (const Declaration& declaration : chapter)
      if (declaration.files != nullptr)
        for (const FileEffect& file : declaration.files(*subject))
          files[std::string(declaration.name)].insert(file.path);
  const std::string download = "/opt/kubernetes/downloads/packages.example_v1.33.2_kubernetes-node-linux-amd64.tar.gz";
  EXPECT_THAT(files["kubelet.binary"], Contains(download));
  EXPECT_THAT(files["image.leftovers"], Contains(download));
}

// --- the other programs

TEST_F(Installs, TheCredentialProviderFollowsTheComponentList) {
  subject->config.set_bootstrap_profile_container_registry_server("mirror.azurecr.io");
  auto& flags = *subject->config.mutable_kubelet_config()->mutable_kubelet_flags();
  flags["--image-credential-provider-config"] = "/var/lib/kubelet/credential-provider-config.yaml";
  flags["--image-credential-provider-bin-dir"] = "/var/lib/kubelet/credential-provider";
  put("/opt/azure/components.json",
      R"({"Packages":[{"name":"azure-acr-credential-provider-pmc","downloadURIs":{"ubuntu":{"r2204":{"versionsV2":[)"
      R"({"latestVersion":"1.33.5-ubuntu22.04u1"},{"latestVersion":"1.34.2-ubuntu22.04u1"}]}}}}]})");
  fetch::test_server::Registry<World> server(world, "mirror.azurecr.io");
  server.add("aks/packages/kubernetes/azure-acr-credential-provider", "v1.34.2",
             {{"azure-acr-credential-provider_1.34.2_amd64.deb", deb({{"usr/bin/azure-acr-credential-provider",
                                                                       "\x7f"
                                                                       "ELF provider"}},
                                                                     gzip)}});
  const auto report = provision("kubelet.credential_provider");
  EXPECT_TRUE(report.ok) << report.error.what;
  EXPECT_EQ(content("/var/lib/kubelet/credential-provider/acr-credential-provider"),
            "\x7f"
            "ELF provider");
}

TEST_F(Installs, TheSecureTlsClientOfTheConfigReplacesTheImages) {
  auto& bootstrap = *subject->config.mutable_bootstrapping_config();
  bootstrap.set_bootstrapping_auth_method(aksnodeconfig::v1::BOOTSTRAPPING_AUTH_METHOD_SECURE_TLS_BOOTSTRAPPING);
  bootstrap.set_secure_tls_bootstrapping_custom_client_download_url("https://x.example/client.tar.gz");
  put("/opt/bin/aks-secure-tls-bootstrap-client", "old", 0755);
  EXPECT_EQ(provision("secure_tls.client").error.code, 169);
  EXPECT_EQ(content("/opt/bin/aks-secure-tls-bootstrap-client"), "old");
  world.endpoints["https://x.example/client.tar.gz"] = {.body = gzip(tar({{"aks-secure-tls-bootstrap-client",
                                                                           "\x7f"
                                                                           "ELF new"}}))};
  EXPECT_TRUE(provision("secure_tls.client").ok);
  EXPECT_EQ(content("/opt/bin/aks-secure-tls-bootstrap-client"),
            "\x7f"
            "ELF new");
}

}  // namespace
}  // namespace sunup::plan
