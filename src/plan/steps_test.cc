// Single steps on the simulated machine: their requests, the units they start and the files they write.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/base64.h"
#include "plan/gather.h"
#include "plan/metadata.h"
#include "plan/test_step.h"

namespace sunup::plan {
namespace {

using host::FileKind;
using host::sim::Endpoint;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kVersion[] = "https://api.example:443/version?timeout=5s";

TEST_F(Steps, SayInKubeletsJournalThatTheTokenIsValid) {
  world.endpoints[kVersion] = {};
  ASSERT_TRUE(run("bootstrap.token"));
  EXPECT_THAT(journal(), HasSubstr("MESSAGE=kubelet bootstrap token credential is valid\n"));
  EXPECT_THAT(journal(), HasSubstr("OBJECT_SYSTEMD_UNIT=kubelet.service\n"));
}

TEST_F(Steps, LeaveTheTokenAloneWhenKubeletHasItsCredentials) {
  put("/var/lib/kubelet/kubeconfig", "");
  ASSERT_TRUE(run("bootstrap.token"));  // no endpoint would have answered
  EXPECT_THAT(journal(), HasSubstr("MESSAGE=client credential already exists within kubeconfig\n"));
}

TEST_F(Steps, SayThatATokenIsRefusedWithoutShowingIt) {
  world.endpoints[kVersion] = Endpoint{.status = 401};
  ASSERT_TRUE(run("bootstrap.token"));
  EXPECT_THAT(journal(), HasSubstr("MESSAGE=unable to validate bootstrap credentials: HTTP status 401\n"));
  EXPECT_THAT(journal(), testing::Not(HasSubstr("0123456789abcdef")));
}

TEST_F(Steps, FailIfTheApiServerRefusesTheTokenAndDoNotShowIt) {
  world.endpoints[kVersion] = {};
  EXPECT_TRUE(run("apiserver.token"));
  world.endpoints[kVersion] = Endpoint{.status = 403};  // the server has authenticated the token
  EXPECT_TRUE(run("apiserver.token"));
  world.endpoints[kVersion] = Endpoint{.status = 401};
  const auto refused = run("apiserver.token");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what,
              HasSubstr("does not know the bootstrap token of the config, or the token has expired"));
  EXPECT_THAT(refused.error().what + refused.error().hint, testing::Not(HasSubstr("abcdef")));
  put("/var/lib/kubelet/kubeconfig", "");  // kubelet writes it before it has a certificate
  EXPECT_FALSE(run("apiserver.token"));
  put("/var/lib/kubelet/pki/kubelet-client-current.pem", "");
  EXPECT_TRUE(run("apiserver.token")) << "kubelet has its certificate: the token is not needed any more";
}

TEST_F(Steps, SayInKubeletsJournalThatTheSecureBootstrapHasGotItsCredentials) {
  config.mutable_bootstrapping_config()->clear_tls_bootstrapping_token();
  config.mutable_bootstrapping_config()->set_bootstrapping_auth_method(
      aksnodeconfig::v1::BOOTSTRAPPING_AUTH_METHOD_SECURE_TLS_BOOTSTRAPPING);
  put("/var/lib/kubelet/kubeconfig", "");
  ASSERT_TRUE(applies(*find_step("bootstrap.token"), subject()));
  ASSERT_TRUE(run("bootstrap.token"));
  EXPECT_THAT(journal(), HasSubstr("MESSAGE=client credential already exists within kubeconfig\n"));
}

TEST_F(Steps, StartSshBeforeItsConfigIsJudged) {
  facts.paths.insert("/lib/systemd/system/ssh.service");
  facts.texts["/etc/ssh/sshd_config"] = "PubkeyAuthentication yes\n";
  config.set_disable_pubkey_auth(true);
  world.units["ssh.service"] = {};
  bool ran = false;
  world.programs["sshd"].effect = [&](const std::vector<std::string>&, host::Files&) {
    ran = world.units["ssh.service"].active == "active";
    return Result<void>();
  };
  ASSERT_TRUE(run("access.keys_off"));
  EXPECT_TRUE(ran);
}

TEST_F(Steps, WriteASecretAnewThatSomebodyElseOwns) {
  constexpr char kFile[] = "/etc/kubernetes/azure.json";
  ASSERT_TRUE(run("identity.cloud"));
  const int64_t first = world.disk.at(kFile).modified_ns;
  ASSERT_TRUE(run("identity.cloud"));
  EXPECT_EQ(world.disk.at(kFile).modified_ns, first);
  world.disk.at(kFile).own = false;
  ASSERT_TRUE(run("identity.cloud"));
  EXPECT_TRUE(world.disk.at(kFile).own);
}

TEST_F(Steps, NameWhatAServingCertificateLacks) {
  facts.imds.emplace();
  facts.hostname.clear();
  const auto made = run("kubelet.certificate");
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().what, HasSubstr("needs a host name"));
  files_only = true;
  EXPECT_THAT(run("kubelet.certificate").error().hint, HasSubstr("the tree has no /etc/hostname"));
}

