#include "azure/custom_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "azure/forms.h"
#include "azure/test_custom_data.h"
#include "base/base64.h"
#include "base/node_paths.h"
#include "render/gzip.h"

namespace sunup::azure {
namespace {

using render::gzip;
using testing::HasSubstr;

constexpr char kConfig[] = "/opt/azure/containers/aks-node-controller-config.json";
constexpr char kText[] = "{\"version\":\"v1\"}";

CustomData understood(std::string_view bytes) {
  auto data = read_custom_data(bytes);
  EXPECT_TRUE(data) << data.error().what;
  if (!data) return {};
  EXPECT_EQ(data->not_understood, "");
  return *std::move(data);
}

std::string config_in(std::string_view bytes) {
  return content_at(kConfig, bytes);
}

// A boothook as the original's control plane sends it: options, a log line, here-documents, the launcher.
std::string foreign_boothook(const std::string& files) {
  return "#cloud-boothook\n#!/bin/bash\nset -euo pipefail\n\nlogger -t aks-boothook \"begin $(date -Ins); now\"\n"
         "mkdir -p /opt/azure/containers\nmkdir -p /var/log/azure\n"
         "nohup /bin/bash /opt/azure/containers/provision_preload.sh >/dev/null 2>&1 &\n" +
         files +
         "\nlogger -t aks-boothook \"start $(date -Ins)\"\n"
         "if [ -f /opt/azure/containers/aks-node-controller-launcher.sh ]; then\n"
         "  nohup /bin/bash /opt/azure/containers/aks-node-controller-launcher.sh "
         ">/var/log/azure/aks-node-controller.output 2>&1 &\n"
         "else\n  systemctl start --no-block aks-node-controller.service\nfi\n";
}

std::string here(const std::string& path, const std::string& body, const char* how, const char* mode) {
  return "cat <<'EOF' | " + std::string(how) + " >" + path + "\n" + body + "\nEOF\nchmod " + mode + " " + path + "\n";
}

std::string mime(const std::string& boothook, const std::string& cloud_config) {
  return "MIME-Version: 1.0\r\nContent-Type: multipart/mixed; "
         "boundary=\"0a1b\"\r\n\r\n--0a1b\r\nContent-Transfer-Encoding: 7bit\r\n"
         "Content-Type: text/cloud-boothook\r\nMime-Version: 1.0\r\n\r\n" +
         boothook + "\r\n--0a1b\r\nContent-Type: text/cloud-config\r\n\r\n" + cloud_config + "\r\n--0a1b--\r\n";
}

const std::string kForeign = mime(foreign_boothook(here(kConfig, base64_encode(kText), "base64 -d", "0600")),
                                  "#cloud-config\nruncmd:\n- echo \"done at $(date)\"\n");

TEST(CustomData, ReadsTheOriginalsBoothookInMime) {
  EXPECT_EQ(config_in(kForeign), kText);
}

TEST(CustomData, ReadsABareBoothookWithACommandFile) {
  const std::string packed = base64_encode(gzip("export A=1\n"));
  const CustomData data =
      understood(foreign_boothook(here("/opt/azure/containers/nodecustomdata.yml",
                                       base64_encode(gzip("#cloud-config\n")), "base64 -d | gzip -d", "0600") +
                                  here(paths::kNbcCommand, packed, "base64 -d | gzip -d", "0755")));
  ASSERT_NE(data.file(paths::kNbcCommand), nullptr);
  EXPECT_EQ(data.file(paths::kNbcCommand)->content, "export A=1\n");
  EXPECT_EQ(data.file(paths::kNbcCommand)->mode, 0755u);
  EXPECT_EQ(data.files.size(), 2u);
}

TEST(CustomData, TakesLayersOff) {
  EXPECT_EQ(config_in(gzip(kForeign)), kText);
  EXPECT_EQ(config_in(base64_encode(kForeign)), kText);
  EXPECT_EQ(config_in(base64_encode(gzip(kForeign)) + "\n"), kText);
  EXPECT_EQ(config_in(gzip(base64_encode(kForeign))), kText);
  std::string many = kForeign;
  for (int i = 0; i < 10; ++i) many = gzip(many);
  EXPECT_THAT(read_custom_data(many).error().what, HasSubstr("packed more than"));
}

TEST(CustomData, ReadsEveryEncodingOfWriteFiles) {
  const std::string plain = kText;
  const std::pair<const char*, std::string> encodings[] = {{"b64", base64_encode(plain)},
                                                           {"base64", base64_encode(plain)},
                                                           {"gz+b64", base64_encode(gzip(plain))},
                                                           {"gz+base64", base64_encode(gzip(plain))},
                                                           {"gzip+b64", base64_encode(gzip(plain))},
                                                           {"gzip+base64", base64_encode(gzip(plain))}};
  for (const auto& [encoding, content] : encodings)
    EXPECT_EQ(config_in(std::string("#cloud-config\nwrite_files:\n- path: ") + kConfig + "\n  encoding: " + encoding +
                        "\n  owner: root:root\n  permissions: '0600'\n  content: |\n    " + content + "\n"),
              kText)
        << encoding;
  for (const char* name : {"gz", "gzip"})
    EXPECT_EQ(config_in(std::string("#cloud-config\nwrite_files:\n- path: ") + kConfig + "\n  encoding: " + name +
                        "\n  content: !!binary |\n    " + base64_encode(gzip(plain)) + "\n"),
              kText);
  EXPECT_EQ(
      config_in(std::string("#cloud-config\nwrite_files:\n- path: ") + kConfig + "\n  content: '" + kText + "'\n"),
      kText);
}

TEST(CustomData, ReadsIgnitionOfTheOriginal) {
  EXPECT_EQ(
      config_in(std::string(R"({ "ignition": { "version": "3.4.0" }, "storage": { "files": [{ "path": ")") + kConfig +
                R"(", "mode": 384, "contents": { "source": "data:;base64,)" + base64_encode(kText) + R"(" } }] } })"),
      kText);
}

