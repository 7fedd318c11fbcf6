#include "collect/bundle.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "collect/log_text.h"
#include "collect/tar.h"
#include "host/real/files.h"
#include "host/real/loop.h"
#include "host/real/test_dir.h"

namespace sunup::collect {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kToken[] = "abcdef.0123456789abcdef";
constexpr char kClientSecret[] = "Pa55/word+of=a,principal";

std::string config() {
  return std::string(R"({"version":"v1","auth_config":{"service_principal_secret":")") + kClientSecret +
         R"("},"bootstrapping_config":{"tls_bootstrapping_token":")" + kToken + R"("}})";
}

std::string all_of(const Bundle& bundle) {
  std::string all;
  for (const auto& [name, text] : bundle.files) all += "== " + name + "\n" + text + "\n";
  return all;
}

TEST(Bundle, PlantedSecretsAreNowhere) {
  Material material;
  material.config.text = config();
  const std::string dirty = std::string("x=") + kClientSecret + " t=" + kToken + " b64=" + base64_encode(kClientSecret);
  material.sources.controller_log =
      "{\"time\":\"2026-11-15T23:50:26.377Z\",\"level\":\"INFO\",\"msg\":\"aks-node-controller "
      "started\",\"task\":\"Provision\"}\n"
      "{\"time\":\"2026-11-15T23:50:27Z\",\"level\":\"ERROR\",\"msg\":\"aks-node-controller failed\",\"error\":\"" +
      dirty + "\"}\n";
  material.sources.journal = dirty;
  material.sources.cloud_init_log = dirty;
  material.sources.provision_json = "{\"ExitCode\":\"1\",\"Error\":\"" + dirty + "\"}";
  material.sources.run_record = dirty;
  material.sources.units = dirty;
  material.sources.events.emplace_back("1.json", dirty);
  material.more_logs.push_back({"cluster-provision.log", dirty});
  const Bundle bundle = make_bundle(std::move(material));
  const std::string all = all_of(bundle);
  EXPECT_THAT(all, Not(HasSubstr(kToken)));
  EXPECT_THAT(all, Not(HasSubstr(kClientSecret)));
  EXPECT_THAT(all, Not(HasSubstr(base64_encode(kClientSecret))));
  EXPECT_THAT(all, HasSubstr("[redacted]"));
  EXPECT_THAT(all, HasSubstr("== timeline.html"));
  EXPECT_THAT(all, HasSubstr("== config.json"));
}

TEST(Bundle, ConfigThatCannotBeReadIsLeftOut) {
  Material material;
  material.config.text = "{\"auth_config\": {\"service_principal_secret\": \"unheard-of\"";
  const Bundle bundle = make_bundle(std::move(material));
  EXPECT_THAT(all_of(bundle), Not(HasSubstr("unheard-of")));
  EXPECT_THAT(all_of(bundle), HasSubstr("left out: config.json"));
}

// Logs that all contain a secret, in many different forms.
Material logs_with(const std::string& dirty) {
  Material material;
  const std::string quoted = nlohmann::json(dirty).dump();
  material.sources.controller_log =
      "{\"time\":\"2026-11-15T23:50:26.377Z\",\"level\":\"INFO\",\"msg\":\"aks-node-controller started\",\"task\":"
      "\"Provision\"}\n{\"time\":\"2026-11-15T23:50:27Z\",\"level\":\"ERROR\",\"msg\":\"aks-node-controller failed\","
      "\"error\":" +
      quoted + "}\n";
  material.sources.journal =
      "{\"_BOOT_ID\":\"b\",\"__REALTIME_TIMESTAMP\":\"1794786626000000\",\"MESSAGE\":" + quoted + "}\n";
  material.sources.cloud_init_log = dirty;
  material.sources.provision_json = "{\"ExitCode\":\"1\",\"Error\":" + quoted + ",\"Output\":" + quoted + "}";
  material.sources.run_record =
      "{\"sunup\":\"run record\",\"v\":1,\"boot\":\"b\",\"t\":1,\"wall\":1794786626500000000}\n"
      "{\"t\":2,\"e\":\"started\",\"step\":\"a\"}\n{\"t\":3,\"e\":\"note\",\"step\":\"a\",\"text\":" +
      quoted + "}\n{\"t\":4,\"e\":\"ended\",\"step\":\"a\",\"error\":" + quoted + "}\n";
  material.sources.events.emplace_back("1.json", "{\"Message\":" + quoted + "}");
  material.more_logs.push_back({"cluster-provision.log", dirty});
  return material;
}