TEST_F(Steps, JoinARealmWithThePasswordOnStdinOnly) {
  auto& search = *config.mutable_custom_search_domain_config();
  search.set_domain_name("corp.example");
  search.set_realm_user("joiner");
  search.set_realm_password("planted-password");
  put("/etc/network/interfaces.d/50-cloud-init.cfg", "iface eth0 inet dhcp\n");
  world.programs["apt-get"] = {};
  world.programs["realm"] = {};
  ASSERT_TRUE(run("domain.join"));
  EXPECT_EQ(world.disk.at("/etc/network/interfaces.d/50-cloud-init.cfg").content,
            "iface eth0 inet dhcp\n  dns-search corp.example\n");
  ASSERT_EQ(spawned.size(), 3U);
  EXPECT_THAT(spawned[2].argv, ElementsAre("realm", "join", "-U", "joiner@CORP.EXAMPLE", "CORP.EXAMPLE"));
  EXPECT_EQ(spawned[2].input, "planted-password\n");
  for (const host::Command& command : spawned)
    for (const std::string& word : command.argv) EXPECT_THAT(word, testing::Not(HasSubstr("planted")));
  world.programs["realm"].failures = 1000;
  EXPECT_FALSE(run("domain.join"));
  EXPECT_EQ(find_step("domain.join")->exit_code, 80);
}

TEST_F(Steps, RefuseAnImageWithoutTheMarkUnlessTheConfigSaysSo) {
  facts.paths.erase("/opt/azure/vhd-install.complete");
  EXPECT_EQ(run("image.check").error().code, 65);
  files_only = true;
  EXPECT_TRUE(run("image.check"));
  EXPECT_THAT(left_out, ElementsAre(HasSubstr("not a node image")));
  files_only = false;
  config.set_is_vhd(false);
  EXPECT_TRUE(run("image.check"));
  EXPECT_THAT(notes, Contains(HasSubstr("not a node image")));
  // No other step starts before it.
  auto whole = std::make_shared<Subject>(subject());
  const auto graph = derive(whole);
  ASSERT_TRUE(graph) << graph.error().what;
  for (const engine::Step& step : graph->steps()) {
    if (step.name == "image.check") continue;
    EXPECT_THAT(step.after, Contains("image.check")) << step.name;
  }
}

TEST_F(Steps, GiveThePrivateLinkOfAnApiServerTheTimeItTakes) {
  const auto patience = [this](const char* name, std::string server) {
    config.mutable_api_server_config()->set_api_server_name(std::move(server));
    return *make_step(*find_step(name), std::make_shared<Subject>(subject()));
  };
  using namespace std::chrono_literals;
  EXPECT_EQ(patience("apiserver.lookup", "a.hcp.example").deadline, 300s);
  EXPECT_EQ(patience("apiserver.lookup", "a.privatelink.example").deadline, 600s);
  const auto is_as_patient = [&](const char* server, int attempts, Duration each) {
    const engine::Step step = patience("apiserver.reach", server);
    EXPECT_EQ(step.retry.each, each) << server;
    EXPECT_EQ(step.deadline, attempts * (each + 1s)) << server;
    EXPECT_TRUE(step.retry.from_start) << server;
    // No answer at all; an address that no machine has; refused connections, with pauses of 750 ms on average.
    EXPECT_GE(step.retry.attempts * each, step.deadline) << server;
    EXPECT_GE(step.retry.attempts * 3s, attempts * 4s) << server;
    EXPECT_GE(step.retry.attempts * 750ms, attempts * 1s) << server;
  };
  is_as_patient("a.hcp.example", 35, 15s);
  is_as_patient("a.privatelink.example", 69, 15s);
  is_as_patient("10.0.0.1", 301, 10s);
}