TEST(CustomData, IgnitionThatWantsMoreThanWholeFilesOfRootIsNotUnderstood) {
  const auto read = [](const std::string& members, const std::string& contents = "") {
    return read_custom_data(std::string(R"({"ignition":{"version":"3.4.0"},"storage":{"files":[{"path":")") + kConfig +
                            R"(","mode":384)" + members + R"(,"contents":{"source":"data:;base64,)" +
                            base64_encode(kText) + "\"" + contents + "}}]}}");
  };
  for (const char* fine :
       {R"(,"overwrite":true)", R"(,"user":{"id":0},"group":{"name":"root"})", R"(,"append":[])", R"(,"user":null)"})
    EXPECT_EQ(read(fine)->not_understood, "") << fine;
  EXPECT_EQ(read("", R"(,"verification":{"hash":null},"compression":"")")->not_understood, "");
  const std::pair<const char*, const char*> others[] = {
      {R"(,"user":{"id":1000})", "user"},         {R"(,"user":{"name":"me"})", "user"},
      {R"(,"group":{"name":"docker"})", "group"}, {R"(,"append":[{"source":"data:,x"}])", "append"},
      {R"(,"overwrite":false)", "overwrite"},     {R"(,"newer":1)", "newer"}};
  for (const auto& [members, name] : others) {
    const auto data = read(members);
    ASSERT_TRUE(data) << data.error().what;
    EXPECT_THAT(data->not_understood, HasSubstr(std::string("'") + name + "'")) << members;
  }
  EXPECT_THAT(read("", R"(,"verification":{"hash":"sha512-00"})")->not_understood, HasSubstr("contents.verification"));
  EXPECT_FALSE(read(R"(,"overwrite":"yes")"));
}

TEST(CustomData, BrokenDataIsAnErrorThatSaysHow) {
  const std::string other = here(kConfig, base64_encode("{\"version\":\"v2\"}"), "base64 -d", "0600");
  const std::string one = here(kConfig, base64_encode(kText), "base64 -d", "0600");
  const std::pair<std::string, const char*> cases[] = {
      {"", "empty"},
      {" \n", "empty"},
      {std::string(65536, '\0'), "65536 zero bytes"},
      {"hello world", "not in any form"},
      {std::string("\x7f"
                   "ELF\x01\x02\x03",
                   7),
       "not in any form"},
      {gzip(kForeign).substr(0, 100), "damaged or truncated"},
      {kForeign.substr(0, kForeign.size() - 20), "cut"},
      {kForeign.substr(0, 40), "cut"},
      {base64_encode(kForeign).substr(0, 101), "base64"},
      {foreign_boothook(one).substr(0, foreign_boothook(one).find("\nEOF")), "the boothook is cut"},
      {foreign_boothook(one + other), "two different files"},
      {mime(foreign_boothook(one),
            std::string("#cloud-config\nwrite_files:\n- path: ") + kConfig + "\n  content: other\n"),
       "two different files"},
      {"#cloud-config\nwrite_files: [", "not valid YAML"},
      {"#cloud-config\nwrite_files:\n- path: ../x\n", "path"},
      {"#cloud-config\nwrite_files:\n- path: /etc/../x\n", "path"},
      {"#cloud-config\nwrite_files:\n- path: /x\n  encoding: rot13\n", "unknown encoding"},
      {"#cloud-config\n" + std::string(5000, '['), "nested too deeply"},
      {"{\"ignition\":", "cut"},
      {"{\"a\":1}", "not an Ignition config"},
      {std::string(2u << 20, 'x'), "more than 1 MiB"},
  };
  for (const auto& [bytes, why] : cases) {
    const auto data = read_custom_data(bytes);
    ASSERT_FALSE(data) << bytes.substr(0, 200);
    EXPECT_THAT(data.error().what, HasSubstr(why)) << bytes.substr(0, 200);
  }
}

TEST(CustomData, GzipThatUnpacksWithoutEndIsRefused) {
  EXPECT_THAT(read_custom_data(gzip(std::string(kLargestUnpacked + 1, 'a'))).error().what,
              HasSubstr("unpacks to more"));
}

TEST(CustomData, WhatOnlyCloudInitDoesIsNamed) {
  const std::string one = here(kConfig, base64_encode(kText), "base64 -d", "0600");
  const std::pair<std::string, const char*> cases[] = {
      {"#!/bin/sh\necho hello\n", "a script"},
      {"#include https://example.org/x\n", "#include"},
      {"## template: jinja\n#cloud-config\n", "only cloud-init"},
      {foreign_boothook(one + "python3 /opt/azure/containers/fetch_provision_config.py --timeout 60\n"),
       "runs 'python3'"},
      {foreign_boothook(one + "curl -O https://example.org/x\n"), "runs 'curl'"},
      {foreign_boothook("cat <<EOF >/opt/x\n$(hostname)\nEOF\n" + one), "lets the shell replace"},
      {foreign_boothook("tee /opt/x <<'EOF'\nx\nEOF\n" + one), "unknown way"},
      {foreign_boothook("nohup /bin/bash /opt/other.sh &\n" + one), "runs 'nohup'"},
      {"#cloud-config\nbootcmd:\n- rm -rf /\n", "'bootcmd'"},
      {"#cloud-config\nruncmd:\n- echo x > /etc/passwd\n", "'runcmd'"},
      {"#cloud-config\nwrite_files:\n- path: /x\n  owner: joe\n  content: a\n", "another owner"},
      {"#cloud-config\nwrite_files:\n- path: /x\n  content: a\n", "no node config"},
      {R"({"ignition":{"version":"3.4.0"},"passwd":{"users":[{"name":"core"}]}})", "passwd"},
  };
  for (const auto& [bytes, why] : cases) {
    const auto data = read_custom_data(bytes);
    ASSERT_TRUE(data) << data.error().what << ": " << bytes;
    EXPECT_THAT(data->not_understood, HasSubstr(why)) << bytes;
  }
}

TEST(Mime, ReadsWhatMailProgramsWrite) {
  const auto parts = mime_parts(
      "Content-Type: multipart/mixed;\n boundary=b1\nMIME-Version: 1.0\n\npreamble\n--b1\nContent-Type: "
      "text/x-shellscript; charset=utf-8\n"
      "Content-Transfer-Encoding: base64\n\naGVs\nbG8=\n--b1\ncontent-type: TEXT/Plain\ncontent-transfer-encoding: "
      "Quoted-Printable\n\n"
      "a=3Db=\nc\n--b1--\nepilogue\n");
  ASSERT_TRUE(parts) << parts.error().what;
  ASSERT_EQ(parts->size(), 2u);
  EXPECT_EQ((*parts)[0].type, "text/x-shellscript");
  EXPECT_EQ((*parts)[0].body, "hello");
  EXPECT_EQ((*parts)[1].type, "text/plain");
  EXPECT_EQ((*parts)[1].body, "a=bc");
}

}  // namespace
}  // namespace sunup::azure