constexpr char kPem[] = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA0987654321\n-----END RSA PRIVATE KEY-----\n";

TEST(Bundle, CommandFileTellsTheSecretsWhereThereIsNoConfig) {
  const std::string key = base64_encode(kPem);
  Material material = logs_with(std::string("x=") + kClientSecret + " y " + key);
  material.nbc_command.text = std::string("A=1 SERVICE_PRINCIPAL_FILE_CONTENT='") + kClientSecret +
                              "' KUBELET_CLIENT_CONTENT=\"" + key + "\" /usr/bin/bash -c start";
  const Bundle bundle = make_bundle(std::move(material));
  EXPECT_THAT(all_of(bundle), Not(HasSubstr(kClientSecret)));
  EXPECT_THAT(all_of(bundle), Not(HasSubstr(key)));
  EXPECT_EQ(bundle.sieves, "");
}

TEST(Bundle, WithoutAConfigCredentialsAreKnownByTheirNamesAndThatIsSaid) {
  const std::string key = base64_encode(kPem);
  const Bundle bundle = make_bundle(logs_with(std::string("export SERVICE_PRINCIPAL_FILE_CONTENT='") + kClientSecret +
                                              "'\nKUBELET_CLIENT_CONTENT=" + key + "\nclient-key-data: " + key +
                                              "\nsaid \"client_secret\": \"" + kClientSecret +
                                              "\" customKubeBinaryUrl='https://a.b/c.tgz?of-a-secret-field'"));
  EXPECT_THAT(all_of(bundle), Not(HasSubstr(kClientSecret)));
  EXPECT_THAT(all_of(bundle), Not(HasSubstr("LS0tLS1CRUdJTi")));
  EXPECT_THAT(all_of(bundle), Not(HasSubstr("of-a-secret-field")));
  EXPECT_THAT(bundle.sieves, HasSubstr("no node config"));
  EXPECT_THAT(all_of(bundle), HasSubstr(bundle.sieves)) << "the README says so too";
}

TEST(Bundle, NoFreeTextComesInWhenTheConfigCannotBeRead) {
  for (const bool cut_off : {true, false}) {
    Material material = logs_with(std::string("nobody can know this: ") + kClientSecret);
    if (cut_off)
      material.config.text = R"({"version":"v1","auth_config":{"serv)";
    else
      material.config.trouble = "permission denied";
    const Bundle bundle = make_bundle(std::move(material));
    EXPECT_THAT(all_of(bundle), Not(HasSubstr(kClientSecret)));
    EXPECT_THAT(all_of(bundle), HasSubstr("left out: cluster-provision.log: the config cannot be read"));
    EXPECT_THAT(all_of(bundle), HasSubstr("left out: journal.json: "));
    EXPECT_THAT(all_of(bundle), HasSubstr("== provision.json\n{\"ExitCode\":\"1\"}")) << "what is no sentence stays";
    EXPECT_THAT(all_of(bundle), HasSubstr("a failed")) << "so do steps and their ends";
  }
}

TEST(Bundle, MessagesThatTheJournalHasAsBytesAreLookedThrough) {
  Material material;
  material.config.text = config();
  std::string bytes;
  for (const char c : std::string("\x1b[31mtoken \x1b[0m") + kClientSecret)
    bytes += (bytes.empty() ? "" : ",") + std::to_string(static_cast<unsigned char>(c));
  material.sources.journal = "{\"MESSAGE\":[" + bytes + "]}\n{\"MESSAGE\":[" + bytes;
  const Bundle bundle = make_bundle(std::move(material));
  const std::string all = all_of(bundle);
  EXPECT_THAT(all, HasSubstr("== journal.json\n{\"MESSAGE\":\"token [redacted]\"}\n"));
  EXPECT_THAT(all, Not(HasSubstr("80,97,53,53"))) << "not as numbers either, nor in a line that was cut off";
}