TEST_F(Steps, CheckTheWayOutWheneverTheConfigNamesACommand) {
  config.set_outbound_command("curl -v --insecure --proxy-insecure https://mcr.microsoft.com/v2/");
  config.set_bootstrap_profile_container_registry_server("own.azurecr.io");
  EXPECT_TRUE(applies(*find_step("network.outbound"), subject()));
  config.clear_outbound_command();
  EXPECT_FALSE(applies(*find_step("network.outbound"), subject()));
}

TEST_F(Steps, BringCardsUpThatNetworkdHasNotSeen) {
  facts = node::golden_image(render::Distro::kAzureLinux3);
  config.mutable_network_config()->set_standard_secondary_nic_count(1);
  facts.imds.emplace();
  facts.imds->interfaces = {{.mac = "00:00:00:00:00:01", .ipv4 = {"10.0.0.4"}, .ipv6 = {}},
                            {.mac = "00:00:00:00:00:02", .ipv4 = {"10.0.0.5"}, .ipv6 = {}},
                            {.mac = "00:00:00:00:00:03", .ipv4 = {"10.0.0.6"}, .ipv6 = {}}};
  put("/sys/class/net/eth0/address", "00:00:00:00:00:01\n");
  put("/sys/class/net/enP1/address", "00:00:00:00:00:02\n");
  put("/sys/class/net/enP1/master", "");
  put("/sys/class/net/eth1/address", "00:00:00:00:00:02\n");
  world.programs["networkctl"] = {};
  ASSERT_TRUE(run("network.cards"));
  ASSERT_EQ(spawned.size(), 2U);
  EXPECT_THAT(spawned[0].argv, ElementsAre("networkctl", "reload"));
  EXPECT_THAT(spawned[1].argv, ElementsAre("networkctl", "up", "eth1"));
}

// Bootstrap asks for a later version of the document than these steps.
TEST_F(Steps, DoNotAskTheMetadataServiceAgainForWhatBootstrapHasReceived) {
  const auto known = with_address(node::parse_imds(
      R"({"compute":{"vmId":"x","vmSize":"Standard_D2s_v5","userData":"c2VjcmV0","tagsList":[{"name":"SkipBinaryCleanup","value":"true"}]},
          "network":{"interface":[{"macAddress":"000D3A123456","ipv4":{"ipAddress":[{"privateIpAddress":"10.0.0.4","publicIpAddress":""}]}}]},
          "extended":{"compute":{"hasCustomData":true,"ppsType":"None"}}})"));
  ASSERT_TRUE(known) << known.error().what;
  facts.imds = *known;
  world.endpoints.clear();
  ASSERT_TRUE(run(kMetadata)) << "there is no service to ask";
  ASSERT_FALSE(with_address(node::parse_imds(R"({"compute":{"vmSize":"x"}})")))
      << "the service is asked until it has one";
}

TEST_F(Steps, LeaveOutCardsThatOnlyTheMetadataServiceKnowsBelowARoot) {
  config.mutable_network_config()->set_standard_secondary_nic_count(1);
  files_only = true;
  learned[kMetadata] = "";
  ASSERT_TRUE(run("network.cards"));
  EXPECT_THAT(left_out, ElementsAre(HasSubstr("network cards"), "run netplan"));
}

