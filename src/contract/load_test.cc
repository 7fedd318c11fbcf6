#include "contract/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace sunup::contract {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A config with these members after the version.
Result<Loaded> load(std::string members) {
  return load_text("{\"version\":\"v1\"" + (members.empty() ? "" : "," + members) + "}", "node.json");
}

Configuration accepted(const std::string& members) {
  auto loaded = load(members);
  EXPECT_TRUE(loaded.ok()) << members << ": " << (loaded ? "" : loaded.error().what);
  return loaded ? loaded->config : Configuration();
}

std::string refused(const std::string& members) {
  const auto loaded = load(members);
  EXPECT_FALSE(loaded.ok()) << members;
  return loaded ? "" : loaded.error().what;
}

std::vector<std::string> tolerated(const std::string& members) {
  std::vector<std::string> out;
  const auto loaded = load(members);
  EXPECT_TRUE(loaded.ok()) << members << ": " << (loaded ? "" : loaded.error().what);
  if (loaded)
    for (const Finding& finding : loaded->findings) out.push_back(finding.rule + " " + finding.path);
  return out;
}

TEST(Load, TakesBothSpellingsOfAName) {
  EXPECT_EQ(accepted(R"("vm_size":"a")").vm_size(), "a");
  EXPECT_EQ(accepted(R"("vmSize":"a")").vm_size(), "a");
  EXPECT_EQ(accepted(R"("\u0076m_size":"a")").vm_size(), "a");
  EXPECT_TRUE(accepted(R"("kubelet_config":{"kubelet_config_file_config":{"serverTLSBootstrap":true}})")
                  .kubelet_config()
                  .kubelet_config_file_config()
                  .server_tls_bootstrap());
  EXPECT_THAT(tolerated(R"("VM_SIZE":"a","vmsize":"b"," version":"c")"),
              ElementsAre("unknown-field $.VM_SIZE", "unknown-field $.vmsize", "unknown-field $[\" version\"]"));
}

TEST(Load, TellsUnsetFromZeroWhereTheContractDoes) {
  EXPECT_FALSE(accepted("").has_is_vhd());
  EXPECT_TRUE(accepted(R"("is_vhd":false)").has_is_vhd());
  EXPECT_TRUE(
      accepted(R"("custom_linux_os_config":{"ulimit_config":{}})").custom_linux_os_config().has_ulimit_config());
}

TEST(Load, ReadsNullAsUnset) {
  const Configuration config =
      accepted(R"("vm_size":null,"is_vhd":null,"auth_config":null,"custom_ca_certs":null,"enabled_features":null,)"
               R"("workload_runtime":null,"cse_timeout":null)");
  EXPECT_FALSE(config.has_auth_config());
  EXPECT_FALSE(config.has_is_vhd());
  EXPECT_EQ(config.custom_ca_certs_size(), 0);
}

TEST(Load, RefusesNullWithinAListOrMap) {
  EXPECT_THAT(refused(R"("custom_ca_certs":["a",null])"), HasSubstr("$.custom_ca_certs[1]: null"));
  EXPECT_THAT(refused(R"("enabled_features":{"A":null})"), HasSubstr("$.enabled_features[\"A\"]: null"));
  EXPECT_THAT(refused(R"("local_dns_profile":{"vnet_dns_overrides":{".":null}})"), HasSubstr("null"));
}

TEST(Load, RefusesAFieldOrKeyGivenTwice) {
  for (const char* twice :
       {R"("vm_size":"a","vm_size":"a")", R"("vm_size":"a","vmSize":"b")", R"("vm_size":null,"vmSize":"b")",
        R"("auth_config":{},"auth_config":{})", R"("enabled_features":{"A":"1","A":"2"})",
        R"("enabled_features":{"A":"1","\u0041":"2"})", R"("version":"v1")"})
    EXPECT_THAT(refused(twice), HasSubstr("given twice")) << twice;
}

