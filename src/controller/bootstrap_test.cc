// bootstrap on the simulated machine: with valid data, with invalid data, killed at every operation.
#include "controller/bootstrap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "controller/test_vm.h"

namespace sunup::controller {
namespace {

TEST(Bootstrap, MakesTheNodeProvisionsItAndReportsReady) {
  Vm vm;
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_TRUE(vm.outcome->ok()) << vm.said;
  EXPECT_EQ(vm.text("/etc/hostname"), "node-1\n");
  EXPECT_EQ(vm.text(paths::kNbcCommand), command_text());
  EXPECT_EQ(vm.world.disk[paths::kNbcCommand].mode, 0600u);
  EXPECT_EQ(vm.text("/home/me/.ssh/authorized_keys"), "ssh-rsa AAAA me\n");
  EXPECT_EQ(vm.text("/etc/ssh/ssh_host_rsa_key"), "key 1");
  EXPECT_EQ(vm.text("/var/lib/waagent/provisioned"), std::string(kId) + "\n");
  EXPECT_EQ(vm.provisions, 1);
  EXPECT_THAT(vm.last_report(), HasSubstr("<State>Ready</State>"));
  EXPECT_EQ(vm.text(std::string(kInstances) + "/" + kId + "/ovf-env.xml"), "(none)")
      << "secrets stay no longer than needed";
  // The next boot finds everything done; the disc no longer exists.
  vm.no_disc();
  const size_t reports = vm.reports.size();
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_TRUE(vm.outcome->ok());
  EXPECT_EQ(vm.provisions, 1);
  EXPECT_EQ(vm.keys_made, 1);
  EXPECT_EQ(vm.reports.size(), reports);
}

TEST(Bootstrap, AFailedProvisionIsReportedAtOnceAndCanBeTriedAgain) {
  Vm vm;
  vm.succeeds = false;
  const auto delay = vm.boot_until_report();
  ASSERT_TRUE(delay);
  EXPECT_LT(*delay, 1s);
  EXPECT_FALSE(vm.outcome->ok());
  EXPECT_THAT(vm.last_report(), HasSubstr("<State>NotReady</State>"));
  EXPECT_THAT(vm.last_report(), HasSubstr("exit_code=1"));
  vm.succeeds = true;
  vm.no_disc();  // after a reboot
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_TRUE(vm.outcome->ok()) << vm.said;
  EXPECT_THAT(vm.last_report(), HasSubstr("<State>Ready</State>"));
  EXPECT_EQ(vm.keys_made, 1) << "the identity is made once";
}

TEST(Bootstrap, BadDataSetsNothingAndIsToldAsNotReady) {
  const std::pair<std::string, const char*> cases[] = {
      {std::string(65536, '\0'), "zero bytes"},
      {"hello", "not in any form"},
      {good_custom_data().substr(0, 202), "base64"},
      {"", "no custom data"},
      {"MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"b\"\n\n--b\nContent-Type: text/cloud-config\n\n" +
           good_custom_data(),
       "cut"},
      {std::string("#cloud-config\nwrite_files:\n- path: ") + paths::kNbcCommand +
           "\n  content: a\n- path: " + paths::kNbcCommand + "\n  content: b\n",
       "two different files"},
  };
  for (const auto& [custom_data, why] : cases) {
    Vm vm;
    vm.disc("node-1", custom_data);
    const auto delay = vm.boot_until_report();
    ASSERT_TRUE(delay) << why;
    EXPECT_LT(*delay, 1s) << why;
    EXPECT_FALSE(vm.outcome->ok());
    vm.expect_nothing_set();
    EXPECT_THAT(vm.last_report(), HasSubstr("NotReady")) << why;
    EXPECT_THAT(vm.last_report(), HasSubstr(why));
    EXPECT_THAT(vm.text(paths::kResult), HasSubstr(why));
    EXPECT_TRUE(vm.world.disk.contains(paths::kComplete));
    // The same VM with valid data: nothing is left of the failure.
    vm.disc("node-1", good_custom_data());
    ASSERT_EQ(vm.boot(), EndOfRun::kDone);
    EXPECT_TRUE(vm.outcome->ok()) << vm.said;
  }
}

TEST(Bootstrap, AnotherVmsIdentityIsNotTakenAndTheNodeCanBeTriedAgain) {
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"other", kId, "the provisioning disc is for other"},
      {"node-1", kOtherId, "answers for VM"},
  };
  for (const auto& [name, id, why] : cases) {
    Vm vm;
    vm.disc(name, good_custom_data());
    vm.instance("node-1", id);
    ASSERT_EQ(vm.boot(), EndOfRun::kDone);
    EXPECT_FALSE(vm.outcome->ok()) << why;
    vm.expect_nothing_set();
    EXPECT_THAT(vm.last_report(), HasSubstr("NotReady")) << why;
    EXPECT_THAT(vm.last_report(), HasSubstr(why));
    EXPECT_THAT(vm.text(paths::kResult), HasSubstr(why));
    vm.disc("node-1", good_custom_data());
    vm.instance("node-1");
    ASSERT_EQ(vm.boot(), EndOfRun::kDone);
    EXPECT_TRUE(vm.outcome->ok()) << vm.said;
    EXPECT_THAT(vm.last_report(), HasSubstr("<State>Ready</State>"));
  }
}