TEST_F(Steps, RestartNetworkdForItsOwnConfigUnlessItHasReadIt) {
  facts = node::golden_image(render::Distro::kAzureLinux3);
  facts.texts["/etc/systemd/networkd.conf"] = "[DHCPv4]\n#UseDomains=no\n";
  put("/etc/systemd/networkd.conf", "[DHCPv4]\n#UseDomains=no\n");
  std::vector<std::string> started;
  world.on_operation = [&](host::TimePoint, std::string_view what, const std::string& on) {
    if (what == "start unit") started.push_back(on);
  };
  world.units["systemd-networkd.service"] = {};
  ASSERT_TRUE(run("network.domains"));
  EXPECT_THAT(started, ElementsAre("systemd-networkd.service"));
  EXPECT_THAT(world.disk.at("/etc/systemd/networkd.conf").content, HasSubstr("\nUseDomains=yes\n"));
  ASSERT_TRUE(run("network.domains"));
  EXPECT_EQ(started.size(), 1U) << "it has read it since";
}

TEST_F(Steps, PutPluginsInPlaceThatCanBeRun) {
  config.mutable_network_config()->set_network_plugin(aksnodeconfig::v1::NETWORK_PLUGIN_AZURE);
  config.mutable_network_config()->set_vnet_cni_plugins_url("https://example/azure-vnet-cni-linux-amd64-v1.6.tgz");
  const std::string folder = "/opt/cni/downloads/azure-vnet-cni-linux-amd64-v1.6";
  put(folder + "/azure-vnet", "plugin");  // 0644
  facts.paths.insert(folder);
  ASSERT_TRUE(run("cni.plugins"));
  EXPECT_EQ(world.disk.at("/opt/cni/bin/azure-vnet").mode, 0755U);
}

TEST_F(Steps, ConfigureAzureCniAlsoWhereItsPluginsAreSealed) {
  facts = node::golden_image(render::Distro::kOsGuard);
  config.mutable_network_config()->set_network_plugin(aksnodeconfig::v1::NETWORK_PLUGIN_AZURE);
  put("/opt/cni/bin/10-azure.conflist", "{}");
  ASSERT_TRUE(applies(*find_step("cni.config"), subject()));
  ASSERT_TRUE(run("cni.plugins"));
  ASSERT_TRUE(run("cni.config"));
  EXPECT_EQ(world.disk.at("/etc/cni/net.d/10-azure.conflist").mode, 0600U);
}

class Swap : public Steps {
 protected:
  Swap() {
    config.mutable_custom_linux_os_config()->set_enable_swap_config(true);
    config.mutable_custom_linux_os_config()->set_swap_file_size(1000);
    put("/dev/disk/azure/resource-part1", "../../sdb1", FileKind::kSymlink);
    put("/opt/azure/vhd-install.complete", "");
    put("/proc/mounts", "/dev/sda1 / ext4 rw 0 0\n/dev/sdb1 /mnt/the\\040disk ext4 rw 0 0\n");
  }
  std::string where() {
    host::sim::Machine machine(world);
    auto subject = std::make_shared<Subject>();
    subject->config = config;
    subject->facts = *gather_facts(machine.host().files, config);
    const auto step = make_step(*find_step("kernel.swap"), subject);
    for (const FileEffect& file : step->files)
      if (file.path.ends_with("/swapfile")) return file.path;
    return "";
  }
};

TEST_F(Swap, GoesToTheTemporaryDiskWhereThereIsRoom) {
  EXPECT_EQ(where(), "/mnt/the disk/swapfile");
  world.free_kib["/mnt/the disk"] = 1'000'000;  // exactly the file's size is not enough
  EXPECT_EQ(where(), "/swapfile");
}

TEST_F(Swap, StaysWhereItIsWhenItHasFilledTheDisk) {
  world.free_kib["/mnt/the disk"] = 10;
  put("/mnt/the disk/swapfile", std::string(1 << 20, '\0'));
  config.mutable_custom_linux_os_config()->set_swap_file_size(1);
  EXPECT_EQ(where(), "/mnt/the disk/swapfile");
}

TEST_F(Swap, GoesToTheOsDiskWhereTheOtherIsNotMounted) {
  put("/proc/mounts", "/dev/sda1 / ext4 rw 0 0\n");
  EXPECT_EQ(where(), "/swapfile");
}