TEST(LogText, ALineThatIsNestedWithoutEndIsDropped) {
  const std::string deep = std::string(300'000, '[') + "1" + std::string(300'000, ']');
  EXPECT_EQ(readable_journal("{\"a\":" + deep + "}\n{\"MESSAGE\":[104,105]}\n"), "{\"MESSAGE\":\"hi\"}\n");
  EXPECT_EQ(reduced_record("{\"a\":" + deep + "}\n{\"e\":\"step\"}\n"), "{\"e\":\"step\"}\n");
}

TEST(Bundle, SecretsInUrlsAreFoundAsUrlsWriteThem) {
  Material material;
  material.config.text = config();
  material.more_logs.push_back({"a.log",
                                "Pa55%2Fword%2Bof%3Da%2Cprincipal Pa55%2fword%2bof%3da%2cprincipal "
                                "Pa55/word%2Bof%3Da%2Cprincipal"});
  EXPECT_THAT(all_of(make_bundle(std::move(material))), HasSubstr("== a.log\n[redacted] [redacted] [redacted]\n"));
}

TEST(Bundle, SecretsAreFoundBehindMoreThanOneEncoding) {
  const std::string secret = "Sp~Secret_8Q.<aaa>-$%&zz\"q'x\\y";
  Material material;
  material.config.text =
      nlohmann::json{{"version", "v1"}, {"auth_config", {{"service_principal_secret", secret}}}}.dump();
  const std::string twice = nlohmann::json(nlohmann::json(secret).dump()).dump();
  std::string digits;
  for (const char c : secret) digits += fmt::format("{:02x}", static_cast<unsigned char>(c));
  const std::string page = "Sp~Secret_8Q.&lt;aaa&gt;-$%&amp;zz&quot;q&#39;x\\y";
  std::vector<std::string> all = {twice,
                                  nlohmann::json(twice).dump(),
                                  page,
                                  nlohmann::json(page).dump(),
                                  digits,
                                  base64_encode(base64_encode(secret)),
                                  base64_encode(base64_encode("ab" + secret) + "x")};
  for (const std::string& one : all) material.more_logs.push_back({"a.log", "said " + one + " ."});
  const Bundle bundle = make_bundle(std::move(material));
  size_t seen = 0;
  for (const auto& [name, text] : bundle.files) {
    if (name != "a.log") continue;
    ++seen;
    EXPECT_THAT(text, HasSubstr("[redacted]"));
    EXPECT_THAT(text, Not(HasSubstr("Secret_8Q")));
    EXPECT_THAT(text, Not(HasSubstr(digits.substr(0, 20))));
    EXPECT_THAT(text, Not(HasSubstr(base64_encode(base64_encode(secret)).substr(8, 24))));
  }
  EXPECT_EQ(seen, all.size());
}

TEST(Bundle, SecretThatOnlyLooksLikeAUrlIsFoundToo) {
  const std::string secret = "sp://Secret_8Q.aaa";
  Material material;
  material.config.text =
      nlohmann::json{{"version", "v1"}, {"auth_config", {{"service_principal_secret", secret}}}}.dump();
  material.more_logs.push_back({"a.log", secret + " " + base64_encode(base64_encode(secret)) + "."});
  EXPECT_THAT(all_of(make_bundle(std::move(material))), HasSubstr("== a.log\n[redacted] [redacted]"));
}

TEST(AddLogs, FindsThemInACopyOfTheDiskOrOfItsLogsAndSaysWhatIsMissing) {
  for (const char* inner : {"var/log/azure/", "azure/", ""}) {
    host::real::TestingDir root;
    auto loop = std::move(*host::real::Loop::open());
    host::real::Files files(*loop, "");
    ASSERT_TRUE(files.write(root.path() + "/" + inner + "cluster-provision.log", "hello\n", 0644).ok());
    Material material;
    add_logs(material, files, root.path());
    ASSERT_EQ(material.more_logs.size(), 1u) << inner;
    EXPECT_EQ(material.more_logs[0].text, "hello\n");
    EXPECT_FALSE(material.config.text);
    EXPECT_EQ(material.config.trouble, "") << "none is not one that cannot be read";
    EXPECT_EQ(material.nbc_command.trouble, "");
    EXPECT_THAT(material.missing, testing::Contains(HasSubstr("cloud-init-output.log: neither at ")));
  }
}

TEST(AddLogs, TakesKubeletsFlagsUnitDropInsAndEarlierRecordsAndHidesWhatIsSecretInThem) {
  host::real::TestingDir root;
  auto loop = std::move(*host::real::Loop::open());
  host::real::Files files(*loop, "");
  const auto put = [&](const std::string& path, const std::string& text) {
    ASSERT_TRUE(files.write(root.path() + path, text, 0644).ok());
  };
  put("/opt/azure/containers/aks-node-controller-config.json", config());
  put("/etc/default/kubelet", "KUBELET_FLAGS=--node-labels=team=web\n");
  put("/etc/systemd/system/kubelet.service.d/10-tls.conf", std::string("[Service]\nEnvironment=T=") + kToken + "\n");
  put("/run/systemd/system/kubelet.service.d/10-tls.conf", "[Unit]\n");
  put("/etc/systemd/system/containerd.service.d/exec_start.conf", "[Service]\nExecStart=\n");
  put("/var/log/azure/aks-node-controller/trace.1.jsonl", "{\"one\":1}\n");
  put("/var/log/azure/aks-node-controller/trace.2.jsonl", "{\"two\":2}\n");
  Material material;
  add_logs(material, files, root.path());
  EXPECT_THAT(material.missing, testing::Contains("os-release: neither at " + root.path() + "/os-release nor at " +
                                                  root.path() + "/etc/os-release"));
  const std::string all = all_of(make_bundle(std::move(material)));
  EXPECT_THAT(all, HasSubstr("== kubelet-flags\nKUBELET_FLAGS=--node-labels=team=web\n"));
  EXPECT_THAT(all, HasSubstr("== kubelet.service.d/10-tls.conf\n[Service]\nEnvironment=T=[redacted]\n"));
  EXPECT_THAT(all, HasSubstr("== run-kubelet.service.d/10-tls.conf\n[Unit]\n"));
  EXPECT_THAT(all, HasSubstr("== containerd.service.d/exec_start.conf\n"));
  EXPECT_THAT(all, HasSubstr("== trace.1.jsonl\n"));
  EXPECT_THAT(all, HasSubstr("== trace.2.jsonl\n"));
}

TEST(AddLogs, TakesWhatTellsWhyAzureShowsAnotherStateThanTheNode) {
  host::real::TestingDir root;
  auto loop = std::move(*host::real::Loop::open());
  host::real::Files files(*loop, "");
  const auto put = [&](const std::string& path, const std::string& text) {
    ASSERT_TRUE(files.write(root.path() + path, text, 0600).ok());
  };
  const std::string handler = "/var/lib/waagent/Microsoft.Azure.Extensions.CustomScript-2.1.19/";
  const std::string logs = "/var/log/azure/Microsoft.Azure.Extensions.CustomScript/";
  put("/opt/azure/containers/aks-node-controller-config.json", config());
  put("/var/log/waagent.log", std::string("INFO ExtHandler [Incarnation 1] token ") + kToken + "\n");
  put(logs + "handler.log", std::string("event=enabled ") + kClientSecret + "\n");
  put(logs + "CommandExecution.log", "event=pre-check\n");
  put(handler + "status/0.status", nlohmann::json({{"message", std::string("[stderr]\n") + kClientSecret}}).dump());
  put(handler + "status/1.status", "[]");
  put(handler + "config/0.settings", "protected settings");
  put("/var/lib/waagent/Microsoft.Azure.Monitor-1.0/status/0.status", "another extension's");
  Material material;
  add_logs(material, files, root.path());
  const std::string all = all_of(make_bundle(std::move(material)));
  EXPECT_THAT(all, HasSubstr("== waagent.log\nINFO ExtHandler [Incarnation 1] token [redacted]\n"));
  EXPECT_THAT(all, HasSubstr("== custom-script/handler.log\nevent=enabled [redacted]\n"));
  EXPECT_THAT(all, HasSubstr("== custom-script/CommandExecution.log\nevent=pre-check\n"));
  const std::string status = "== Microsoft.Azure.Extensions.CustomScript-2.1.19/status/";
  EXPECT_THAT(all, HasSubstr(status + "0.status\n{\"message\":\"[stderr]\\n[redacted]\"}\n"));
  EXPECT_THAT(all, HasSubstr(status + "1.status\n[]\n"));
  EXPECT_THAT(all, Not(HasSubstr("protected settings")));
  EXPECT_THAT(all, Not(HasSubstr("another extension's")));
}

TEST(AddLogs, FindsInAnUnpackedBundleWhatWasPutIntoIt) {
  host::real::TestingDir root;
  auto loop = std::move(*host::real::Loop::open());
  host::real::Files files(*loop, "");
  const std::vector<std::string> put = {"kubelet-flags", "kubelet.service.d/a.conf", "trace.2.jsonl",
                                        "custom-script/handler.log", "Extensions.CustomScript-2.1.19/status/0.status"};
  for (const std::string& name : put) ASSERT_TRUE(files.write(root.path() + "/" + name, "x\n", 0644).ok());
  Material material;
  add_logs(material, files, root.path());
  std::vector<std::string> names;
  for (const Material::Log& log : material.more_logs) names.push_back(log.name);
  EXPECT_THAT(names, testing::UnorderedElementsAreArray(put));
}

TEST(Bundle, IsATarThatUnpacksToTheSameBytes) {
  Bundle bundle;
  bundle.files.emplace_back("README.txt", "hello\n");
  bundle.files.emplace_back("events/1.json", std::string(1500, 'x'));
  const auto packed = pack(bundle, 1'794'000'000);
  ASSERT_TRUE(packed.ok());
  std::string plain(ZSTD_getFrameContentSize(packed->data(), packed->size()), '\0');
  ASSERT_EQ(ZSTD_decompress(plain.data(), plain.size(), packed->data(), packed->size()), plain.size());
  EXPECT_EQ(plain.size() % 512, 0u);
  EXPECT_EQ(plain.substr(0, 10), "README.txt");
  EXPECT_EQ(plain.substr(257, 5), "ustar");
  EXPECT_EQ(plain.substr(512, 6), "hello\n");
  EXPECT_EQ(plain.substr(1024, 13), "events/1.json");
  EXPECT_EQ(plain.substr(1024 + 124, 11), "00000002734") << "1500 in octal";
  EXPECT_EQ(plain.substr(plain.size() - 1024), std::string(1024, '\0'));
  EXPECT_EQ(*pack(bundle, 1'794'000'000), *packed) << "same input, same bytes";
}

TEST(Tar, LongNamesAreSplitAtASlash) {
  Tar tar(0);
  const std::string folder(120, 'd');
  EXPECT_TRUE(tar.add(folder + "/name", "x").ok());
  EXPECT_FALSE(tar.add(std::string(120, 'n'), "x").ok());
  EXPECT_FALSE(tar.add("", "x").ok());
  const std::string bytes = std::move(tar).finish();
  EXPECT_EQ(bytes.substr(0, 5), std::string("name\0", 5));
  EXPECT_EQ(bytes.substr(345, 120), folder);
}

}  // namespace
}  // namespace sunup::collect
