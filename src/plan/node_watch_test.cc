#include "plan/node_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sunup::plan {
namespace {

using testing::HasSubstr;

constexpr char kKubeconfig[] = R"(apiVersion: v1
kind: Config
clusters:
- name: other
  cluster: {server: "https://other:443", certificate-authority: /other.crt}
- name: localcluster
  cluster:
    certificate-authority: /etc/kubernetes/certs/ca.crt
    server: https://api.example:443/
users:
- name: default-auth
  user:
    client-certificate: /var/lib/kubelet/pki/kubelet-client-current.pem
    client-key: /var/lib/kubelet/pki/kubelet-client-current.pem
contexts:
- name: default-context
  context: {cluster: localcluster, user: default-auth}
current-context: default-context
)";

TEST(NodeWatch, ReadsTheCurrentContextOfAKubeconfig) {
  const auto access = parse_kubeconfig(kKubeconfig);
  ASSERT_TRUE(access) << access.error().what;
  EXPECT_EQ(access->server, "https://api.example:443");
  EXPECT_EQ(access->ca_file, "/etc/kubernetes/certs/ca.crt");
  EXPECT_EQ(access->certificate, "/var/lib/kubelet/pki/kubelet-client-current.pem");
}

TEST(NodeWatch, RefusesWhatIsNoKubeconfig) {
  for (const char* text : {"", "[]", "a: b", "{", "clusters: {}\ncurrent-context: [x]", "users: 5\ncontexts: 6"})
    EXPECT_FALSE(parse_kubeconfig(text)) << text;
}

TEST(NodeWatch, KnowsTheNodeByItsCertificate) {
  EXPECT_EQ(node_name_in("CN=system:node:aks-1,O=system:nodes"), "aks-1");
  EXPECT_EQ(node_name_in("O=system:nodes,CN=system:node:aks-1"), "aks-1");
  EXPECT_EQ(node_name_in("CN=admin"), "");
}

TEST(NodeWatch, IsReachedByReadyTrueOnly) {
  const std::string not_ready =
      R"({"type":"ADDED","object":{"status":{"conditions":[{"type":"MemoryPressure","status":"True"},)"
      R"({"type":"Ready","status":"False","message":"no network yet"}]}}})";
  const std::string ready =
      R"({"type":"MODIFIED","object":{"status":{"conditions":[{"type":"Ready","status":"True"}]}}})";
  NodeWatch watch(NodeState::kReady);
  ASSERT_TRUE(watch.add(not_ready + "\n"));
  EXPECT_FALSE(watch.reached());
  EXPECT_THAT(watch.state(), HasSubstr("no network yet"));
  ASSERT_TRUE(watch.add(ready));
  EXPECT_FALSE(watch.reached()) << "the line has not ended";
  ASSERT_TRUE(watch.add("\n"));
  EXPECT_TRUE(watch.reached());
  NodeWatch deleted(NodeState::kReady);
  ASSERT_TRUE(deleted.add(R"({"type":"DELETED","object":{"status":{"conditions":[{"type":"Ready","status":"True"}]}}})"
                          "\n"));
  EXPECT_FALSE(deleted.reached());
}

// The API server keeps the condition of the previous boot, and that of a deleted machine with this name.
TEST(NodeWatch, IsNotReachedByTheConditionOfAnotherBoot) {
  const auto event = [](const std::string& boot, const char* ready) {
    return R"({"type":"MODIFIED","object":{"status":{"nodeInfo":{"bootID":")" + boot +
           R"("},"conditions":[{"type":"Ready","status":")" + ready + "\"}]}}}\n";
  };
  NodeWatch watch(NodeState::kReady, "this-boot");
  ASSERT_TRUE(watch.add(event("the-boot-before", "True")));
  EXPECT_FALSE(watch.reached());
  EXPECT_THAT(watch.state(), HasSubstr("since this boot"));
  ASSERT_TRUE(watch.add(R"({"type":"MODIFIED","object":{"status":{"conditions":[{"type":"Ready","status":"True"}]}}})"
                        "\n"));
  EXPECT_FALSE(watch.reached()) << "a report without a boot id";
  ASSERT_TRUE(watch.add(event("this-boot", "False")));
  EXPECT_FALSE(watch.reached());
  EXPECT_THAT(watch.state(), HasSubstr("not Ready"));
  ASSERT_TRUE(watch.add(event("this-boot", "True")));
  EXPECT_TRUE(watch.reached());
}

TEST(NodeWatch, NodeThatIsRegisteredNeedNotBeReady) {
  const auto event = [](const char* type, const std::string& boot) {
    return std::string(R"({"type":")") + type + R"(","object":{"status":{"nodeInfo":{"bootID":")" + boot +
           R"("},"conditions":[{"type":"Ready","status":"False"}]}}})" + "\n";
  };
  NodeWatch watch(NodeState::kRegistered, "this-boot");
  ASSERT_TRUE(watch.add(event("ADDED", "the-boot-before")));
  ASSERT_TRUE(watch.add(event("DELETED", "this-boot")));
  EXPECT_FALSE(watch.reached());
  ASSERT_TRUE(watch.add(event("MODIFIED", "this-boot")));
  EXPECT_TRUE(watch.reached());
}

TEST(NodeWatch, IsReachedByAPodThatRuns) {
  NodeWatch watch(NodeState::kRunsPod);
  ASSERT_TRUE(watch.add(R"({"type":"ADDED","object":{"metadata":{"name":"a"},"status":{"phase":"Pending"}}})"
                        "\n"));
  EXPECT_FALSE(watch.reached());
  ASSERT_TRUE(watch.add(R"({"type":"MODIFIED","object":{"metadata":{"name":"a"},"status":{"phase":"Running"}}})"
                        "\n"));
  EXPECT_TRUE(watch.reached());
}

TEST(NodeWatch, RefusesWhatIsNoWatch) {
  EXPECT_FALSE(NodeWatch(NodeState::kReady).add("{}\n"));
  EXPECT_FALSE(NodeWatch(NodeState::kReady).add("<html>\n"));
  const auto expired = NodeWatch(NodeState::kReady)
                           .add(R"({"type":"ERROR","object":{"message":"too old resource version"}})"
                                "\n");
  EXPECT_THAT(expired.error().what, HasSubstr("too old resource version"));
  EXPECT_FALSE(NodeWatch(NodeState::kReady).add(std::string(9 << 20, 'x')));
}

}  // namespace
}  // namespace sunup::plan