TEST(Bootstrap, AMetadataServiceThatLiesSetsNothingAndTheNodeCanBeTriedAgain) {
  const std::pair<const char*, const char*> lies[] = {
      {"<html>sign in</html>", "not a JSON object"},
      {R"({"compute":{"vmId":7}})", "vmId"},
      {R"({"compute":{"osProfile":{"computerName":"node-1","adminUsername":"../../root"}}})", "user"},
      {R"({"compute":{"osProfile":{"computerName":"node-1\nevil"}}})", "host name"},
  };
  for (const auto& [body, why] : lies) {
    Vm vm;
    vm.world.endpoints[kInstanceUrl] = {.body = body};
    ASSERT_EQ(vm.boot(), EndOfRun::kDone);
    EXPECT_FALSE(vm.outcome->ok()) << body;
    vm.expect_nothing_set();
    EXPECT_THAT(vm.last_report(), HasSubstr("NotReady")) << body;
    EXPECT_THAT(vm.last_report(), HasSubstr(why)) << body;
    EXPECT_THAT(vm.text(paths::kResult), HasSubstr(why)) << body;
    vm.instance("node-1");
    ASSERT_EQ(vm.boot(), EndOfRun::kDone);
    EXPECT_TRUE(vm.outcome->ok()) << vm.said;
    EXPECT_THAT(vm.last_report(), HasSubstr("<State>Ready</State>"));
  }
}

TEST(Bootstrap, AWireServerThatRefusesForAWhileHearsReadyOnce) {
  Vm vm;
  vm.world.endpoints[kGoalUrl].failures = 3;
  vm.world.endpoints[kGoalUrl].cuts = 1;
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_TRUE(vm.outcome->ok()) << vm.said;
  ASSERT_EQ(vm.reports.size(), 1u);
  EXPECT_THAT(vm.last_report(), HasSubstr("<State>Ready</State>"));
  EXPECT_THAT(vm.said, HasSubstr("trying again"));
}

TEST(Bootstrap, AWireServerThatNeverAcceptsFailsTheUnitAndNotTheNode) {
  for (const bool drips : {false, true}) {
    Vm vm;
    if (drips)
      vm.world.endpoints[kGoalUrl].takes = 1h;
    else
      vm.world.endpoints.erase(kGoalUrl);
    ASSERT_EQ(vm.boot(), EndOfRun::kDone);
    EXPECT_FALSE(vm.outcome->ok());
    EXPECT_LT(vm.took, 3min) << "the limit of the report";
    EXPECT_THAT(vm.text(paths::kResult), HasSubstr("\"0\"")) << "the node is provisioned";
    EXPECT_THAT(vm.said, HasSubstr("Azure does not know the state of this node"));
    EXPECT_EQ(vm.text("/etc/hostname"), "node-1\n");
    // The next start does not provision again, but reports.
    vm.world.endpoints[kGoalUrl] = Vm().world.endpoints[kGoalUrl];
    ASSERT_EQ(vm.boot(), EndOfRun::kDone);
    EXPECT_TRUE(vm.outcome->ok()) << vm.said;
    EXPECT_EQ(vm.provisions, 1);
    EXPECT_EQ(vm.keys_made, 1);
    EXPECT_THAT(vm.last_report(), HasSubstr("<State>Ready</State>"));
  }
}

