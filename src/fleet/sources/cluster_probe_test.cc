#include "fleet/sources/cluster_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/base64.h"
#include "fleet/sources/test_tls_server.h"

namespace sunup::fleet {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::map<std::string, TestTlsServer::Answer> kCluster = {
    {"/version", {200, R"({"major": "1", "minor": "33", "gitVersion": "v1.33.1"})"}},
    {"/api/v1/namespaces/kube-system/services/kube-dns", {200, R"({"spec": {"clusterIP": "10.2.0.10"}})"}},
};

// A file that is removed at the end of the test.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text) : path_(testing::TempDir() + "sunup-probe-XXXXXX") {
    close(mkstemp(path_.data()));
    std::ofstream(path_) << text;
  }
  ~TemporaryFile() { unlink(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

ClusterAccess access(const TestTlsServer& server) {
  ClusterAccess result;
  result.url = server.url();
  result.timeout_seconds = 30;
  return result;
}

TEST(ClusterProbe, FindsVersionCaAndDns) {
  TestTlsServer server(kCluster, true);
  const auto probed = probe_cluster(access(server));
  ASSERT_TRUE(probed) << probed.error().what;
  EXPECT_EQ(probed->detected.kubernetes_version, "1.33.1");
  EXPECT_EQ(probed->detected.dns_service_ip, "10.2.0.10");
  EXPECT_EQ(*base64_decode(*probed->detected.ca_bundle), server.ca.pem());
  EXPECT_THAT(probed->notes, Contains(HasSubstr("taken on trust")));
}

TEST(ClusterProbe, ReadsTheCaFromTheClusterWhenTheServerDoesNotPresentIt) {
  auto answers = kCluster;
  answers["/api/v1/namespaces/kube-public/configmaps/kube-root-ca.crt"] = {200, R"({"data": {"ca.crt": "PEM"}})"};
  TestTlsServer server(answers, false);
  EXPECT_EQ(*base64_decode(*probe_cluster(access(server))->detected.ca_bundle), "PEM");
}

TEST(ClusterProbe, LeavesOpenWhatItMayNotRead) {
  auto answers = kCluster;
  answers["/api/v1/namespaces/kube-system/services/kube-dns"] = {403, "{}"};
  TestTlsServer server(answers, false);
  const auto probed = probe_cluster(access(server));
  ASSERT_TRUE(probed);
  EXPECT_FALSE(probed->detected.ca_bundle);
  EXPECT_FALSE(probed->detected.dns_service_ip);
  EXPECT_EQ(probed->notes.size(), 2u);
}

TEST(ClusterProbe, ChecksTheServerAndSendsTheTokenWhenGivenACa) {
  std::vector<std::string> sent;
  {
    TestTlsServer server(kCluster, false);
    const TemporaryFile ca(server.ca.pem());
    const TemporaryFile token("secret-token\n");
    ClusterAccess with_ca = access(server);
    with_ca.ca_file = ca.path();
    with_ca.token_file = token.path();
    const auto probed = probe_cluster(with_ca);
    ASSERT_TRUE(probed) << probed.error().what;
    EXPECT_EQ(*base64_decode(*probed->detected.ca_bundle), server.ca.pem());
    EXPECT_THAT(probed->notes, IsEmpty());
    sent = server.authorizations;
  }
  EXPECT_THAT(sent, Each("Bearer secret-token"));
  EXPECT_EQ(sent.size(), 2u);
}

TEST(ClusterProbe, RefusesAServerThatTheCaDidNotSignWithoutAskingAgain) {
  TestTlsServer server(kCluster, false);
  const TestCertificate other(nullptr);
  const TemporaryFile ca(other.pem());
  ClusterAccess wrong = access(server);
  wrong.ca_file = ca.path();
  const auto probed = probe_cluster(wrong);
  ASSERT_FALSE(probed);
  EXPECT_THAT(probed.error().what, AllOf(HasSubstr("certificate is not trusted"), Not(HasSubstr("asked"))));
}

TEST(ClusterProbe, NeverSendsATokenToAServerItCannotCheck) {
  TestTlsServer server(kCluster, true);
  const TemporaryFile token("secret-token");
  ClusterAccess unchecked = access(server);
  unchecked.token_file = token.path();
  EXPECT_THAT(probe_cluster(unchecked).error().what, HasSubstr("a token is sent only to a server"));
  EXPECT_EQ(server.requests, 0);
}

TEST(ClusterProbe, SaysWhenAUrlIsNotAnApiServers) {
  TestTlsServer server({{"/version", {200, R"({"hello": "world"})"}}}, true);
  EXPECT_THAT(probe_cluster(access(server)).error().what, HasSubstr("without a version"));
  ClusterAccess plain;
  plain.url = "http://127.0.0.1";
  EXPECT_THAT(probe_cluster(plain).error().what, HasSubstr("is not an https URL"));
}

TEST(ClusterProbe, AsksAServerThatIsStillStartingAgain) {
  TestTlsServer server(kCluster, true);
  server.starting = 3;
  EXPECT_EQ(probe_cluster(access(server))->detected.kubernetes_version, "1.33.1");
}

TEST(ClusterProbe, SaysWhatFailedWhenNobodyListens) {
  const TestRefusingPort port;
  ClusterAccess nobody;
  nobody.url = port.url("https");
  nobody.timeout_seconds = 1;
  const auto probed = probe_cluster(nobody);
  ASSERT_FALSE(probed);
  EXPECT_THAT(probed.error().what, AllOf(HasSubstr("connecting to 127.0.0.1"), HasSubstr("(asked ")));
  EXPECT_THAT(probed.error().hint, HasSubstr("is the API server up"));
}

// What is detected if the cluster has this object in place of its own.
Detected detected_with(const std::string& path, const char* object, bool presents_ca) {
  auto answers = kCluster;
  answers[path] = {200, object};
  TestTlsServer server(answers, presents_ca);
  const auto probed = probe_cluster(access(server));
  EXPECT_TRUE(probed) << object;
  return probed ? probed->detected : Detected();
}

TEST(ClusterProbe, TakesForTheDnsAddressNothingButAnAddress) {
  for (const char* object : {R"({"spec": {"clusterIP": "10.0.0.10 --read-only-port=10255"}})",
                             R"({"spec": {"clusterIP": 5}})", R"({"spec": []})", R"({"spec": {"clusterIP": "None"}})"})
    EXPECT_FALSE(detected_with("/api/v1/namespaces/kube-system/services/kube-dns", object, true).dns_service_ip)
        << object;
}

TEST(ClusterProbe, TakesForTheCaNothingButText) {
  for (const char* object : {R"({"data": {"ca.crt": 5}})", R"({"data": []})", R"({"data": "PEM"})", "{}"})
    EXPECT_FALSE(detected_with("/api/v1/namespaces/kube-public/configmaps/kube-root-ca.crt", object, false).ca_bundle)
        << object;
}

TEST(ClusterProbe, AsksBelowThePathOfTheUrl) {
  std::map<std::string, TestTlsServer::Answer> answers;
  for (const auto& [path, answer] : kCluster) answers["/k8s/clusters/c-1" + path] = answer;
  TestTlsServer server(answers, true);
  ClusterAccess proxied = access(server);
  proxied.url += "/k8s/clusters/c-1/";
  const auto probed = probe_cluster(proxied);
  ASSERT_TRUE(probed) << probed.error().what;
  EXPECT_EQ(probed->detected.dns_service_ip, "10.2.0.10");
}

TEST(ClusterProbe, SaysThatAHeadlessDnsServiceHasNoAddress) {
  auto answers = kCluster;
  answers["/api/v1/namespaces/kube-system/services/kube-dns"] = {200, R"({"spec": {"clusterIP": "None"}})"};
  TestTlsServer server(answers, true);
  EXPECT_THAT(probe_cluster(access(server))->notes, Contains(HasSubstr("headless")));
}

TEST(ClusterDoor, StaysShutWhereWhatWasGivenCannotBeUsed) {
  TestTlsServer server(kCluster, true);
  const TemporaryFile no_pem("hello");
  ClusterAccess given = access(server);
  given.ca_file = no_pem.path();
  EXPECT_THAT(open_door(given).error().what, HasSubstr("contains no PEM certificate"));
  given.ca_file = "/nonexistent/ca.pem";
  EXPECT_THAT(open_door(given).error().what, HasSubstr("--cluster-ca: /nonexistent/ca.pem"));
  EXPECT_EQ(server.requests, 0);
}

}  // namespace
}  // namespace sunup::fleet
