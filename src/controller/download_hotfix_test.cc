// download-hotfix on the simulated machine, where retries and pauses take no time.
#include "controller/download_hotfix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/node_paths.h"
#include "controller/test_machine.h"

namespace sunup::controller {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::chrono_literals;

class DownloadHotfix : public testing::Test, protected TestMachine {
 protected:
  DownloadHotfix() {
    put("/etc/os-release", "NAME=x\nID=ubuntu\n");
    put("/etc/apt/sources.list.d/microsoft-prod.list", "");
    put(paths::kBinary, "old", 0750);
    put(paths::kPackagedBinary, "new", 0755);
    for (const char* name : {"dpkg", "apt-get", "dnf", "tdnf"})
      world.programs[name].effect = [this](const std::vector<std::string>& argv, host::Files&) -> Result<void> {
        std::string line;
        for (const auto& word : argv) line += (line.empty() ? "" : " ") + word;
        ran_.push_back(line);
        return {};
      };
  }

  void point_to(std::string json) { put(paths::kHotfixPointer, std::move(json)); }

  int run(std::string version = "202608.21.2") {
    std::optional<int> code;
    TestMachine::run([](Node& node) { return download_hotfix(node); }, &code, std::move(version));
    return code.value_or(-1);
  }

  std::vector<std::string> ran_;
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
  EXPECT_THAT(said, HasSubstr(R"("level":"WARN","msg":"failed to read hotfix config, skipping hotfix download")"));
}

TEST_F(DownloadHotfix, GoesOnIfVersionsCannotBeCompared) {
  point_to(R"({"version":"202608.21.3"})");
  EXPECT_EQ(run("dev"), 0);
  EXPECT_THAT(said, HasSubstr(R"(parsing current version \"dev\": invalid semantic version)"));
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
  EXPECT_EQ(world.disk[paths::kHotfixBinary].content, "new");
  EXPECT_EQ(world.disk[paths::kHotfixBinary].mode, 0750) << "the mode of the program it stands in for";
  EXPECT_EQ(world.disk[paths::kBinary].content, "old");
}

TEST_F(DownloadHotfix, InstallsWithDnfOrTdnf) {
  point_to(R"({"version":"202608.21.3"})");
  put("/etc/os-release", "ID=\"AzureLinux\"\n");
  EXPECT_EQ(run(), 0);
  world.programs.erase("dnf");
  EXPECT_EQ(run(), 0);
  EXPECT_THAT(ran_, ElementsAre("dnf install -y --refresh --allowerasing aks-node-controller-202608.21.3",
                                "tdnf install -y --refresh --allowerasing aks-node-controller-202608.21.3"));
}

TEST_F(DownloadHotfix, NamesAnOsItDoesNotKnow) {
  point_to(R"({"version":"202608.21.3"})");
  put("/etc/os-release", "ID=debian\n");
  EXPECT_EQ(run(), 1);
  EXPECT_THAT(said, HasSubstr("install hotfix version 202608.21.3: unsupported OS: debian"));
}

TEST_F(DownloadHotfix, TriesACommandFiveTimes) {
  point_to(R"({"version":"202608.21.3"})");
  world.programs["dpkg"].failures = 4;
  EXPECT_EQ(run(), 0);
  world.disk.erase(paths::kHotfixBinary);
  world.programs["dpkg"].failures = 5;
  EXPECT_EQ(run(), 1);
  EXPECT_FALSE(world.disk.contains(paths::kHotfixBinary));
}

TEST_F(DownloadHotfix, AppliesScriptsFirstAndGoesOnWithoutThem) {
  point_to(R"({"scripts_version":"202608.21.9"})");
  put(paths::kNodeCustomData,
      "write_files:\n- path: /opt/azure/containers/a.sh\n  permissions: \"0744\"\n  content: |\n    hi\n");
  EXPECT_EQ(run(), 0);
  EXPECT_EQ(world.disk["/opt/azure/containers/a.sh"].content, "hi\n");
  EXPECT_EQ(world.disk["/opt/azure/containers/a.sh"].mode, 0744);
  put(paths::kNodeCustomData, "write_files:\n- path: /b\n  owner: joe\n");
  EXPECT_EQ(run(), 0);
  EXPECT_THAT(said, HasSubstr("unsupported owner"));
}

TEST_F(DownloadHotfix, ScriptsOfWhichOneCannotBeUsedChangeNothing) {
  point_to(R"({"scripts_version":"202608.21.9"})");
  put("/opt/azure/containers/a.sh", "old\n");
  put("/opt/azure/containers/folder/inner", "");
  for (const char* bad : {"- path: /b\n  owner: joe\n", "- path: /opt/azure/containers/folder\n  content: x\n"}) {
    put(paths::kNodeCustomData,
        std::string("write_files:\n- path: /opt/azure/containers/a.sh\n  content: new\n") + bad);
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(world.disk["/opt/azure/containers/a.sh"].content, "old\n") << bad;
  }
  EXPECT_THAT(said, HasSubstr("failed to apply the scripts hotfix"));
}

}  // namespace
}  // namespace sunup::controller