TEST(Bootstrap, AVmThatIsStoppedBeforeItsReportIsAcceptedReportsAtTheNextStart) {
  Vm vm;
  const auto goal = vm.world.endpoints[kGoalUrl];
  vm.world.endpoints.erase(kGoalUrl);
  vm.world.faults.terminate_after = 20s;
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_FALSE(vm.outcome->ok());
  EXPECT_THAT(vm.text(paths::kResult), HasSubstr("\"0\"")) << "the node is provisioned";
  vm.world.faults.terminate_after = 0s;
  vm.world.endpoints[kGoalUrl] = goal;
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_TRUE(vm.outcome->ok()) << vm.said;
  EXPECT_EQ(vm.provisions, 1);
  EXPECT_THAT(vm.last_report(), HasSubstr("<State>Ready</State>"));
}

TEST(Bootstrap, ARunThatOnlyPreparesTheImageIsReportedAndDoneOnce) {
  Vm vm;
  vm.world.programs["/bin/bash"].effect = [&vm](const std::vector<std::string>&, host::Files& files) -> Result<void> {
    ++vm.provisions;
    if (auto done = files.write(paths::kResult, R"({"ExitCode":"0"})"); !done) return done;
    return files.write(paths::kBasePrepComplete, "");
  };
  const std::string command = "export PRE_PROVISION_ONLY=true\n" + std::string(500, '#') + "\n";
  vm.disc("node-1", std::string("#cloud-config\nwrite_files:\n- path: ") + paths::kNbcCommand +
                        "\n  encoding: b64\n  content: " + base64_encode(command) + "\n");
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_TRUE(vm.outcome->ok()) << vm.said;
  EXPECT_EQ(vm.text(paths::kComplete), "(none)") << "the nodes of the image must be provisioned";
  ASSERT_EQ(vm.reports.size(), 1u);
  EXPECT_THAT(vm.last_report(), HasSubstr("<State>Ready</State>"));
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_EQ(vm.provisions, 1);
  EXPECT_EQ(vm.reports.size(), 1u);
}

TEST(Bootstrap, AWorkingNodeWhoseStateCannotBeReadIsLeftAlone) {
  Vm vm;
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  vm.no_disc();
  vm.put("/usr/bin/cloud-init", "");
  const std::string state = std::string(kInstances) + "/" + kId;
  for (const std::string& path : {state + "/done", std::string(kInstances)}) {
    vm.world.faults.unreadable = {{path, EIO}};
    if (path == kInstances) vm.world.faults.unreadable[state + "/done"] = EIO;
    ASSERT_EQ(vm.boot(), EndOfRun::kDone);
    EXPECT_FALSE(vm.outcome->ok());
    EXPECT_EQ(vm.reports.size(), 1u) << "it stays Ready for the platform";
    EXPECT_NE(vm.text(kCloudInitSwitch), "(none)");
    EXPECT_EQ(vm.provisions, 1);
  }
  vm.world.faults.unreadable.clear();
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_TRUE(vm.outcome->ok()) << vm.said;
}

TEST(Bootstrap, HostKeysAreMadeWhileThereIsNoNetworkYet) {
  Vm vm;
  vm.world.address_from = 30s;
  host::Duration made{};
  vm.world.on_spawn = [](const host::Command&) {};
  vm.world.on_operation = [&](host::TimePoint now, std::string_view, const std::string&) {
    if (vm.keys_made == 1 && made == host::Duration{}) made = now.time_since_epoch();
  };
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_TRUE(vm.outcome->ok()) << vm.said;
  EXPECT_LT(made, 10s);
  EXPECT_EQ(vm.keys_made, 1);
}

