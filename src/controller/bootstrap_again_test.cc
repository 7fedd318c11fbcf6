// bootstrap on a machine with existing state: an earlier attempt, another VM's disk, other users' files. Also what
// other units wait for.
#include <algorithm>
#include <fstream>
#include <set>

#include "base/text.h"
#include "controller/test_vm.h"

namespace sunup::controller {
namespace {

TEST(Bootstrap, ACapturedDiskBecomesANewNode) {
  Vm vm;
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  vm.set_id(kOtherId);
  vm.disc("node-2", good_custom_data());
  vm.instance("node-2", kOtherId);
  vm.put("/var/lib/kubelet/pki/kubelet-client-current.pem", "of node-1");
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_TRUE(vm.outcome->ok()) << vm.said;
  EXPECT_EQ(vm.text("/etc/hostname"), "node-2\n");
  EXPECT_EQ(vm.provisions, 2);
  EXPECT_EQ(vm.keys_made, 2);
  EXPECT_EQ(vm.text("/var/lib/kubelet/pki/kubelet-client-current.pem"), "(none)");
  EXPECT_EQ(vm.text("/var/lib/waagent/provisioned"), std::string(kOtherId) + "\n");
}

// A disk on which cloud-init and a control plane have provisioned another VM; it has no mark of ours.
TEST(Bootstrap, ADiskOfANodeThatCloudInitHasProvisionedBecomesANewNode) {
  const std::string foreign[] = {paths::kNodeConfig,
                                 paths::kFeatures,
                                 paths::kResultService,
                                 paths::kHotfixPointer,
                                 paths::kHotfixBinary,
                                 paths::kNodeCustomData,
                                 paths::kAzureJson,
                                 "/etc/kubernetes/certs/client.key",
                                 paths::kClientCertificate,
                                 "/var/lib/cni/results/cbr0-1-eth0",
                                 "/var/lib/cni/networks/azure/10.0.0.4",
                                 "/var/lib/kubelet/cpu_manager_state"};
  for (const bool has_id : {true, false}) {
    Vm vm;
    vm.put(paths::kResult, R"({"ExitCode":"0"})");
    vm.put(paths::kComplete, "");
    vm.put("/var/lib/cloud/data/instance-id", std::string(kOtherId) + "\n");
    vm.put("/etc/hostname", "other\n");
    for (const std::string& path : foreign) vm.put(path, "of the other");
    if (!has_id) {
      vm.put("/sys/class/dmi/id/product_uuid", "");
      vm.instance("node-1", "");
    }
    ASSERT_EQ(vm.boot(), EndOfRun::kDone);
    EXPECT_TRUE(vm.outcome->ok()) << vm.said;
    EXPECT_EQ(vm.provisions, 1) << "the other VM's result is not taken for this one's";
    for (const std::string& path : foreign) EXPECT_EQ(vm.text(path), "(none)") << path;
    EXPECT_THAT(vm.last_report(), HasSubstr("<State>Ready</State>"));
  }
}

TEST(Bootstrap, ThisVmsOwnResultOfCloudInitStands) {
  Vm vm;
  vm.put(paths::kResult, R"({"ExitCode":"0"})");
  vm.put(paths::kComplete, "");
  vm.put(paths::kKubeconfig, "mine");
  vm.put("/var/lib/cloud/data/instance-id", std::string(kId) + "\n");
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_TRUE(vm.outcome->ok()) << vm.said;
  EXPECT_EQ(vm.provisions, 0);
  EXPECT_EQ(vm.text(paths::kKubeconfig), "mine");
}

TEST(Bootstrap, ANodeOfCloudInitWhoseDiscIsGoneIsLeftAlone) {
  Vm vm;
  vm.put(paths::kResult, R"({"ExitCode":"0"})");
  vm.put(paths::kComplete, "");
  vm.put("/var/lib/cloud/data/instance-id", std::string(kId) + "\n");
  vm.no_disc();
  vm.world.endpoints[kInstanceUrl] = {.body = R"({"compute":{"vmId":")" + std::string(kId) +
                                              R"("},"extended":{"compute":{"hasCustomData":true}}})"};
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_TRUE(vm.outcome->ok()) << vm.said;
  EXPECT_THAT(vm.reports, testing::IsEmpty());
  EXPECT_EQ(vm.keys_made, 0);
}

