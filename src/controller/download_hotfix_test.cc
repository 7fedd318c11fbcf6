// download-hotfix on the simulated machine: retries and pauses cost no time there.
#include "controller/download_hotfix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/paths.h"
#include "host/sim/machine.h"

namespace sunup::controller {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::chrono_literals;

class DownloadHotfix : public testing::Test {
 protected:
  DownloadHotfix() {
    put("/etc/os-release", "NAME=x\nID=ubuntu\n");
    put("/etc/apt/sources.list.d/microsoft-prod.list", "");
    put(paths::kBinary, "old", 0750);
    put(paths::kPackagedBinary, "new", 0755);
    for (const char* name : {"dpkg", "apt-get", "dnf", "tdnf"})
      world_.programs[name].effect = [this](const std::vector<std::string>& argv, host::Files&) -> Result<void> {
        std::string line;
        for (const auto& word : argv) line += (line.empty() ? "" : " ") + word;
        ran_.push_back(line);
        return {};
      };
  }

  void put(const std::string& path, std::string content, mode_t mode = 0644) {
    for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
      world_.disk[path.substr(0, slash)] = {host::FileKind::kDirectory, 0755, ""};
    world_.disk[path] = {host::FileKind::kRegular, mode, std::move(content)};
  }
  void point_to(std::string json) { put(paths::kHotfixPointer, std::move(json)); }

  int run(std::string version = "202608.21.2") {
    host::sim::Machine machine(world_);
    host::Host& host = machine.host();
    report::Log log([&] { return host.loop.wall().time_since_epoch().count(); },
                    [this](std::string_view line) { log_ += line; });
    report::Redactor redactor;
    Node node{.loop = host.loop,
              .files = host.files,
              .callers_files = host.files,
              .processes = host.processes,
              .watch = host.watch,
              .host = host,
              .log = log,
              .redactor = redactor,
              .root = "",
              .version = std::move(version)};
    std::optional<int> code;
    machine.loop().run(download_hotfix(node), &code);
    return code.value_or(-1);
  }

  host::sim::World world_{1};
  std::vector<std::string> ran_;
  std::string log_;
};

TEST_F(DownloadHotfix, DoesNothingWithoutAWish) {
  EXPECT_EQ(run(), 0);
  point_to("");
  EXPECT_EQ(run(), 0);
  point_to(R"({"version":"202608.21.2"})");
  EXPECT_EQ(run(), 0);
  EXPECT_THAT(ran_, ElementsAre());
}

TEST_F(DownloadHotfix, GoesOnAfterAPointerItCannotRead) {
  point_to("{");
  EXPECT_EQ(run(), 0);
  EXPECT_THAT(log_, HasSubstr(R"("level":"WARN","msg":"failed to read hotfix config, skipping hotfix download")"));
}

TEST_F(DownloadHotfix, GoesOnIfVersionsCannotBeCompared) {
  point_to(R"({"version":"202608.21.3"})");
  EXPECT_EQ(run("dev"), 0);
  EXPECT_THAT(log_, HasSubstr(R"(parsing current version \"dev\": invalid semantic version)"));
  EXPECT_THAT(ran_, ElementsAre());
}

TEST_F(DownloadHotfix, InstallsWithAptAndPutsTheProgramInPlace) {
  point_to(R"({"hotfixes":{"202608.21":"202608.21.3"}})");
  EXPECT_EQ(run(), 0);
  EXPECT_THAT(ran_, ElementsAre("dpkg --configure -a --force-confdef --force-confold",
                                "apt-get update -o Dpkg::Options::=--force-confold -o "
                                "Dir::Etc::sourcelist=/etc/apt/sources.list.d/microsoft-prod.list -o "
                                "Dir::Etc::sourceparts=-",
                                "apt-get install -y --allow-downgrades -o Dpkg::Options::=--force-confold "
                                "aks-node-controller=202608.21.3*"));
  EXPECT_EQ(world_.disk[paths::kHotfixBinary].content, "new");
  EXPECT_EQ(world_.disk[paths::kHotfixBinary].mode, 0750) << "the mode of the program it stands in for";
  EXPECT_EQ(world_.disk[paths::kBinary].content, "old");
}

TEST_F(DownloadHotfix, InstallsWithDnfOrTdnf) {
  point_to(R"({"version":"202608.21.3"})");
  put("/etc/os-release", "ID=\"AzureLinux\"\n");
  EXPECT_EQ(run(), 0);
  world_.programs.erase("dnf");
  EXPECT_EQ(run(), 0);
  EXPECT_THAT(ran_, ElementsAre("dnf install -y --refresh --allowerasing aks-node-controller-202608.21.3",
                                "tdnf install -y --refresh --allowerasing aks-node-controller-202608.21.3"));
}

TEST_F(DownloadHotfix, NamesAnOsItDoesNotKnow) {
  point_to(R"({"version":"202608.21.3"})");
  put("/etc/os-release", "ID=debian\n");
  EXPECT_EQ(run(), 1);
  EXPECT_THAT(log_, HasSubstr("install hotfix version 202608.21.3: unsupported OS: debian"));
}

TEST_F(DownloadHotfix, TriesACommandFiveTimes) {
  point_to(R"({"version":"202608.21.3"})");
  world_.programs["dpkg"].failures = 4;
  EXPECT_EQ(run(), 0);
  world_.disk.erase(paths::kHotfixBinary);
  world_.programs["dpkg"].failures = 5;
  EXPECT_EQ(run(), 1);
  EXPECT_FALSE(world_.disk.contains(paths::kHotfixBinary));
}

TEST_F(DownloadHotfix, AppliesScriptsFirstAndGoesOnWithoutThem) {
  point_to(R"({"scripts_version":"202608.21.9"})");
  put(paths::kNodeCustomData,
      "write_files:\n- path: /opt/azure/containers/a.sh\n  permissions: \"0744\"\n  content: |\n    hi\n");
  EXPECT_EQ(run(), 0);
  EXPECT_EQ(world_.disk["/opt/azure/containers/a.sh"].content, "hi\n");
  EXPECT_EQ(world_.disk["/opt/azure/containers/a.sh"].mode, 0744);
  put(paths::kNodeCustomData, "write_files:\n- path: /b\n  owner: joe\n");
  EXPECT_EQ(run(), 0);
  EXPECT_THAT(log_, HasSubstr("unsupported owner"));
}

}  // namespace
}  // namespace sunup::controller