TEST(Bootstrap, APathThatCannotBeWrittenLeavesTheHostNameAndTheConfigUnset) {
  Vm vm;
  vm.disc("node-1", good_custom_data() + "- path: /etc/ssh\n  content: x\n");
  vm.put("/etc/ssh/sshd_config", "");
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_FALSE(vm.outcome->ok());
  vm.expect_nothing_set();
}

TEST(Bootstrap, ANewResourceDiskIsPreparedAtALaterBoot) {
  Vm vm;
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  vm.put("/dev/disk/cloud/azure_resource", "");
  vm.put("/dev/disk/cloud/azure_resource-part1", "");
  vm.world.programs["blkid"] = {};
  vm.world.programs["mkfs.ext4"] = {};
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_TRUE(vm.outcome->ok()) << vm.said;
  EXPECT_THAT(vm.text("/etc/fstab"), HasSubstr("azure_resource-part1 /mnt ext4"));
}

TEST(Bootstrap, AResourceDiskThatThisVmHadIsWaitedForAtALaterBoot) {
  Vm vm;
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  const std::string entry =
      "/dev/disk/cloud/azure_resource-part1 /mnt ext4 defaults,nofail,comment=aks-node-controller 0 2\n";
  vm.put("/etc/fstab", entry);
  vm.world.programs["blkid"] = {.output = "ext4\n"};
  const auto udev = [](Node& node) -> host::Task<void> {
    co_await node.loop.after(3s);
    (void)node.files.write("/dev/disk/cloud/azure_resource-part1", "");
    (void)node.files.write("/dev/disk/cloud/azure_resource", "");
  };
  const auto boot = [&udev](Node& node) -> host::Task<Outcome> {
    const host::Running appears(node.loop, udev(node));
    co_return co_await bootstrap(node, {});
  };
  ASSERT_EQ(vm.run(boot, &vm.outcome), EndOfRun::kDone);
  EXPECT_TRUE(std::ranges::any_of(vm.world.mounts, [](const auto& mount) { return mount.target == "/mnt"; }))
      << vm.said;
  EXPECT_EQ(vm.text("/etc/fstab"), entry);
}

TEST(Bootstrap, AShutdownDuringProvisioningIsNotReported) {
  Vm vm;
  vm.succeeds = false;
  vm.world.stops = true;
  vm.world.faults.terminate_after = 1min;
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_THAT(vm.reports, testing::IsEmpty()) << "the next boot starts over";
  vm.world.stops = false;
  vm.world.faults.terminate_after = host::Duration::zero();
  vm.succeeds = true;
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_THAT(vm.last_report(), HasSubstr("<State>Ready</State>"));
}

TEST(Bootstrap, AVmBehindAProxyAgentIsLeftToCloudInit) {
  Vm vm;
  vm.put("/usr/bin/cloud-init", "");
  vm.put("/dev/sr0", "");
  vm.put(kOvfOnDisc,
         Vm::ovf("node-1", good_custom_data(), "<ProvisionGuestProxyAgent>true</ProvisionGuestProxyAgent>"));
  vm.world.units["cloud-init.target"] = {};
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_EQ(vm.text(kCloudInitSwitch), "(none)") << vm.said;
  EXPECT_THAT(vm.said, HasSubstr("azure-proxy-agent"));
}

TEST(Bootstrap, AResultWithoutAMarkerIsReportedAsItIs) {
  Vm vm;
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  vm.put(std::string(kInstances) + "/" + kId + "/ovf-env.xml", "");
  for (const std::string& path : {std::string(paths::kComplete), std::string(kInstances) + "/" + kId + "/done"}) {
    vm.world.disk.erase(path);
    vm.world.durable.erase(path);
  }
  vm.world.faults.unwritable = {{paths::kComplete, EROFS}};
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  ASSERT_EQ(vm.reports.size(), 2u) << vm.said;
  EXPECT_THAT(vm.last_report(), HasSubstr("<State>Ready</State>"));
}

