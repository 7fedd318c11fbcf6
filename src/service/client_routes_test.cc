// The routes for clients of other services.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "azure/test_custom_data.h"
#include "base/base64.h"
#include "base/node_paths.h"
#include "fleet/launch/node_bootstrapping.h"
#include "fleet/sources/document.h"
#include "service/context.h"
#include "service/router.h"

namespace sunup::service {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr char kPath[] =
    "/subscriptions/12345678-1234-1234-1234-123456789012/resourceGroups/demo-rg/providers/Microsoft.ContainerService/"
    "managedclusters/demo/nodeBootstrapping";

std::string file(const std::string& path) {
  const auto documents = fleet::read_document_file(SUNUP_SOURCE_DIR "/" + path);
  return (*documents)[0].value.dump();
}

class ClientRoutes : public ::testing::Test {
 protected:
  ClientRoutes() {
    fleet::Findings findings;
    const auto documents = fleet::read_document_file(SUNUP_SOURCE_DIR "/examples/fleet/settings.yaml");
    set_context({.settings = fleet::read_cluster_settings(*documents, findings)});
  }
  ~ClientRoutes() override { set_context({}); }

  static ApiResponse send(std::string_view method, std::string_view path, std::string_view body) {
    return handle(request_of(method, path, body));
  }
};

TEST_F(ClientRoutes, GiveKarpenterWhatItAsksFor) {
  const ApiResponse response = send("GET", kPath, file("tests/fuzz/seeds/provision_values/ubuntu.json"));
  ASSERT_EQ(response.status, 200) << response.body;
  const json answer = json::parse(response.body);
  EXPECT_THAT(*base64_decode(answer["customData"].get<std::string>()), HasSubstr(fleet::kTokenPlaceholder));
  EXPECT_EQ(answer["cse"], "/opt/azure/containers/aks-node-controller provision-wait");
}

TEST_F(ClientRoutes, RefuseKarpenterInText) {
  const auto refused = [](const ApiResponse& response, int status, const char* why) {
    EXPECT_EQ(response.status, status);
    EXPECT_EQ(response.content_type, kText);
    EXPECT_THAT(response.body, HasSubstr(why));
  };
  refused(send("GET", kPath, ""), 400, "");
  refused(send("GET", kPath, "[]"), 400, "must be a JSON object");
  refused(send("GET", kPath, "{}"), 400, "provisionProfile is missing");
  std::string other(kPath);
  other.replace(other.find("/demo/"), 6, "/prod/");
  refused(send("GET", other, file("tests/fuzz/seeds/provision_values/ubuntu.json")), 404, "the name of the cluster");
  set_context({});
  refused(send("GET", kPath, "{}"), 503, "--settings");
}

const render::ResultService kResults{.url = "https://sunup.example:8443",
                                     .ca = "-----BEGIN CERTIFICATE-----\nTUlJ\n-----END CERTIFICATE-----\n"};

// For every route that makes custom data: the file on the node, without and with an address.
TEST_F(ClientRoutes, TellNodesWhereToSendTheirResults) {
  const json resolve = {{"settings", json::parse(file("examples/fleet/settings.yaml"))},
                        {"nodePool", json::parse(file("examples/fleet/nodepool.yaml"))},
                        {"nodeClass", json::parse(file("examples/fleet/nodeclass.yaml"))},
                        {"instanceType", "Standard_D4s_v5"},
                        {"bootstrap", "nodeconfig"}};
  json vm = resolve, scriptless = resolve;
  vm["format"] = "vm";
  scriptless["bootstrap"] = "scriptless";
  const struct {
    const char* method;
    std::string path, body;
    json::json_pointer custom_data;
  } requests[] = {
      {"GET", kPath, file("tests/fuzz/seeds/provision_values/ubuntu.json"), "/customData"_json_pointer},
      {"POST", "/getnodebootstrapdata", file("examples/node/config.json"), "/CustomData"_json_pointer},
      {"POST", "/v1/render/custom-data", file("examples/node/config.json"), "/customData"_json_pointer},
      {"POST", "/v1/render/custom-data?os=flatcar&placeholder=abcdef.0123456789abcdef",
       file("examples/node/config.json"), "/customData"_json_pointer},
      {"POST", "/v1/render/vmss", file("examples/node/config.json"), "/osProfile/customData"_json_pointer},
      {"POST", "/v1/resolve", resolve.dump(), "/customData"_json_pointer},
      {"POST", "/v1/resolve", vm.dump(), "/virtualMachine/properties/osProfile/customData"_json_pointer},
  };
  ServiceContext with = context();
  with.results = kResults;
  const ServiceContext without = context();
  for (const auto& request : requests) {
    const auto results = [&request](const ServiceContext& now) {
      set_context(now);
      const ApiResponse response = send(request.method, request.path, request.body);
      EXPECT_EQ(response.status, 200) << request.path << response.body;
      const auto data = json::parse(response.body).at(request.custom_data).get<std::string>();
      EXPECT_NE(azure::content_at(paths::kNodeConfig, data), "") << request.path;
      return azure::content_at(paths::kResultService, data);
    };
    EXPECT_EQ(results(without), "") << request.path;
    EXPECT_EQ(results(with), render::to_json(kResults)) << request.path;
  }
  // The script of the first generation does not change.
  set_context(without);
  const std::string script = send("POST", "/v1/resolve", scriptless.dump()).body;
  set_context(with);
  EXPECT_EQ(send("POST", "/v1/resolve", scriptless.dump()).body, script);
}

TEST_F(ClientRoutes, ResolveWithTheImageVersionsOfTheServer) {
  const json settings = json::parse(file("examples/fleet/settings.yaml"));
  const json pool = json::parse(file("examples/fleet/nodepool.yaml"));
  const json node_class = json::parse(file("examples/fleet/nodeclass.yaml"));
  const json body = {{"settings", settings}, {"nodePool", pool}, {"nodeClass", node_class}};
  const std::string documents = settings.dump() + "\n---\n" + pool.dump() + "\n---\n" + node_class.dump() + "\n";
  const auto with_versions = [](const char* text) {
    ServiceContext now = context();
    now.versions = *fleet::parse_image_versions(text, "test");
    set_context(now);
  };
  const auto check = [&documents] { return json::parse(send("POST", "/v1/resolve/check", documents).body); };

  with_versions(R"({"2204gen2containerd": "209901.1.0", "2404gen2containerd": "209901.1.0", "V3gen2": "209901.1.0"})");
  const ApiResponse made = send("POST", "/v1/resolve", body.dump());
  ASSERT_EQ(made.status, 200) << made.body;
  EXPECT_EQ(json::parse(made.body)["image"]["version"], "209901.1.0");
  EXPECT_EQ(check()["refused"], false);
  // A list without the image.
  with_versions(R"({"another": "1.0.0"})");
  EXPECT_EQ(send("POST", "/v1/resolve", body.dump()).status, 422);
  EXPECT_EQ(check()["refused"], true);
}

TEST_F(ClientRoutes, PlaceholderOfCustomDataStandsInPlainText) {
  const auto answer = [](const std::string& query) {
    return send("POST", "/v1/render/custom-data?" + query, file("examples/node/config.json"));
  };
  const ApiResponse made = answer("placeholder=abcdef.0123456789abcdef");
  ASSERT_EQ(made.status, 200) << made.body;
  EXPECT_THAT(*base64_decode(json::parse(made.body)["customData"].get<std::string>()),
              HasSubstr("\"abcdef.0123456789abcdef\""));
  EXPECT_EQ(answer("placeholder=%7B%7B.Token%7D%7D").status, 422);
  EXPECT_THAT(answer("placeholder=%7B%7B.Token%7D%7D").body, HasSubstr("does not contain the placeholder"));
  EXPECT_EQ(answer("placeholder=abcdef.0123456789abcdef&gzip=always").status, 422);
}

TEST_F(ClientRoutes, RenderAConfigAsAgentBakerDoes) {
  const ApiResponse response = send("POST", "/getnodebootstrapdata?os=ubuntu2404", file("examples/node/config.json"));
  ASSERT_EQ(response.status, 200) << response.body;
  const json answer = json::parse(response.body);
  EXPECT_NE(azure::content_at(paths::kNodeConfig, answer["CustomData"].get<std::string>()), "");
  EXPECT_EQ(answer["CSE"], "/opt/azure/containers/aks-node-controller provision-wait");
  for (const char* wrong : {"", "no", "[]", R"({"ContainerService": {}})", R"({"agentpoolprofile": {}})"}) {
    EXPECT_EQ(send("POST", "/getnodebootstrapdata", wrong).status, 400) << wrong;
    EXPECT_EQ(send("POST", "/getnodebootstrapdata", wrong).content_type, kText) << wrong;
  }
}

TEST_F(ClientRoutes, TellTheImagesOfDistros) {
  const json request = json::parse(R"({
    "SIGConfig": {"TenantID": "t", "SubscriptionID": "s", "Galleries": {
      "AKSUbuntu": {"GalleryName": "u", "ResourceGroup": "ru"}, "AKSCBLMariner": {"GalleryName": "m", "ResourceGroup": "rm"},
      "AKSAzureLinux": {"GalleryName": "a", "ResourceGroup": "ra"}, "AKSWindows": {"GalleryName": "w", "ResourceGroup": "rw"}}},
    "Region": "eastus", "Distro": "aks-ubuntu-containerd-24.04-gen2"})");
  const ApiResponse one = send("POST", "/getlatestsigimageconfig", request.dump());
  ASSERT_EQ(one.status, 200) << one.body;
  EXPECT_EQ(json::parse(one.body)["Definition"], "2404gen2containerd");
  EXPECT_EQ(json::parse(send("POST", "/getdistrosigimageconfig", request.dump()).body).size(), 64u);
  EXPECT_EQ(send("POST", "/getlatestsigimageconfig", "{}").status, 400);
}

}  // namespace
}  // namespace sunup::service