TEST(Bootstrap, AnImageThatWasNeverANodeKeepsItsFeatures) {
  Vm vm;
  vm.put(paths::kFeatures, "A=1\n");
  vm.disc("node-1", "broken");
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_FALSE(vm.outcome->ok());
  vm.disc("node-1", good_custom_data());
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_TRUE(vm.outcome->ok()) << vm.said;
  EXPECT_EQ(vm.text(paths::kFeatures), "A=1\n") << "the failure before was this VM's own";
}

TEST(Bootstrap, SshStartsBeforeAReportThatIsNotAccepted) {
  Vm vm;
  vm.disc("node-1", std::string(65536, '\0'));
  vm.world.endpoints.erase(kGoalUrl);
  std::string key_then;
  int notified = 0;
  size_t asked_then = 0, asked = 0;
  vm.on_notify([&] {
    if (++notified > 1) return;
    key_then = vm.text("/etc/ssh/ssh_host_rsa_key");
    asked_then = asked;
  });
  vm.world.on_operation = [&, notify = vm.world.on_operation](host::TimePoint now, std::string_view what,
                                                              const std::string& on) {
    asked += on == kGoalUrl ? 1 : 0;
    notify(now, what, on);
  };
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_FALSE(vm.outcome->ok());
  EXPECT_GE(vm.took, 50s) << "the report is tried until its limit";
  EXPECT_EQ(key_then, "key 1") << "host keys are made although the data is broken";
  EXPECT_GE(notified, 1);
  EXPECT_LT(asked_then, asked / 2) << "of the attempts to report";
  vm.world.on_operation = nullptr;
  vm.disc("node-1", good_custom_data());
  vm.world.endpoints[kGoalUrl] = Vm().world.endpoints[kGoalUrl];
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_TRUE(vm.outcome->ok()) << vm.said;
  EXPECT_EQ(vm.keys_made, 1) << "a VM's host keys are made once";
}

TEST(Bootstrap, TheUnitIsStartedWhenTheAgentsFilesAndTheHostKeysAreThere) {
  Vm vm;
  bool first = true;
  vm.on_notify([&] {
    if (!std::exchange(first, false)) return;
    EXPECT_EQ(vm.text("/var/lib/waagent/provisioned"), std::string(kId) + "\n");
    EXPECT_NE(vm.text("/var/lib/waagent/ovf-env.xml"), "(none)");
    EXPECT_EQ(vm.text("/etc/ssh/ssh_host_rsa_key"), "key 1");
  });
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_FALSE(first);
}

TEST(Bootstrap, TheUnitIsOrderedBeforeThoseThatDependOnIt) {
  std::ifstream file("packaging/systemd/aks-node-bootstrap.service");
  std::set<std::string> before;
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("Before="))
      for (const std::string_view unit : words(std::string_view(line).substr(7))) before.emplace(unit);
  for (const char* unit : {"walinuxagent.service", "waagent.service", "ssh.service", "sshd.service"})
    EXPECT_TRUE(before.contains(unit)) << unit;
}

TEST(Bootstrap, CorrectedDataIsUsedAfterAFailure) {
  const std::string wrong = "export A=wrong\n" + std::string(500, '#') + "\n";
  const std::string wrong_data = std::string("#cloud-config\nwrite_files:\n- path: ") + paths::kNbcCommand +
                                 "\n  encoding: b64\n  content: " + base64_encode(wrong) + "\n";
  for (const bool by_disc : {true, false}) {
    Vm vm;
    vm.disc("node-1", wrong_data);
    vm.succeeds = false;
    ASSERT_EQ(vm.boot(), EndOfRun::kDone);
    EXPECT_EQ(vm.text(paths::kNbcCommand), wrong);
    vm.succeeds = true;
    if (by_disc) {
      vm.disc("node-1", good_custom_data());
    } else {
      vm.no_disc();
      vm.user_data(good_custom_data());
    }
    ASSERT_EQ(vm.boot(), EndOfRun::kDone);
    EXPECT_TRUE(vm.outcome->ok()) << vm.said;
    EXPECT_EQ(vm.text(paths::kNbcCommand), command_text());
  }
}