// The original ignores them, and recorded configs contain them: nothing is read from an unknown value.
TEST(Load, SaysWhichUnknownKeysAreGivenTwice) {
  EXPECT_THAT(tolerated(R"("zzz":{"a":1,"a":2},"zzz":1,"zzz":1)"),
              ElementsAre("unknown-field $.zzz", "duplicate-key $.zzz", "duplicate-key $.zzz", "duplicate-key $.zzz"));
  EXPECT_THAT(tolerated(R"("zzz":[{"b":{"a":1,"\u0061":2,"a":3}}],"yyy":[{"a":1},{"a":1}])"),
              ElementsAre("unknown-field $.zzz", "duplicate-key $.zzz", "unknown-field $.yyy"));
  EXPECT_THAT(tolerated(R"("auth_config":{"zzz":1,"zzz":2})"),
              ElementsAre("unknown-field $.auth_config.zzz", "duplicate-key $.auth_config.zzz"));
}

TEST(Load, ReadsWholeNumbersInEveryForm) {
  for (const char* form : {"100", "1e2", "100.0", "\"100\"", "\"1e2\"", "\"100.0\"", "1000e-1"})
    EXPECT_EQ(accepted(std::string(R"("cse_timeout":)") + form).cse_timeout(), 100) << form;
  for (const char* form : {"1.5", "\"1.5\"", "2147483648", "\" 1\"", "\"1 \"", "\"+1\"", "\"\"", "\"0x1\"", "\"01\"",
                           "\"1e\"", "1e", "true", "[]", "{}", "\"NaN\"", "99999999999999999999999"})
    EXPECT_THAT(refused(std::string(R"("cse_timeout":)") + form), StartsWith("node.json:1:31: $.cse_timeout: "))
        << form;
}

TEST(Load, ReadsDoublesWithTheirSpecialNames) {
  const auto exponent = [](const std::string& value) {
    return accepted(R"("cluster_config":{"cloud_provider_config":{"backoff_exponent":)" + value + "}}")
        .cluster_config()
        .cloud_provider_config()
        .backoff_exponent();
  };
  EXPECT_EQ(exponent("1.5"), 1.5);
  EXPECT_EQ(exponent("\"1.5\""), 1.5);
  EXPECT_EQ(exponent("1e-400"), 0);
  EXPECT_TRUE(std::isnan(exponent("\"NaN\"")));
  EXPECT_EQ(exponent("\"Infinity\""), INFINITY);
  EXPECT_EQ(exponent("\"-Infinity\""), -INFINITY);
  for (const char* bad : {"1e400", "\"1e400\"", "\"inf\"", "\"nan\"", "\"Infinity \"", "NaN", "true"})
    refused(std::string(R"("cluster_config":{"cloud_provider_config":{"backoff_exponent":)") + bad + "}}");
}

TEST(Load, TakesOnlyTrueAndFalseForABoolean) {
  for (const char* bad : {"\"true\"", "1", "0", "\"\"", "[]", "True"})
    EXPECT_THAT(refused(std::string(R"("is_kata":)") + bad), HasSubstr("$.is_kata")) << bad;
}

TEST(Load, ReadsEnumsByNameAndByNumber) {
  const auto plugin = [](const std::string& value) {
    return accepted(R"("network_config":{"network_plugin":)" + value + "}").network_config().network_plugin();
  };
  for (const char* azure : {"\"NETWORK_PLUGIN_AZURE\"", "2", "2.0", "2e0"}) EXPECT_EQ(plugin(azure), 2) << azure;
  for (const char* bad : {"2.5", "true", "{}", "2147483648"})
    refused(std::string(R"("network_config":{"network_plugin":)") + bad + "}");
}

TEST(Load, AcceptsEnumValuesOfTheFutureAndSaysSo) {
  EXPECT_THAT(tolerated(R"("network_config":{"network_plugin":"NETWORK_PLUGIN_CILIUM","network_policy":77})"),
              ElementsAre("unknown-enum-name $.network_config.network_plugin",
                          "unknown-enum-number $.network_config.network_policy"));
  const Configuration config =
      accepted(R"("network_config":{"network_plugin":"NETWORK_PLUGIN_CILIUM","network_policy":77})");
  EXPECT_EQ(config.network_config().network_plugin(), 0);
  EXPECT_EQ(static_cast<int>(config.network_config().network_policy()), 77);
  EXPECT_THAT(tolerated(R"("network_config":{"network_plugin":"2"})"),
              ElementsAre("unknown-enum-name $.network_config.network_plugin"));
}

