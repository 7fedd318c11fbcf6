// One path of a node cannot be read or written while the whole controller provisions it on the simulated machine.
// Either the node is correct, or the result reports that it is not, and the next start corrects it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/node_paths.h"
#include "one_node.h"
#include "plan/test_joined.h"
#include "report/provision_result.h"

namespace sunup::simulation {
namespace {

using host::sim::EndOfRun;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// With what it says about itself, and what lasts.
class ExaminedNode : public OneNode {
 public:
  using OneNode::OneNode;

  std::vector<std::string> unfinished() const {
    const auto result = world.disk.find(paths::kResult);
    return result == world.disk.end() ? std::vector<std::string>() : report::unfinished_steps(result->second.content);
  }

  // The persistent state of the node, without logs and files that contain times or new keys.
  std::map<std::string, std::string> lasting() const {
    std::map<std::string, std::string> found;
    for (const auto& [path, node] : world.disk) {
      bool counts = true;
      for (const char* changing :
           {"/var/log/", "/run/", "/proc/", "/opt/m", "/opt/azure/containers/.provision.",
            "/opt/azure/containers/tls-bootstrap-start-time", "/var/lib/sunup", "/etc/kubernetes/certs/kubeletserver"})
        counts = counts && !path.starts_with(changing);
      if (counts) found[path] = std::to_string(node.mode) + " " + node.content;
    }
    return found;
  }
};

std::vector<std::string> differences(const std::map<std::string, std::string>& calm,
                                     const std::map<std::string, std::string>& tree) {
  std::vector<std::string> paths;
  for (const auto& [path, node] : calm)
    if (const auto found = tree.find(path); found == tree.end() || found->second != node) paths.push_back(path);
  for (const auto& [path, node] : tree)
    if (!calm.contains(path)) paths.push_back(path);
  return paths;
}

struct Fault {
  std::string path;
  bool reading;
};

void PrintTo(const Fault& fault, std::ostream* out) {
  *out << (fault.reading ? "reading " : "writing ") << fault.path;
}

class OnePath : public testing::TestWithParam<const char*> {};

TEST_P(OnePath, ThatFailsIsNamedOrMadeGood) {
  ExaminedNode calm(GetParam());
  const host::sim::Tree image = calm.world.disk;
  std::set<std::string> read;
  calm.world.on_operation = [&read](host::TimePoint, std::string_view what, const std::string& on) {
    if (what == "read" || what == "look at" || what == "list") read.insert(on);
  };
  ASSERT_EQ(calm.provision(), EndOfRun::kDone);
  ASSERT_TRUE(calm.succeeded()) << calm.said;
  ASSERT_THAT(calm.unfinished(), IsEmpty());
  std::vector<Fault> faults;
  for (const std::string& path : read) faults.push_back({path, true});
  for (const auto& [path, node] : calm.world.disk)
    if (const auto before = image.find(path); before == image.end() || !(before->second == node))
      faults.push_back({path, false});
  ASSERT_GT(faults.size(), 100U);

  for (const Fault& fault : faults) {
    SCOPED_TRACE(testing::PrintToString(fault));
    ExaminedNode node(GetParam());
    if (fault.reading)
      node.world.faults.unreadable[fault.path] = EIO;
    else
      node.world.faults.unwritable[fault.path] = ENOSPC;
    ASSERT_EQ(node.provision(), EndOfRun::kDone);
    if (node.succeeded() && node.unfinished().empty())
      EXPECT_THAT(differences(calm.lasting(), node.lasting()), IsEmpty()) << "a success without a word";

    node.world.faults = {};
    ASSERT_EQ(node.provision(), EndOfRun::kDone);
    EXPECT_TRUE(node.succeeded()) << node.said;
    EXPECT_THAT(node.unfinished(), IsEmpty());
    EXPECT_THAT(differences(calm.lasting(), node.lasting()), IsEmpty()) << "after the second run";
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, OnePath,
                         testing::Values("kubenet", "none-old-flags", "pre-provision-only", "from-prepared-image"),
                         [](const auto& param) {
                           std::string name = param.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(UnfinishedSteps, AreNamedWithTheSuccessAndDoneByTheNextStart) {
  ExaminedNode node("none-old-flags");
  node.world.faults.unwritable["/etc/motd"] = ENOSPC;
  ASSERT_EQ(node.provision(), EndOfRun::kDone);
  ASSERT_TRUE(node.succeeded()) << node.said;
  EXPECT_THAT(node.unfinished(), ElementsAre("access.motd"));
  EXPECT_TRUE(node.world.disk.contains(paths::kUnfinished));

  node.world.faults = {};
  ASSERT_EQ(node.provision(), EndOfRun::kDone);
  EXPECT_TRUE(node.world.disk.contains("/etc/motd"));
  EXPECT_THAT(node.unfinished(), IsEmpty());
  EXPECT_FALSE(node.world.disk.contains(paths::kUnfinished));
}

// A deferred hook waits for Ready without the result, and longer than an hour by the next start.
TEST(UnfinishedSteps, HookForANodeThatIsNotReadyYetIsNamedAndRunByTheNextStart) {
  ExaminedNode node("azure");
  node.put("/usr/local/bin/register", "", 0755);
  node.put(std::string(paths::kHooks) + "/site.joined.json",
           R"({"argv": ["/usr/local/bin/register"], "needs": ["node.ready"], "deferred": true})");
  bool published = false;
  bool ran = false;
  node.world.programs["/usr/local/bin/register"].effect = [&](const std::vector<std::string>&, host::Files&) {
    ran = true;
    return Result<void>();
  };
  auto& watched = node.world.endpoints[plan::kNodeWatchUrl];
  watched.open = std::chrono::hours(24);
  watched.answer = [&](const host::HttpRequest&) {
    published = node.world.disk.contains(paths::kComplete);
    return host::HttpReply{.status = 200, .body = plan::node_event("ADDED", node.world.boot_id(), "False")};
  };
  ASSERT_EQ(node.provision(), EndOfRun::kDone);
  ASSERT_TRUE(node.succeeded()) << node.said;
  EXPECT_TRUE(published) << "the API server is asked, and the result does not wait";
  EXPECT_FALSE(ran);
  EXPECT_THAT(node.unfinished(), ElementsAre("node.ready", "site.joined"));
  EXPECT_THAT(node.said, HasSubstr("the node is not Ready"));

  watched.answer = [&](const host::HttpRequest&) {
    return host::HttpReply{.status = 200, .body = plan::node_event("ADDED", node.world.boot_id(), "True")};
  };
  ASSERT_EQ(node.provision(), EndOfRun::kDone);
  EXPECT_TRUE(ran) << node.said;
  EXPECT_THAT(node.unfinished(), IsEmpty());
  EXPECT_FALSE(node.world.disk.contains(paths::kUnfinished));
}

// The controller of a captured image is not started again: the person who prepares the image reads the result.
TEST(UnfinishedSteps, OfAPreparedImageAreNamedAndNotLeftToABoot) {
  ExaminedNode node("pre-provision-only");
  node.world.faults.unwritable["/opt/bin/kubectl"] = ENOSPC;
  ASSERT_EQ(node.provision(), EndOfRun::kDone);
  ASSERT_TRUE(node.succeeded()) << node.said;
  EXPECT_THAT(node.unfinished(), Contains("kubectl.binary"));
  EXPECT_TRUE(node.world.disk.contains(paths::kBasePrepComplete));
  EXPECT_FALSE(node.world.disk.contains(paths::kUnfinished));
  EXPECT_THAT(node.said, HasSubstr("it is tried again if the image is prepared again"));

  node.world.faults = {};
  ASSERT_EQ(node.provision(), EndOfRun::kDone);
  EXPECT_THAT(node.unfinished(), IsEmpty());
  EXPECT_TRUE(node.world.disk.contains("/opt/bin/kubectl"));
}

// The second stage would take the mark as a success of the first stage.
TEST(PreparedImage, HasNoMarkWithoutAResult) {
  ExaminedNode node("pre-provision-only");
  node.put("/var/log/azure/aks", "in the way");
  ASSERT_EQ(node.provision(), EndOfRun::kDone);
  EXPECT_FALSE(node.succeeded());
  EXPECT_FALSE(node.world.disk.contains(paths::kBasePrepComplete));
}

}  // namespace
}  // namespace sunup::simulation
