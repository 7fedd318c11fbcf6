// For tests of bootstrap: a simulated Azure VM with a provisioning disc, a metadata service and a wire server, whose
// script provisions it at once.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "base/node_paths.h"
#include "controller/bootstrap.h"
#include "controller/test_machine.h"

namespace sunup::controller {

using host::sim::EndOfRun;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

inline constexpr char kId[] = "544cdfd0-cb4e-4b4a-9954-5bdf3ed5c3b8";
inline constexpr char kOtherId[] = "544cdfd0-cb4e-4b4a-9954-5bdf3ed5c3b9";
inline constexpr char kInstanceUrl[] = "http://169.254.169.254/metadata/instance?api-version=2021-08-01&extended=true";
inline constexpr char kGoalUrl[] = "http://168.63.129.16/machine/?comp=goalstate";
inline constexpr char kHealthUrl[] = "http://168.63.129.16/machine?comp=health";
inline constexpr char kOvfOnDisc[] = "/run/aks-node-controller/disc/ovf-env.xml";

// A command file is used, because a node config would be read from a file of this machine, which the simulation does
// not have.
inline std::string command_text() {
  return "export A=1\n" + std::string(500, '#') + "\n";
}

inline std::string good_custom_data() {
  return std::string("#cloud-config\nwrite_files:\n- path: ") + paths::kNbcCommand +
         "\n  permissions: '0600'\n  encoding: b64\n  content: " + base64_encode(command_text()) + "\n";
}

class Vm : public TestMachine {
 public:
  explicit Vm(uint64_t seed = 1) : TestMachine(seed) {
    put(kCloudInitSwitch, "");
    put("/sys/class/dmi/id/chassis_asset_tag", "7783-7084-3265-9085-8269-3286-77\n");
    set_id(kId);
    put("/sys/firmware/efi/runtime", "");
    put("/proc/sys/kernel/random/boot_id", "first boot\n");
    put("/etc/passwd", "root:x:0:0::/root:/bin/bash\n");
    put("/etc/group", "root:x:0:\nsudo:x:27:\n");
    put("/etc/hosts", "127.0.0.1 localhost\n");
    put("/etc/ssh/ssh_host_rsa_key", "key of the image");
    put("/opt/azure/components.json", "{}");
    put("/opt/azure/vhd-install.complete", "");
    put(paths::kStartScript, "");
    disc("node-1", good_custom_data());
    instance("node-1");
    world.programs["useradd"].effect = [](const std::vector<std::string>&, host::Files& files) -> Result<void> {
      return files.write("/etc/passwd", "root:x:0:0::/root:/bin/bash\nme:x:1000:1000::/home/me:/bin/bash\n");
    };
    world.programs["usermod"] = {};
    world.programs["ssh-keygen"].effect = [this](const std::vector<std::string>& argv,
                                                 host::Files& files) -> Result<void> {
      if (argv.back().find("rsa") != std::string::npos) ++keys_made;
      return files.write(argv.back(), "key " + std::to_string(keys_made), 0600);
    };
    world.programs["/bin/bash"].effect = [this](const std::vector<std::string>&, host::Files& files) -> Result<void> {
      ++provisions;
      if (!succeeds) return Error("no");
      if (auto done = files.write(paths::kResult, R"({"ExitCode":"0"})"); !done) return done;
      return files.write(paths::kComplete, "");
    };
    world.endpoints[kGoalUrl] = {
        .body =
            "<GoalState><Incarnation>1</Incarnation><Container><ContainerId>c</ContainerId><RoleInstanceList>"
            "<RoleInstance><InstanceId>i</InstanceId></RoleInstance></RoleInstanceList></Container></GoalState>"};
    world.endpoints[kHealthUrl] = {.answer = [this](const host::HttpRequest& request) {
      reports.push_back(request.body);
      return host::HttpReply{.status = 200};
    }};
  }

  void set_id(const char* id) { put("/sys/class/dmi/id/product_uuid", std::string(id) + "\n"); }
  static std::string ovf(const std::string& name, const std::string& custom_data, const std::string& platform = "") {
    return "<Environment><ProvisioningSection><LinuxProvisioningConfigurationSet><HostName>" + name +
           "</HostName><UserName>me</UserName><SSH><PublicKeys><PublicKey><Value>ssh-rsa AAAA "
           "me</Value></PublicKey></PublicKeys></SSH><CustomData>" +
           base64_encode(custom_data) +
           "</CustomData></LinuxProvisioningConfigurationSet></ProvisioningSection><PlatformSettingsSection>"
           "<PlatformSettings>" +
           platform + "</PlatformSettings></PlatformSettingsSection></Environment>";
  }
  void disc(const std::string& name, const std::string& custom_data) {
    put("/dev/sr0", "");
    put(kOvfOnDisc, ovf(name, custom_data));
  }
  void user_data(const std::string& text) {
    world.endpoints[kInstanceUrl] = {.body = R"({"compute":{"vmId":")" + std::string(kId) +
                                             R"(","osProfile":{"computerName":"node-1"},"userData":")" +
                                             base64_encode(text) + "\"}}"};
  }
  void no_disc() {
    for (const char* path : {"/dev/sr0", kOvfOnDisc}) {
      world.disk.erase(path);
      world.durable.erase(path);
    }
  }
  void instance(const std::string& name, const char* id = kId) {
    world.endpoints[kInstanceUrl] = {.body = R"({"compute":{"vmId":")" + std::string(id) +
                                             R"(","osProfile":{"computerName":")" + name + "\"}}}"};
  }

  // Calls `then` when systemd is notified.
  void on_notify(std::function<void()> then) {
    ::setenv("NOTIFY_SOCKET", "/run/notify", 1);
    world.on_operation = [then = std::move(then)](host::TimePoint, std::string_view what, const std::string& on) {
      if (what == "end of send to" && on == "/run/notify") then();
    };
  }
  ~Vm() { ::unsetenv("NOTIFY_SOCKET"); }

  // Boots, and returns the simulated time from the result to the report.
  std::optional<host::Duration> boot_until_report() {
    std::optional<host::TimePoint> result, report;
    world.on_operation = [&](host::TimePoint at, std::string_view, const std::string&) {
      if (!result && world.disk.contains(paths::kComplete)) result = at;
      if (!report && !reports.empty()) report = at;
    };
    EXPECT_EQ(boot(), EndOfRun::kDone);
    world.on_operation = {};
    return result && report ? std::optional(*report - *result) : std::nullopt;
  }

  EndOfRun boot() {
    return run([](Node& node) { return bootstrap(node, {.report_limit = 1min}); }, &outcome);
  }
  std::string text(const std::string& path) { return world.disk.contains(path) ? world.disk[path].content : "(none)"; }
  std::string last_report() const { return reports.empty() ? "" : reports.back(); }
  void expect_nothing_set() {
    EXPECT_EQ(text("/etc/hostname"), "(none)");
    EXPECT_THAT(text("/etc/passwd"), Not(HasSubstr("me:")));
    EXPECT_EQ(text(paths::kNbcCommand), "(none)");
    EXPECT_EQ(text("/etc/hosts"), "127.0.0.1 localhost\n");
    EXPECT_EQ(provisions, 0);
  }

  int provisions = 0;
  int keys_made = 0;
  bool succeeds = true;
  std::vector<std::string> reports;
  std::optional<Outcome> outcome;
};

}  // namespace sunup::controller