TEST(Load, ReportsUnknownFieldsWithTheNameThatWasLikelyMeant) {
  const auto loaded =
      load_text("{\n  \"version\": \"v1\",\n  \"kubelet_confg\": {},\n  \"subscription_id\": \"x\"\n}", "f");
  ASSERT_TRUE(loaded.ok());
  ASSERT_EQ(loaded->findings.size(), 2u);
  EXPECT_EQ(loaded->findings[0].at.line, 3);
  EXPECT_EQ(loaded->findings[0].at.column, 3);
  EXPECT_THAT(loaded->findings[0].hint, HasSubstr("\"kubelet_config\""));
  EXPECT_THAT(loaded->findings[1].hint, HasSubstr("auth_config.subscription_id"));
}

TEST(Load, ReportsRetiredFieldsAsSuch) {
  EXPECT_THAT(tolerated(R"("teleport_config":{})"), ElementsAre("retired-field $.teleport_config"));
  EXPECT_THAT(tolerated(R"("teleportConfig":{})"), ElementsAre("retired-field $.teleportConfig"));
}

TEST(Load, StillRefusesBadJsonInsideUnknownValues) {
  for (const char* bad : {R"("zzz":{"a"})", R"("zzz":[1,])", R"("zzz":"\ud800")", R"("zzz":"\u0000")", R"("zzz":nul)"})
    refused(bad);
}

TEST(Load, DoesNotDrownInUnknownFields) {
  std::string members = "\"x\":1";
  for (int i = 0; i < 5000; ++i) members += ",\"unknown_" + std::to_string(i) + "\":1";
  const auto loaded = load(members);
  ASSERT_TRUE(loaded.ok());
  EXPECT_LE(loaded->findings.size(), 201u);
  EXPECT_EQ(loaded->findings.back().rule, "more-findings");
}

TEST(Load, WantsVersion1) {
  const auto version = [](const std::string& text) { return load_text(text, "f"); };
  EXPECT_TRUE(version(R"({"version":"v1"})").ok());
  const auto v0 = version(R"({"version":"v0"})");
  ASSERT_TRUE(v0.ok());
  EXPECT_EQ(v0->findings.at(0).rule, "deprecated-version");
  for (const char* bad : {"{}", R"({"version":""})", R"({"version":null})", R"({"version":"v2"})",
                          R"({"version":"V1"})", R"({"version":" v1"})", R"({"version":"v1 "})", R"({"version":"1"})"})
    EXPECT_FALSE(version(bad).ok()) << bad;
  EXPECT_EQ(version("{\n \"version\": \"v2\"}").error().what,
            "f:2:13: $.version: unsupported version: \"v2\"; it must be \"v1\"");
}

TEST(Load, SaysWhereItStoppedInOneLine) {
  EXPECT_EQ(load_text("", "f").error().what, "f:1:1: $: the file is empty");
  EXPECT_EQ(load_text(" \n ", "f").error().what, "f:1:1: $: the file is empty");
  EXPECT_EQ(load_text("[]", "f").error().what, "f:1:1: $: expected an object, found a list");
  EXPECT_EQ(load_text("null", "f").error().what, "f:1:1: $: expected an object, found null");
  EXPECT_EQ(load_text("not json", "f").error().what, "f:1:1: $: expected JSON, found 'n'");
  EXPECT_EQ(load_text("{\"custom_ca_certs\": [none]}", "f").error().what,
            "f:1:22: $.custom_ca_certs[0]: expected a value, found 'n'");
  EXPECT_EQ(load_text("{\"vm_size\": nothing}", "f").error().what, "f:1:13: $.vm_size: expected a value, found 'n'");
  EXPECT_THAT(load_text("\xEF\xBB\xBF{}", "f").error().what, HasSubstr("byte order mark"));
  EXPECT_EQ(load_text("{\n  \"auth_config\": {\n    \"tenant_id\": 5}}", "f").error().what,
            "f:3:18: $.auth_config.tenant_id: expected a string, found a number");
  EXPECT_THAT(load_text(R"({"kubelet_config":{"kubelet_flags":{"a\nb":1}}})", "f\n").error().what,
              Not(HasSubstr("\n")));
}

