#include "service/router.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fleet/sources/document.h"

namespace sunup::service {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

json example(const char* name) {
  return (*fleet::read_document_file(std::string(SUNUP_SOURCE_DIR "/examples/fleet/") + name))[0].value;
}

json resolve_body() {
  return {{"settings", example("settings.yaml")},
          {"nodePool", example("nodepool.yaml")},
          {"nodeClass", example("nodeclass.yaml")}};
}

ApiResponse send(std::string_view method, std::string_view target, std::string_view body = "") {
  return handle(request_of(method, target, body));
}

ApiResponse post(std::string_view target, const json& body) {
  const std::string text = body.dump();
  return send("POST", target, text);
}

TEST(Api, ResolvesToALaunchTemplate) {
  const ApiResponse response = post("/v1/resolve", resolve_body());
  ASSERT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(json::parse(response.body)["name"], "aks-general");
}

TEST(Api, NamesEveryBrokenRuleOfARequest) {
  json body = resolve_body();
  body["nodeClass"]["spec"]["maxPods"] = 1;
  body["settings"].erase("cluster-name");
  const ApiResponse response = post("/v1/resolve", body);
  EXPECT_EQ(response.status, 422);
  EXPECT_EQ(json::parse(response.body)["errors"].size(), 2u);
  EXPECT_THAT(response.body, HasSubstr("must be 10..250"));
}

TEST(Api, JudgesTheInstanceTypesOfARequest) {
  json body = resolve_body();
  body["instanceTypes"] = {{{"name", "Standard_Q4"}, {"vCPUs", 4}, {"memoryGiB", 16}, {"arch", "riscv"}}};
  ApiResponse response = post("/v1/resolve", body);
  EXPECT_EQ(response.status, 422);
  EXPECT_THAT(response.body, HasSubstr("[0].arch"));
  body.erase("instanceTypes");
  body["instanceType"] = {{"name", "Standard_D4s_v5"}, {"vCPUs", 4}, {"memoryGiB", 16}, {"colour", "red"}};
  response = post("/v1/resolve", body);
  ASSERT_EQ(response.status, 200) << response.body;
  EXPECT_THAT(response.body, HasSubstr("colour"));  // a warning
}

TEST(Api, RefusesAScaleSetWhoseNameLeavesNoRoomForItsInstances) {
  json body = resolve_body();
  body["nodePool"]["metadata"]["name"] = std::string(55, 'p');
  body["format"] = "vm";
  EXPECT_EQ(post("/v1/resolve", body).status, 200);
  body["format"] = "vmss";
  const ApiResponse response = post("/v1/resolve", body);
  EXPECT_EQ(response.status, 422);
  EXPECT_THAT(response.body, HasSubstr("has 59 characters"));
}

TEST(Api, ComparesTemplates) {
  const json made = json::parse(post("/v1/resolve", resolve_body()).body);
  const ApiResponse response = post("/v1/drift", {{"was", made}, {"is", made}});
  EXPECT_EQ(json::parse(response.body)["drifted"], false);
}

TEST(Api, ExplainsWithoutShowingTheToken) {
  json body = resolve_body();
  body["format"] = "explain";
  const ApiResponse response = post("/v1/resolve", body);
  EXPECT_THAT(response.body, HasSubstr("\"overrode\""));
  EXPECT_THAT(response.body, Not(HasSubstr("0123456789abcdef")));
}

TEST(Api, HashesANodeClassAndNamesACluster) {
  EXPECT_EQ(post("/v1/nodeclass/hash", example("nodeclass.yaml")).status, 200);
  EXPECT_EQ(json::parse(send("GET", "/v1/cluster-id?host=abc").body)["clusterID"], "64379487");
  EXPECT_EQ(json::parse(send("GET", "/v1/cluster-id?host=https%3A%2F%2Fabc%3A443").body)["clusterID"], "64379487");
  for (const char* host : {"", "?host=", "?host=a%20b", "?host=a+b", "?host=a%2", "?host=https://", "?host=a..b"})
    EXPECT_EQ(send("GET", std::string("/v1/cluster-id") + host).status, 400) << host;
  EXPECT_EQ(post("/v1/nodeclass/hash", json::object()).status, 400);
  EXPECT_EQ(post("/v1/nodeclass/hash", example("nodepool.yaml")).status, 400);
}

TEST(Api, RendersAConfig) {
  const json config = {{"version", "v1"}, {"kubernetes_version", "1.33.1"}};
  EXPECT_EQ(json::parse(post("/v1/render/env", config).body)["KUBERNETES_VERSION"], "1.33.1");
  EXPECT_EQ(post("/v1/render/custom-data?os=flatcar", config).status, 200);
  EXPECT_EQ(post("/v1/render/custom-data?os=beos", config).status, 400);
}

TEST(Api, RefusesWhatItCannotRead) {
  EXPECT_EQ(send("POST", "/v1/resolve", "{").status, 400);
  EXPECT_EQ(send("POST", "/v1/resolve", "[]").status, 400);
  EXPECT_EQ(send("GET", "/v1/resolve").status, 405);
  EXPECT_EQ(send("GET", "/nothing").status, 404);
  EXPECT_EQ(post("/v1/resolve", {{"nodePool", 5}}).status, 422);
  EXPECT_EQ(post("/v1/resolve", {{"nodepool", json::object()}}).status, 400);
  for (const char* member : {"format", "bootstrap"}) {
    json body = resolve_body();
    body[member] = "nonsense";
    EXPECT_EQ(post("/v1/resolve", body).status, 400) << member;
  }
  EXPECT_EQ(post("/v1/drift", {{"was", 1}, {"is", 2}}).status, 422);
}

TEST(Router, AnswersHeadAndOptionsAndNamesTheMethodsOfAPath) {
  EXPECT_EQ(send("HEAD", "/healthz").status, 200);
  for (const char* method : {"OPTIONS", "POST", "PUT"}) {
    const ApiResponse response = send(method, "/healthz");
    EXPECT_EQ(response.status, std::string_view(method) == "OPTIONS" ? 204 : 405) << method;
    ASSERT_EQ(response.headers.size(), 1u);
    EXPECT_EQ(response.headers[0].first, "Allow");
    EXPECT_EQ(response.headers[0].second, "GET, HEAD, OPTIONS");
  }
  for (const char* path : {"", "//", "/healthz/", "//healthz", "/health", "healthz", "/v1/render", "*"})
    EXPECT_EQ(send("GET", path).status, 404) << path;
}

TEST(Router, RefusesAQueryThatTheDescriptionDoesNotHave) {
  const json config = {{"version", "v1"}, {"kubernetes_version", "1.33.1"}};
  for (const char* query : {"strict=1", "strict", "strict=", "strict=TRUE", "Strict=true", "stict=true",
                            "%73trict=true", "strict=true&strict=true", "form=cloud", "gzip=", "os=ubuntu2204&x"}) {
    const ApiResponse response = post(std::string("/v1/render/custom-data?") + query, config);
    EXPECT_EQ(response.status, 400) << query;
    EXPECT_THAT(response.body, HasSubstr("query")) << query;
  }
  for (const char* query : {"", "&", "strict=false", "strict=%66alse&gzip=auto&", "form=auto&verbatim=true"})
    EXPECT_EQ(post(std::string("/v1/render/custom-data?") + query, config).status, 200) << query;
  EXPECT_EQ(post("/v1/render/custom-data?strict=true", {{"version", "v1"}, {"vm_size", 5}}).status, 422);
  const auto refused = json::parse(post("/v1/render/env?strict=true", {{"version", "v1"}}).body);
  EXPECT_GT(refused["errors"].size(), 1u) << "all errors, not only the first: " << refused;
  EXPECT_EQ(send("GET", "/v1/cluster-id?host=abc&x=1").status, 400);
  EXPECT_EQ(send("GET", "/healthz?verbose").status, 400);
  const ApiResponse text = post("/getnodebootstrapdata?strict=true", config);
  EXPECT_EQ(text.status, 400);
  EXPECT_EQ(text.content_type, kText);
}

TEST(Router, GivesUpWorkWhoseTimeIsOver) {
  ApiRequest request = request_of("POST", "/v1/resolve", "[]", Deadline::after(std::chrono::seconds(-1)));
  EXPECT_EQ(handle(request).status, 503);
  request.deadline = Deadline::after(std::chrono::hours(1));
  EXPECT_EQ(handle(request).status, 400);
}

}  // namespace
}  // namespace sunup::service