TEST(Bootstrap, CorrectedUserDataIsUsedAfterSeveralFailures) {
  Vm vm;
  vm.succeeds = false;
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  vm.no_disc();
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_EQ(vm.provisions, 2) << "with the data that was kept";
  vm.succeeds = true;
  vm.user_data(good_custom_data() + "  owner: root\n");
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_TRUE(vm.outcome->ok()) << vm.said;
  EXPECT_THAT(vm.said, HasSubstr(R"("from":"metadata service")"));
}

TEST(Bootstrap, UserDataThatWasThereBeforeDoesNotReplaceTheDiscs) {
  Vm vm;
  vm.user_data("older");
  vm.succeeds = false;
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  vm.succeeds = true;
  vm.no_disc();
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_TRUE(vm.outcome->ok()) << vm.said;
  EXPECT_EQ(vm.text(paths::kNbcCommand), command_text());
}

TEST(Bootstrap, UserDataForAnotherProgramDoesNotReplaceTheDiscs) {
  Vm vm;
  vm.succeeds = false;
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  vm.succeeds = true;
  vm.no_disc();
  vm.user_data("#!/bin/sh\necho of another program\n");
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_TRUE(vm.outcome->ok()) << vm.said;
  EXPECT_EQ(vm.text(paths::kNbcCommand), command_text());
  EXPECT_NE(vm.text(kCloudInitSwitch), "(none)");
}

TEST(Bootstrap, AServiceThatDoesNotKnowTheNameDoesNotPreventASecondAttempt) {
  Vm vm;
  vm.succeeds = false;
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  vm.succeeds = true;
  vm.no_disc();
  vm.world.endpoints[kInstanceUrl] = {.body = R"({"compute":{"vmId":")" + std::string(kId) + "\"}}"};
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_TRUE(vm.outcome->ok()) << vm.said;
}

TEST(Bootstrap, AHookThatIsNoLongerSentIsRemovedAndThatOfTheImageStays) {
  const std::string folder = paths::kHooks;
  const auto with_hook = [&](const std::string& name) {
    return good_custom_data() + "- path: " + folder + "/" + name + ".json\n  content: '{}'\n";
  };
  Vm vm;
  vm.put(folder + "/image.json", "{}");
  vm.disc("node-1", with_hook("first"));
  vm.succeeds = false;
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_EQ(vm.text(folder + "/first.json"), "{}");
  vm.disc("node-1", with_hook("second"));
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_EQ(vm.text(folder + "/first.json"), "(none)");
  EXPECT_EQ(vm.text(folder + "/second.json"), "{}");
  // A captured disk.
  vm.set_id(kOtherId);
  vm.disc("node-2", good_custom_data());
  vm.instance("node-2", kOtherId);
  vm.succeeds = true;
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_TRUE(vm.outcome->ok()) << vm.said;
  EXPECT_EQ(vm.text(folder + "/second.json"), "(none)");
  EXPECT_EQ(vm.text(folder + "/image.json"), "{}");
}

TEST(Bootstrap, ADiskOfAnotherNodeIsRecognisedAgainAfterAPowerCut) {
  for (uint64_t crash_at = 1;; ++crash_at) {
    SCOPED_TRACE(crash_at);
    Vm vm(crash_at);
    vm.put(paths::kComplete, "");
    vm.put(paths::kAzureJson, "of the other");
    vm.put("/etc/kubernetes/certs/client.key", "of the other");
    vm.world.faults.crash_at = crash_at;
    vm.world.faults.cut_power = true;
    const EndOfRun end = vm.boot();
    vm.world.faults.crash_at = 0;
    if (end != EndOfRun::kDone) {
      vm.world.power_cut();
      vm.disc("node-1", good_custom_data());
      vm.put("/proc/sys/kernel/random/boot_id", "second boot\n");
      ASSERT_EQ(vm.boot(), EndOfRun::kDone) << vm.said;
    } else {
      EXPECT_GT(crash_at, 10u) << "no power cut was simulated";
    }
    EXPECT_TRUE(vm.outcome->ok()) << vm.said;
    EXPECT_EQ(vm.text(paths::kAzureJson), "(none)");
    EXPECT_EQ(vm.text("/etc/kubernetes/certs/client.key"), "(none)");
    if (end == EndOfRun::kDone) break;
  }
}

TEST(Bootstrap, ADiscForAnotherVmIsNotReplacedByOlderData) {
  Vm vm;
  vm.succeeds = false;
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  vm.disc("other", good_custom_data());
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_FALSE(vm.outcome->ok());
  EXPECT_THAT(vm.last_report(), HasSubstr("the provisioning disc is for other"));
  EXPECT_EQ(vm.provisions, 1);
}