TEST(Bootstrap, TheDataOfAVmThatIsSetUpDoesNotStayAfterAPowerCut) {
  Vm vm;
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  const std::string kept = std::string(kInstances) + "/" + kId + "/ovf-env.xml";
  vm.put(kept, "password");
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_EQ(vm.text(kept), "(none)");
}

TEST(Bootstrap, OnlyRootReadsAConfigWhoseModeIsNotGiven) {
  Vm vm;
  vm.disc("node-1", std::string("#cloud-config\nwrite_files:\n- path: ") + paths::kNbcCommand +
                        "\n  encoding: b64\n  content: " + base64_encode(command_text()) + "\n");
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_EQ(vm.world.disk[paths::kNbcCommand].mode, 0600u);
}

TEST(Bootstrap, AUserThatCannotBeMadeIsAFailure) {
  Vm vm;
  vm.world.programs["useradd"].failures = 1;
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_FALSE(vm.outcome->ok());
  EXPECT_THAT(vm.last_report(), HasSubstr("identity"));
  EXPECT_THAT(vm.text(paths::kResult), HasSubstr("identity"));
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_TRUE(vm.outcome->ok()) << vm.said;
}

TEST(Bootstrap, WhatIsForCloudInitIsLeftToIt) {
  Vm vm;
  vm.put("/usr/bin/cloud-init", "", 0755);
  vm.world.units["cloud-init.target"] = {};
  vm.disc("node-1", "#!/bin/sh\necho hello\n");
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_TRUE(vm.outcome->ok()) << vm.said;
  vm.expect_nothing_set();
  EXPECT_FALSE(vm.world.disk.contains(kCloudInitSwitch));
  EXPECT_FALSE(vm.world.disk.contains("/var/lib/waagent/provisioned")) << "the agent is free to act";
  EXPECT_TRUE(vm.reports.empty()) << "cloud-init reports";
  EXPECT_THAT(vm.said, HasSubstr("left to cloud-init"));
  EXPECT_THAT(vm.said, HasSubstr("it has a script"));
  EXPECT_EQ(vm.world.units["cloud-init.target"].active, "active");
}

TEST(Bootstrap, WithoutCloudInitItIsAFailureWithTheReason) {
  Vm vm;
  vm.disc("node-1", "#!/bin/sh\necho hello\n");
  ASSERT_EQ(vm.boot(), EndOfRun::kDone);
  EXPECT_FALSE(vm.outcome->ok());
  EXPECT_THAT(vm.last_report(), HasSubstr("it has a script"));
}

void expect_convergence(bool cut_power) {
  for (uint64_t crash_at = 1;; ++crash_at) {
    SCOPED_TRACE(crash_at);
    Vm vm(crash_at);
    vm.world.faults.crash_at = crash_at;
    const EndOfRun first = vm.boot();
    if (first == EndOfRun::kDone) {
      EXPECT_GT(crash_at, 20u) << "there is something to interrupt";
      break;
    }
    if (cut_power) {
      vm.world.power_cut();
      vm.disc("node-1", good_custom_data());  // the state outside the disk persists
      vm.set_id(kId);
      vm.put("/proc/sys/kernel/random/boot_id", "second boot\n");
      vm.put("/sys/class/dmi/id/chassis_asset_tag", "7783-7084-3265-9085-8269-3286-77\n");
    }
    vm.world.faults.crash_at = 0;
    ASSERT_EQ(vm.boot(), EndOfRun::kDone) << vm.said;
    EXPECT_TRUE(vm.outcome->ok()) << vm.said;
    EXPECT_EQ(vm.text("/etc/hostname"), "node-1\n");
    EXPECT_EQ(vm.text("/home/me/.ssh/authorized_keys"), "ssh-rsa AAAA me\n");
    EXPECT_THAT(vm.last_report(), HasSubstr("<State>Ready</State>"));
  }
}

TEST(Bootstrap, ConvergesAfterBeingKilledAnywhere) {
  expect_convergence(false);
}

TEST(Bootstrap, ConvergesAfterAPowerCutAnywhere) {
  expect_convergence(true);
}

}  // namespace
}  // namespace sunup::controller