TEST_F(Swap, EditsTheFstabOfItsMomentNotTheOneThatWasGathered) {
  put("/etc/fstab", "/dev/sda1 / ext4 rw 0 0\n");
  host::sim::Machine machine(world);
  facts = *gather_facts(machine.host().files, config);
  world.disk["/etc/fstab"].content += "/dev/sdc1 /data ext4 rw 0 0\n";  // from cloud-init, for example
  world.disk["/etc/fstab"].mode = 0600;
  for (const char* program : {"fallocate", "mkswap", "swapon"}) world.programs[program] = {};
  world.units["aks-swapfile.service"] = {};
  const auto done = run("kernel.swap", machine);
  ASSERT_TRUE(done) << done.error().what;
  EXPECT_THAT(world.disk["/etc/fstab"].content, testing::StartsWith("/dev/sda1 / ext4 rw 0 0\n/dev/sdc1 /data ext4"));
  EXPECT_THAT(world.disk["/etc/fstab"].content, HasSubstr(" none swap noauto,nofail 0 0\n"));
  EXPECT_EQ(world.disk["/etc/fstab"].mode, 0600U);
}

TEST_F(Swap, IsNotPlannedOnAnImageThatCannotBeRead) {
  put("/etc/fstab", "/dev/sda1 / ext4 rw 0 0\n");
  put("/etc/os-release", "ID=ubuntu\nVERSION_ID=\"24.04\"\n");
  put("/etc/upstream-release", "", FileKind::kDirectory);  // a directory on some images, so it has no content
  host::sim::Machine machine(world);
  const auto plan = [&]() -> Result<engine::Graph> {
    auto known = gather_facts(machine.host().files, config);
    if (!known) return std::move(known).error();
    auto about = std::make_shared<Subject>(subject());
    about->facts = *std::move(known);
    return derive(about);
  };
  ASSERT_TRUE(plan());
  for (const char* path : {"/etc", "/etc/fstab", "/etc/os-release", "/var/lib/dpkg/status", "/opt/bin", "/proc/mounts"})
    for (const int error : {EIO, EMFILE, EACCES}) {
      world.faults.unreadable = {{path, error}};
      const auto known = plan();
      ASSERT_FALSE(known) << path;
      EXPECT_THAT(known.error().what, HasSubstr(path));
      EXPECT_EQ(known.error().os_errno, error);
    }
}

TEST_F(Steps, KubeletIsStartedWhileContainerdComesUp) {
  world.units["kubelet.service"] = {};
  ASSERT_TRUE(run("kubelet.start"));
  EXPECT_EQ(world.started_beside["kubelet.service"], "containerd.service");
}

TEST_F(Steps, KubeletsFolderIsMovedByTheImagesUnit) {
  config.mutable_kubelet_config()->set_kubelet_disk_type(aksnodeconfig::v1::KUBELET_DISK_TEMP_DISK);
  EXPECT_FALSE(run("kubelet.disk")) << "the image has no such unit";
  world.units["bind-mount.service"] = {};
  EXPECT_TRUE(run("kubelet.disk"));
}

TEST_F(Steps, VersionOfContainerdIsThatOfItsAuthors) {
  host::sim::Machine machine(world);
  for (const char* version : {"2.0.6+azure-ubuntu24.04u1", "1:2.0.6-1", "2.0.6~rc1", "2.0.6"}) {
    put("/var/lib/dpkg/status", std::string("\nPackage: moby-containerd\nVersion: ") + version + "\n\n");
    EXPECT_EQ(gather_facts(machine.host().files, config)->containerd_version, "2.0.6") << version;
  }
}

class Refused : public Steps {
 protected:
  Error refusal() {
    host::sim::Machine machine(world);
    auto about = std::make_shared<Subject>(subject());
    const auto graph = derive(about);
    return graph ? Error("not refused") : graph.error();
  }
};

TEST_F(Refused, BeforeAnythingRanIfTheOutboundCommandIsNoneThatWeKnow) {
  config.set_outbound_command("nc -vz mcr.microsoft.com 443");
  EXPECT_EQ(refusal().code, 50);
  EXPECT_THAT(refusal().what, HasSubstr("step network.outbound: "));
}