TEST(Bootstrap, AConfigOfAnEarlierAttemptThatIsNoLongerSentIsRemoved) {
  Vm vm;
  vm.put(paths::kNodeConfig, "{}");
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_EQ(vm.text(paths::kNodeConfig), "(none)");
}

TEST(Bootstrap, FilesOfOthersAndLinksAreReplaced) {
  for (const bool link : {false, true}) {
    Vm vm;
    if (link) {
      vm.put("/home/other/command", command_text(), 0600);
      vm.put(paths::kNbcCommand, "");
      vm.world.disk[paths::kNbcCommand] = {host::FileKind::kSymlink, 0777, "/home/other/command"};
    } else {
      vm.put(paths::kNbcCommand, command_text(), 0600);
      vm.world.disk[paths::kNbcCommand].own = false;
    }
    vm.world.durable = vm.world.disk;
    ASSERT_EQ(vm.boot(), EndOfRun::kDone);
    EXPECT_TRUE(vm.outcome->ok()) << vm.said;
    const auto& file = vm.world.disk[paths::kNbcCommand];
    EXPECT_TRUE(file.own);
    EXPECT_EQ(file.kind, host::FileKind::kRegular);
    EXPECT_EQ(file.content, command_text());
  }
}

TEST(Bootstrap, DisksArePreparedAfterTheScriptsToo) {
  Vm vm;
  vm.put("/sys/dev/block/0:0/partition", "1\n");
  vm.world.disk["/sys/dev/block/0:0"] = {host::FileKind::kSymlink, 0777, "../../devices/pci0/block/sda/sda1"};
  vm.world.mounts.push_back({"/dev/root", "/", "ext4", "rw"});
  vm.put("/dev/disk/cloud/azure_resource", "");
  vm.put("/dev/disk/cloud/azure_resource-part1", "");
  std::vector<std::string> ran;
  for (const char* program : {"growpart", "resize2fs", "eject", "blkid", "mkfs.ext4"}) vm.world.programs[program] = {};
  vm.world.on_spawn = [&](const host::Command& command) { ran.push_back(command.argv[0]); };
  vm.world.durable = vm.world.disk;
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_TRUE(vm.outcome->ok()) << vm.said;
  for (const char* program : {"growpart", "resize2fs", "eject", "mkfs.ext4"})
    EXPECT_THAT(ran, testing::Contains(program)) << vm.said;
  EXPECT_LT(std::ranges::find(ran, "/bin/bash"), std::ranges::find(ran, "growpart")) << "kubelet comes first";
  // The disk may have been enlarged since.
  ran.clear();
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_THAT(ran, testing::IsSupersetOf({"growpart", "resize2fs"}));
}

// A VM in a pool that becomes node-1 after half a minute: its link goes down and up, and the metadata service has the
// new data.
class PoolVm : public Vm {
 public:
  explicit PoolVm(uint64_t seed = 1) : Vm(seed) {
    put(kOvfOnDisc, ovf("pool-1", "of the pool", "<PreprovisionedVMType>Running</PreprovisionedVMType>"));
    world.link_changes = {{30s, {.name = "eth0", .up = false}}, {31s, {.name = "eth0", .up = true}}};
    world.on_operation = [this](host::TimePoint now, std::string_view, const std::string&) {
      given_away = now.time_since_epoch() >= 30s;
    };
    world.endpoints[kInstanceUrl] = {.answer = [this](const host::HttpRequest&) {
      return host::HttpReply{.status = 200,
                             .body = R"({"compute":{"vmId":")" + std::string(kId) +
                                     R"(","osProfile":{"computerName":")" + (given_away ? "node-1" : "pool-1") +
                                     R"("}},"extended":{"compute":{"ppsType":"Running"}}})"};
    }};
    world.endpoints["http://169.254.169.254/metadata/reprovisiondata?api-version=2019-06-01"] = {
        .answer = [this](const host::HttpRequest&) {
          if (!given_away) return host::HttpReply{.status = 404};
          return host::HttpReply{.status = 200, .body = ovf("node-1", good_custom_data())};
        }};
  }
  bool given_away = false;
};