TEST(Load, KeepsSecretsAndUnknownValuesOutOfWhatItSays) {
  for (const char* members :
       {R"("auth_config":{"service_principal_secret":"hunter2)",
        R"("auth_config":{"service_principal_secret":["hunter2"]})",
        R"("auth_config":{"service_principal_secret":"hunter2","service_principal_secret":"hunter2"})",
        R"("auth_config":{"service_principal_secret":"hunter2\u0000"})",
        R"("bootstrapping_config":{"tls_bootstrapping_token":{"hunter2":"hunter2"}})"})
    EXPECT_THAT(refused(members), Not(HasSubstr("hunter2"))) << members;
  const auto loaded = load(R"("servicePrincipalSecret":"hunter2","secret":{"token":"hunter2"})");
  ASSERT_TRUE(loaded.ok());
  for (const Finding& finding : loaded->findings)
    EXPECT_THAT(finding.message + finding.hint + finding.path, Not(HasSubstr("hunter2")));
}

TEST(Load, KnowsThePlaceOfEveryValue) {
  Details details;
  ASSERT_TRUE(load_text("{\"version\":\"v1\",\n\"custom_ca_certs\":[\n\"a\"],\n\"kubelet_config\":{\"kubelet_flags\":\n"
                        "{\"--a\":\n \"b\"}}}",
                        "f", &details)
                  .ok());
  EXPECT_EQ(details.places.at("$.custom_ca_certs[0]").line, 3);
  EXPECT_EQ(details.places.at("$.kubelet_config.kubelet_flags[\"--a\"]").line, 6);
  EXPECT_EQ(details.places.at("$.kubelet_config.kubelet_flags[\"--a\"]").column, 2);
}

TEST(Load, RefusesMoreThan16MiB) {
  const std::string start = "{\"version\":\"v1\",\"vm_size\":\"";
  const auto padded = [&](size_t size) { return start + std::string(size - start.size() - 2, 'a') + "\"}"; };
  EXPECT_TRUE(load_text(padded(kMaxConfigBytes), "f").ok());
  EXPECT_EQ(load_text(padded(kMaxConfigBytes + 1), "f").error().what, "f:1:1: $: larger than 16 MiB");
}

class LoadFile : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/sunup-load-XXXXXX";
    dir_ = mkdtemp(name);
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }
  std::string write(const std::string& text) const {
    std::ofstream(dir_ + "/node.json", std::ios::binary) << text;
    return dir_ + "/node.json";
  }
  std::string dir_;
};

TEST_F(LoadFile, ReadsAFile) {
  EXPECT_TRUE(load_file(write("{\"version\":\"v1\"}\r\n")).ok());
}

TEST_F(LoadFile, TellsAnUnreadableFileFromARefusedOne) {
  EXPECT_EQ(load_file(dir_ + "/none.json").error().os_errno, ENOENT);
  EXPECT_EQ(load_file(dir_).error().os_errno, EISDIR);
  EXPECT_EQ(load_file(write("")).error().os_errno, 0);
  EXPECT_THAT(load_file(dir_).error().what, StartsWith(dir_ + ": "));
}

TEST_F(LoadFile, ReadsAPipe) {
  const std::string pipe = dir_ + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const pid_t writer = fork();
  if (writer == 0) {
    std::ofstream(pipe) << "{\"version\":\"v1\"}";
    _exit(0);
  }
  EXPECT_TRUE(load_file(pipe).ok());
}

TEST_F(LoadFile, RefusesAFileThatIsTooLarge) {
  const std::string path = write("{}");
  std::filesystem::resize_file(path, kMaxConfigBytes + 1);
  Details details;
  EXPECT_THAT(load_file(path, &details).error().what, HasSubstr("larger than 16 MiB"));
  EXPECT_EQ(details.refusal.at.line, 1);
}

}  // namespace
}  // namespace sunup::contract
