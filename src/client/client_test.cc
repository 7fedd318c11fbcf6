#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sunup/node_config.h>
#include <sunup/render.h>
#include <sunup/status.h>

#include "render/custom_data.h"

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
  const auto canonical = render::read_custom_data(*custom_data(config));
  EXPECT_EQ(canonical->files.config_json, config.canonical_json());
  EXPECT_THAT(canonical->files.config_json, HasSubstr("\"from_the_future\": 1"));
  const auto verbatim = render::read_custom_data(*custom_data(config, {.verbatim = true}));
  EXPECT_EQ(verbatim->files.config_json, kConfig);
  EXPECT_NE(*vmss_model(config), *vmss_model(config, {.verbatim = true}));
}

TEST(Library, MakesCustomDataWithAPlaceholderAndAnAddressForResults) {
  const NodeConfig config = *NodeConfig::parse(kConfig);
  const auto made =
      custom_data(config, {.placeholder = "\"1.33.1\"", .results_url = "https://sunup.example/", .results_ca = ""});
  ASSERT_TRUE(made) << made.error().what;
  EXPECT_THAT(*made, HasSubstr("\"1.33.1\""));
  EXPECT_EQ(render::read_custom_data(*made)->files.results, "{\"url\":\"https://sunup.example\"}\n");
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