TEST_F(Refused, BeforeAnythingRanIfTheDistributionCannotJoinARealm) {
  auto& search = *config.mutable_custom_search_domain_config();
  search.set_domain_name("example.com");
  search.set_realm_user("u");
  search.set_realm_password("p");
  EXPECT_EQ(refusal().what, "not refused");
  facts = node::golden_image(render::Distro::kAzureLinux3);
  EXPECT_EQ(refusal().code, 80);
}

TEST_F(Refused, BeforeAnythingRanIfKubeletDoesNotRunOnCgroupV1) {
  config.set_kubernetes_version("1.35.0");
  EXPECT_EQ(refusal().what, "not refused");
  facts.paths.erase("/sys/fs/cgroup/cgroup.controllers");
  EXPECT_EQ(refusal().code, 34);
  EXPECT_THAT(refusal().what, HasSubstr("step kubelet.start: kubelet 1.35.0 does not run on cgroup v1"));
  EXPECT_THAT(refusal().hint, HasSubstr("--fail-cgroupv1"));
}

TEST_F(Refused, CgroupV1IsNotWhereKubeletTakesIt) {
  facts.paths.erase("/sys/fs/cgroup/cgroup.controllers");
  const auto taken = [&] { return refusal().what == "not refused"; };
  config.set_kubernetes_version("1.34.9");
  EXPECT_TRUE(taken());
  config.set_kubernetes_version("1.35.0");
  EXPECT_FALSE(taken());
  (*config.mutable_kubelet_config()->mutable_kubelet_flags())["--fail-cgroupv1"] = "true";
  EXPECT_FALSE(taken());
  (*config.mutable_kubelet_config()->mutable_kubelet_flags())["--fail-cgroupv1"] = "false";
  EXPECT_TRUE(taken());
  config.mutable_kubelet_config()->clear_kubelet_flags();
  files_only = true;
  EXPECT_TRUE(taken());
}

class LateApiServer : public Steps {
 protected:
  LateApiServer() {
    world.units["kubelet.service"] = {.active = "active", .active_since_us = 1'000'000};
    learned["kubelet.started"] = "boot";
    learned["apiserver.name_tried"] = "0";
    learned["apiserver.tried"] = "30000000";
    world.clock = std::chrono::seconds(31);
  }
  bool starts_again() {
    EXPECT_TRUE(run("kubelet.again"));
    return world.units["kubelet.service"].active_since_us > 1'000'000;
  }
};

TEST_F(LateApiServer, IsAReasonToStartKubeletAgain) {
  EXPECT_TRUE(starts_again());
}

TEST_F(LateApiServer, IsNoneIfItsNameWasFoundAndItAnsweredAtOnce) {
  learned["apiserver.tried"] = "0";
  EXPECT_FALSE(starts_again());
  learned["apiserver.name_tried"] = "30000000";
  EXPECT_TRUE(starts_again());
}

TEST_F(LateApiServer, IsNoneIfItWasThereBeforeKubelet) {
  learned["apiserver.tried"] = "900000";
  EXPECT_FALSE(starts_again());
}

TEST_F(LateApiServer, IsNoneIfKubeletHasItsCertificate) {
  put("/var/lib/kubelet/pki/kubelet-client-current.pem", "");
  EXPECT_FALSE(starts_again());
}

TEST_F(Refused, BeforeAnythingRanIfAPreparedImageLacksWhatPreparingMakes) {
  facts.base_prep_done = true;
  EXPECT_THAT(refusal().what, HasSubstr("there is no /opt/bin/kubelet"));
  facts.paths.insert("/opt/bin/kubelet");
  EXPECT_EQ(refusal().what, "not refused");
}

TEST_F(Swap, UnitIsReadWithKubelets) {
  host::sim::Machine machine(world);
  auto subject = std::make_shared<Subject>();
  subject->config = config;
  subject->facts = *gather_facts(machine.host().files, config);
  const auto graph = derive(subject);
  ASSERT_TRUE(graph) << graph.error().what;
  const auto& steps = graph->steps();
  const auto load =
      std::find_if(steps.begin(), steps.end(), [](const engine::Step& step) { return step.name == kUnitsLoaded; });
  ASSERT_NE(load, steps.end());
  EXPECT_THAT(load->after, ElementsAre("kernel.swap"));
}

}  // namespace
}  // namespace sunup::plan
