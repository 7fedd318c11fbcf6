#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sunup/node_config.h>
#include <sunup/render.h>
#include <sunup/status.h>

#include "azure/test_custom_data.h"
#include "base/node_paths.h"
#include "contract/load.h"
#include "render/config_or_command.h"
#include "render/custom_data.h"
#include "render/gpu_components.h"
#include "render/node/facts.h"

namespace sunup {
namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr char kConfig[] = R"({"version": "v1", "kubernetes_version": "1.33.1", "from_the_future": 1})";

TEST(Library, ReadsAConfigAndSaysWhatItTolerated) {
  const Result<NodeConfig> config = NodeConfig::parse(kConfig);
  ASSERT_TRUE(config);
  ASSERT_THAT(config->tolerated(), SizeIs(1));
  EXPECT_THAT(config->tolerated()[0].path, HasSubstr("from_the_future"));
  EXPECT_THAT(config->canonical_json(), HasSubstr("\"kubernetes_version\": \"1.33.1\""));
}

TEST(Library, RefusesWhatIsNoConfig) {
  EXPECT_FALSE(NodeConfig::parse("{"));
  EXPECT_FALSE(NodeConfig::load("/does/not/exist"));
}

// The command line reads a config with load_only_config(). The library refuses the same texts, for the same reasons.
TEST(Library, RefusesTheConfigsThatTheCommandLineRefuses) {
  const std::pair<const char*, std::string> texts[] = {
      {"empty", ""},
      {"torn", "{"},
      {"a list", "[]"},
      {"no version", "{}"},
      {"another version", R"({"version": "v2"})"},
      {"a wrong type", R"({"version": "v1", "kubernetes_version": 1.33})"},
      {"a field twice", R"({"version": "v1", "version": "v1"})"},
      {"a field twice, in both spellings", R"({"version": "v1", "vm_size": "a", "vmSize": "b"})"},
      {"a comment", "{\"version\": \"v1\"} // x"},
      {"text after it", R"({"version": "v1"} {})"},
      {"no UTF-8", "{\"version\": \"v1\", \"vm_size\": \"\xff\"}"},
      {"a NUL", std::string("{\"version\": \"v1\"}\0", 18)},
      {"an escaped NUL", R"({"version": "v1", "vm_size": "a\u0000"})"},
      {"nested too deeply", "{\"version\": \"v1\", \"x\": " + std::string(200, '[') + std::string(200, ']') + "}"},
      {"too large", R"({"version": "v1"})" + std::string(contract::kMaxConfigBytes, ' ')},
      {"a command", "#!/bin/bash\nLOCATION=westeurope bash /opt/azure/containers/provision_start.sh\n"},
  };
  for (const auto& [what, text] : texts) {
    const auto of_command_line = render::load_only_config(text, "config", nullptr);
    const auto of_library = NodeConfig::parse(text);
    ASSERT_FALSE(of_command_line) << what;
    ASSERT_FALSE(of_library) << what;
    EXPECT_EQ(of_library.error().what, of_command_line.error().what) << what;
    EXPECT_EQ(of_library.error().hint, of_command_line.error().hint) << what;
  }
}

TEST(Library, RefusesTheOptionsThatTheCommandLineRefuses) {
  const NodeConfig config = *NodeConfig::load(SUNUP_SOURCE_DIR "/examples/node/config.json");
  for (const char* os : {"", "windows", " ubuntu2204", "osx"}) {
    EXPECT_FALSE(render::form_for_os(os)) << os;
    EXPECT_FALSE(custom_data(config, os)) << os;
    EXPECT_FALSE(vmss_model(config, os)) << os;
    EXPECT_FALSE(node_files(config, {.os = os})) << os;
  }
  for (const char* os : {"ubuntu", "UBUNTU2204", "ubuntu2204 ", "flatcar,acl", "azurelinux", "debian12"}) {
    EXPECT_EQ(custom_data(config, os).ok(), render::form_for_os(os).ok()) << os;
    EXPECT_EQ(vmss_model(config, os).ok(), render::form_for_os(os).ok()) << os;
  }
  for (const char* components : {"[", "[]", R"({"GPUContainerImages": 1})"})
    EXPECT_EQ(cse_environment(config, {.containerd_version = {}, .components_json = components}).ok(),
              render::parse_gpu_components(components).ok())
        << components;
  for (const char* facts : {"{", "[]", R"({"os": "windows"})", R"({"no such member": 1})"})
    EXPECT_EQ(node_files(config, {.facts_json = facts}).ok(), render::node::facts_from_json(facts).ok()) << facts;
  // What fits in no custom data is refused by each.
  std::string large = R"({"version": "v1", "x": ")";
  for (uint32_t i = 0, random = 1; i < 200'000; ++i)
    large += static_cast<char>('a' + ((random = random * 69069 + 1) >> 16) % 26);
  const NodeConfig too_large = *NodeConfig::parse(large + "\"}");
  EXPECT_FALSE(custom_data(too_large, {.verbatim = true}));
  EXPECT_FALSE(vmss_model(too_large, {.verbatim = true}));
}

TEST(Library, JudgesAConfig) {
  const auto remarks = NodeConfig::parse(kConfig)->check();
  EXPECT_FALSE(remarks.empty()) << "a config without an API server is no config for a node";
}

TEST(Library, RendersForEachOperatingSystem) {
  const NodeConfig config = *NodeConfig::parse(kConfig);
  EXPECT_THAT(*custom_data(config), HasSubstr("text/cloud-boothook"));
  EXPECT_THAT(*custom_data(config, "flatcar"), HasSubstr("\"ignition\""));
  EXPECT_FALSE(custom_data(config, "windows"));
  EXPECT_THAT(*vmss_model(config), HasSubstr(std::string(cse_command())));
  EXPECT_EQ(cse_environment(config)->at("KUBERNETES_VERSION"), "1.33.1");
}

TEST(Library, HasTheChoicesOfTheCommandLine) {
  const NodeConfig config = *NodeConfig::parse(kConfig);
  EXPECT_THAT(*custom_data(config, {.os = "flatcar", .form = CustomDataOptions::Form::kWriteFiles}),
              StartsWith("#cloud-config"));
  EXPECT_THAT(*custom_data(config, {.gzip = CustomDataOptions::Gzip::kAlways}), StartsWith("\x1f\x8b"));
  const std::string canonical = azure::content_at(paths::kNodeConfig, *custom_data(config));
  EXPECT_EQ(canonical, config.canonical_json());
  EXPECT_THAT(canonical, HasSubstr("\"from_the_future\": 1"));
  EXPECT_EQ(azure::content_at(paths::kNodeConfig, *custom_data(config, {.verbatim = true})), kConfig);
  EXPECT_NE(*vmss_model(config), *vmss_model(config, {.verbatim = true}));
}

TEST(Library, MakesCustomDataWithAPlaceholderAndAnAddressForResults) {
  const NodeConfig config = *NodeConfig::parse(kConfig);
  const auto made =
      custom_data(config, {.placeholder = "\"1.33.1\"", .results_url = "https://sunup.example/", .results_ca = ""});
  ASSERT_TRUE(made) << made.error().what;
  EXPECT_THAT(*made, HasSubstr("\"1.33.1\""));
  EXPECT_EQ(azure::content_at(paths::kResultService, *made), "{\"url\":\"https://sunup.example\"}\n");
  EXPECT_FALSE(custom_data(config, {.placeholder = "{{.Token}}"}));
  EXPECT_FALSE(custom_data(config, {.results_url = "http://sunup.example"}));
  EXPECT_FALSE(custom_data(config, {.results_ca = "-----BEGIN CERTIFICATE-----\n"}));
  EXPECT_NE(*vmss_model(config), *vmss_model(config, {.results_url = "https://sunup.example"}));
}

TEST(Library, RendersTheFilesOfANode) {
  EXPECT_FALSE(node_files(*NodeConfig::parse(kConfig))) << "a node of no cluster";
  const NodeConfig config = *NodeConfig::load(SUNUP_SOURCE_DIR "/examples/node/config.json");
  const auto files = node_files(config, {.os = "azurelinux3"});
  ASSERT_TRUE(files) << files.error().what;
  EXPECT_THAT(files->files, Contains(Field(&NodeFiles::File::path, "/etc/containerd/config.toml")));
  EXPECT_FALSE(node_files(config, {.os = "windows"}));
  EXPECT_FALSE(node_files(config, {.facts_json = "{"}));
}

TEST(Library, ReadsAStatus) {
  const auto nodes = parse_status(R"({"ExitCode":"50","Output":"x","Error":""})");
  ASSERT_THAT(nodes, SizeIs(1));
  EXPECT_FALSE(nodes[0].succeeded());
  EXPECT_EQ(nodes[0].name, "ERR_OUTBOUND_CONN_FAIL");
  EXPECT_TRUE(parse_status("nothing").empty());
}

}  // namespace
}  // namespace sunup