TEST(Bootstrap, AVmInAPoolReportsReadyAndBecomesTheNodeThatItIsGivenAwayAs) {
  PoolVm vm;
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_TRUE(vm.outcome->ok()) << vm.said;
  EXPECT_EQ(vm.text("/etc/hostname"), "node-1\n");
  EXPECT_EQ(vm.text(paths::kNbcCommand), command_text());
  ASSERT_EQ(vm.reports.size(), 2u) << "in the pool, and as a node";
  for (const std::string& report : vm.reports) EXPECT_THAT(report, HasSubstr("<State>Ready</State>"));
  EXPECT_GT(vm.took, 29s);
}

TEST(Bootstrap, AVmInAPoolConvergesAfterBeingKilledAnywhere) {
  for (uint64_t crash_at = 1;; ++crash_at) {
    SCOPED_TRACE(crash_at);
    PoolVm vm(crash_at);
    vm.world.faults.crash_at = crash_at;
    if (vm.boot() == EndOfRun::kDone) {
      EXPECT_GT(crash_at, 40u) << "there is something to interrupt";
      break;
    }
    EXPECT_NE(vm.text("/etc/hostname"), "pool-1\n");
    vm.world.faults.crash_at = 0;
    ASSERT_EQ(vm.boot(), EndOfRun::kDone) << vm.said;
    EXPECT_TRUE(vm.outcome->ok()) << vm.said;
    EXPECT_EQ(vm.text("/etc/hostname"), "node-1\n");
    EXPECT_THAT(vm.last_report(), HasSubstr("<State>Ready</State>"));
  }
}

// The link changes while no process of this program runs.
TEST(Bootstrap, AVmThatIsGivenAwayWhileItIsNotLookingIsNotLeftInThePool) {
  for (uint64_t crash_at = 1;; ++crash_at) {
    SCOPED_TRACE(crash_at);
    PoolVm vm(crash_at);
    vm.world.faults.crash_at = crash_at;
    if (vm.boot() == EndOfRun::kDone) {
      EXPECT_GT(crash_at, 10u) << "no crash was simulated";
      break;
    }
    vm.world.faults.crash_at = 0;
    vm.world.clock = std::max<host::Duration>(vm.world.clock, 1min);
    vm.given_away = true;
    vm.no_disc();
    vm.put("/dev/sr0", "");
    vm.put(kOvfOnDisc, Vm::ovf("pool-1", "of the pool", "<PreprovisionedVMType>Running</PreprovisionedVMType>"));
    const EndOfRun end = vm.boot();
    // Before the VM is known to be in the pool, its first data contradicts that of the metadata service.
    if (end == EndOfRun::kDone && !vm.outcome->ok())
      EXPECT_THAT(vm.said, HasSubstr("the provisioning disc is for pool-1"));
    else
      EXPECT_EQ(vm.text("/etc/hostname"), "node-1\n") << vm.said;
    if (vm.world.disk.contains(std::string(kInstances) + "/" + kId + "/pool"))
      EXPECT_TRUE(vm.outcome && vm.outcome->ok()) << vm.said;
  }
}

// The process is killed after it has sent its report and before the reply arrives. The link changes before the next
// process starts, and the provisioning data appears later.
TEST(Bootstrap, AVmInAPoolThatDoesNotKnowWhetherItHasReportedStillLooksForItsData) {
  PoolVm vm;
  vm.world.link_changes.clear();
  vm.world.on_operation = [&vm](host::TimePoint now, std::string_view, const std::string&) {
    vm.given_away = now.time_since_epoch() >= 5min;
  };
  vm.put(std::string(kInstances) + "/" + kId + "/pool", "Running\n");
  ASSERT_EQ(vm.boot(), EndOfRun::kDone) << vm.said;
  EXPECT_TRUE(vm.outcome->ok()) << vm.said;
  EXPECT_EQ(vm.text("/etc/hostname"), "node-1\n");
}

TEST(Bootstrap, AnUnknownKindOfPoolIsLeftToCloudInit) {
  Vm vm;
  vm.put(kOvfOnDisc, Vm::ovf("node-1", good_custom_data(), "<PreprovisionedVMType>NewKind</PreprovisionedVMType>"));
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_FALSE(vm.outcome->ok()) << "there is no cloud-init on this image";
  EXPECT_THAT(vm.last_report(), HasSubstr("pre-provisioned in a way that is not known (NewKind)"));
  vm.expect_nothing_set();
}

}  // namespace
}  // namespace sunup::controller
